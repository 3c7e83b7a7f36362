# cython: infer_types=True
"""Planes in turn: the next of all with room, or, by stream, of those that a tenant has for itself."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.config.ftl import LEVELS, IsolationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation, stripe

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


class RoundRobinPlaneAllocation(PlaneAllocation):
    """Each write goes to the next plane that has room, channel first, then way, die and plane; of no paper.

    At dispatch the die has to be free, too: it executes nothing, and has fewer writes queued than planes.
    """

    lines: list[list[int]]  # of planes, which have their turns one after another
    turns: Int64s  # by line
    planes_per_die: int
    planes_per_unit: int

    dispatches = True

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Lay out the order of the planes."""
        PlaneAllocation.bind(self, hardware, frontier, mapping)
        self.planes_per_die = hardware.planes_per_die
        self.planes_per_unit = hardware.planes_per_unit
        self.lines = [stripe("CWDP", hardware, 1), *self.own_lines(hardware)]
        self.turns = array("q", [0] * len(self.lines))

    def own_lines(self, hardware: HardwareConfig) -> list[list[int]]:
        """Return the lines beside that of all planes."""
        return []

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the next plane with room, or -1 if none has any, or none that has is free."""
        return self.next_in(0)

    @cfunc
    def next_in(self, line: int) -> int:
        """Return the next plane of `line` that takes a write and is not full, or -1."""
        planes: list[int] = self.lines[line]
        for _ in range(len(planes)):
            plane: int = planes[self.turns[line]]
            self.turns[line] = (self.turns[line] + 1) % len(planes)
            if self.takes(plane) and not self.is_full(plane):
                return plane
        return -1

    @cfunc
    def takes(self, plane: int) -> bool:
        """Return whether the write at hand may go to `plane` now."""
        waits: bool = self.at_dispatch and self.dies is not None
        if waits and not self.dies.takes_writes(plane // self.planes_per_unit, self.planes_per_die):
            return False
        return self.frontier.has_room(plane)

    @cfunc
    def is_full(self, plane: int) -> bool:
        """Return whether `plane` is passed over though it takes writes."""
        return False


def planes_of_streams(wanted: IsolationConfig, streams: Sequence[str], hardware: HardwareConfig) -> list[list[int]]:
    """Return the planes of each stream as `ftl.isolation` has it, channel first, then way, die and plane.

    Streams that it does not name have equal shares of the units that it does not name, in order; where there are fewer
    of these than such streams, some share one.
    """
    shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip, hardware.planes_per_die)
    level = LEVELS.index(wanted.unit)
    count, planes_a_unit = shape[level], prod(shape[level + 1 :])
    key = "ftl.isolation.units"
    for stream, numbers in wanted.units.items():
        if stream not in streams:
            raise ConfigError(f"{key}.{stream}: there is no such stream; they are {', '.join(streams)}.")
        if max(numbers) >= count:
            raise ConfigError(f"{key}.{stream}={numbers}: must be numbers of the {wanted.unit}s, 0 to {count - 1}.")
    others = [stream for stream in streams if stream not in wanted.units]
    left = [number for number in range(count) if all(number not in numbers for numbers in wanted.units.values())]
    if others and not left:
        raise ConfigError(f"{key}: leaves no {wanted.unit} for {', '.join(others)}; name these, too, or fewer numbers.")
    units = dict(wanted.units)
    for place, stream in enumerate(others):
        first, end = place * len(left) // len(others), (place + 1) * len(left) // len(others)
        units[stream] = left[first : max(end, first + 1)]
    order = stripe("CWDP", hardware, 1)
    return [[plane for plane in order if plane // planes_a_unit % count in units[stream]] for stream in streams]


class PlanesByStream(RoundRobinPlaneAllocation):
    """Each stream of the host writes to channels, chips, dies or planes of its own, plane by plane in turn.

    Of no paper in this form; channels and dies by tenant are those of FlashBlox (Huang et al., FAST 2017, 3.2 and 3.3).

    What no stream writes (a fill, or what a loss of power restores) goes to the planes of the stream whose namespace
    the page lies in, or to all planes if it lies in none of a single one. A write whose planes have no room waits in
    the line of its stream, but where these are full it goes to any plane that is not. A plane is full when it holds
    more than it would on a device full of data: collection would no longer get back to its threshold there.
    """

    wanted: IsolationConfig
    namespaces: list[tuple[int, int]]  # by stream, if there are any: first logical page, and the one behind it
    super_page: int  # logical pages that go together
    most_valid: int  # pages of a unit that is not full

    has_lines = True  # those of `lines`, of which the first is of what no stream writes

    def __init__(
        self,
        wanted: IsolationConfig | None = None,
        namespaces: Sequence[tuple[int, int]] = (),
        super_page: int = 1,
        most_valid: int = 0,
    ) -> None:
        self.wanted = IsolationConfig() if wanted is None else wanted
        shared = [space for space in namespaces if namespaces.count(space) > 1]
        self.namespaces = [(first, first + (0 if (first, pages) in shared else pages)) for first, pages in namespaces]
        self.super_page = super_page
        self.most_valid = most_valid

    def own_lines(self, hardware: HardwareConfig) -> list[list[int]]:
        """Return the planes of each stream."""
        return planes_of_streams(self.wanted, self.device.streams, hardware)

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the next plane with room of those of `stream`, or of all where these are full, or -1.

        Not all planes of a device are ever full.
        """
        line = self.share_of(lpa, stream)
        plane = self.next_in(line)
        if plane >= 0:
            return plane
        for own in self.lines[line]:
            if not self.is_full(own):
                return -1
        return self.next_in(0)

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the line of `stream`."""
        return self.share_of(lpa, stream)

    @cfunc
    def share_of(self, lpa: int, stream: int) -> int:
        """Return the line of `stream`, or of the one whose namespace `lpa` lies in, or 0."""
        if stream >= 0:
            return stream + 1
        for owner in range(len(self.namespaces)):
            start, end = self.namespaces[owner]
            if start <= lpa < end:
                return owner + 1
        return 0

    @cfunc
    def is_full(self, plane: int) -> bool:
        """Return whether `plane` holds more data than it can without loss to collection."""
        blocks = self.frontier.blocks
        unit = plane // blocks.span
        left = blocks.free_pages(unit) + blocks.dead_pages(unit)  # at least: not all dead pages are counted
        return blocks.pages // blocks.units - left > self.most_valid and blocks.valid_pages(unit) > self.most_valid


class StaticPlanesByStream(PlanesByStream):
    """Each stream has planes of its own, of which the logical page number says which (MQSim's streams with CWDP).

    Pages count from the start of the stream's namespace. A page whose plane is full goes on as by `PlanesByStream`.
    """

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the page's plane, or another where that is full, or -1."""
        plane = self.line_of(lpa, stream)
        if self.is_full(plane):
            return PlanesByStream.plane_for(self, lpa, stream)
        return plane if self.takes(plane) else -1

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the plane that `lpa` belongs to, which has a line of its own."""
        line = self.share_of(lpa, stream)
        start: int = self.namespaces[line - 1][0] if line and self.namespaces else 0
        planes: list[int] = self.lines[line]
        return planes[(lpa - start) // self.super_page % len(planes)]
