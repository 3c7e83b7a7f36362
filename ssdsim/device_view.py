# cython: infer_types=True
"""The device as its policies see it, and the base that gives it to every kind of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from ssdsim._core.either_kernel import now

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


@final
class DeviceView:
    """The clock of a device, its geometry, and the streams of requests that it serves.

    Channels, chips, dies, planes and blocks are numbered over the device, each level in the order of the one above;
    the methods tell which one another lies in.
    """

    hardware: HardwareConfig  # geometry and times of the flash
    streams: tuple[str, ...]  # by number: their names, the main one first
    priorities: tuple[int, ...]  # by stream: the number of its class of priority, from 0 (urgent) to 3 (low)
    env: Any  # of the kernel, None while no time passes

    def __init__(
        self, hardware: HardwareConfig, streams: tuple[str, ...], priorities: tuple[int, ...] | None = None
    ) -> None:
        self.hardware = hardware
        self.streams = streams
        self.priorities = (0,) * len(streams) if priorities is None else priorities
        self.env = None

    @property
    def now_ns(self) -> int:
        """The simulated time in ns, 0 while a device is prepared without that any passes."""
        return 0 if self.env is None else now(self.env)

    def plane_of_block(self, block: int) -> int:
        """Return the plane that `block` lies in."""
        return block // self.hardware.physical_blocks

    def die_of(self, plane: int) -> int:
        """Return the die that `plane` lies in."""
        return plane // self.hardware.planes_per_die

    def chip_of(self, plane: int) -> int:
        """Return the chip that `plane` lies in."""
        return self.die_of(plane) // self.hardware.dies_per_chip

    def channel_of(self, plane: int) -> int:
        """Return the channel that `plane` lies in."""
        return self.chip_of(plane) // self.hardware.chips_per_channel


class Policy:
    """A policy of any kind: it has the `device` from its constructor on."""

    device: DeviceView

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""
