# cython: infer_types=True
"""The device as its policies see it, and the base that gives it to every kind of them."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.either_kernel import now
from ssdsim.config import HardwareConfig


@final
class DeviceView:
    """The clock of a device, its geometry, and the streams of requests that it serves.

    Channels, chips, dies, planes and blocks are numbered over the device, each level in the order of the one above:
    the plane of a block is its number over `hardware.physical_blocks`, the die of a plane over that `planes_per_die`.
    """

    hardware: HardwareConfig  # geometry and times of the flash
    streams: tuple[str, ...]  # by number: their names, the main one first
    priorities: tuple[int, ...]  # by stream: the number of its class of priority, from 0 (urgent) to 3 (low)
    env: Any  # of the kernel, None while no time passes

    def __init__(self, hardware: HardwareConfig, streams: tuple[str, ...], priorities: tuple[int, ...]) -> None:
        self.hardware = hardware
        self.streams = streams
        self.priorities = priorities
        self.env = None

    @property
    def now_ns(self) -> int:
        """The simulated time in ns, 0 while a device is prepared without that any passes."""
        return 0 if self.env is None else now(self.env)


class Policy:
    """A policy of any kind: it has the `device` from its constructor on."""

    device: DeviceView

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""
