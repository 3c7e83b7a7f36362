"""The checks of what a device does and when, where integrity is checked: those of the parts that it has."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ssdsim.flash.array_times import ArrayTimes, LaneTimes, SuspensionTimes, WholeWordlines
from ssdsim.flash.budgeted_times import BudgetedTimes

if TYPE_CHECKING:
    from ssdsim.assembly.device import Device


def time_checks(device: "Device") -> Iterator[Any]:
    """Yield the observers that hold the commands of `device` against the rules of its parts."""
    config, dies = device.config, device.dies
    hardware = config.hardware
    yield ArrayTimes(device.timing, device.blocks)
    if device.padding is not None:
        yield WholeWordlines(hardware.page_types)
    side_by_side = dies.lanes is not None or dies.suspension is not None
    if dies.budget is not None and not side_by_side and "." not in config.scheduler.policy:
        yield BudgetedTimes(dies, device.scheduling_policy)
    if dies.suspension is not None:
        yield SuspensionTimes(dies.suspension, dies.count)
    if dies.lanes is not None:
        yield LaneTimes(dies.lanes, hardware.planes)
