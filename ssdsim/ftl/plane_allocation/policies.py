# cython: infer_types=True
"""The plane of a write: by the logical page in a static order, by its chip, by a token (PCFTL), or in turn."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.config import HardwareConfig
from ssdsim.config.ftl import LEVELS, IsolationConfig
from ssdsim.device_view import Policy
from ssdsim.errors import ConfigError
from ssdsim.flash.port import Dies
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.mapping.page import PageMapping


class PlaneAllocation(Policy):
    """Chooses the plane of each write; `keeps_plane` says that a logical page always goes to the same one.

    One that `dispatches` can also answer -1 where no die is free for the write, if `at_dispatch` is set: it is asked
    again whenever a die looks for work. Writes of the same line (`line_of`) may go to the same dies, so that none of
    them is asked about while an older one waits. One that `has_lines` has them at admission, too.
    """

    # Given by the device, once it has them:
    frontier: WriteFrontier
    mapping: PageMapping
    at_dispatch: bool  # a write waits until a die is free for it
    dies: Dies | None  # to see which of them are busy; None while writes take no time

    owed = ("plane_for(lpa, stream) -> a whole number",)
    keeps_plane = False
    dispatches = has_lines = False

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane of the device that data of `stream` for `lpa` is to be written to, or -1 if it is to wait.

        The `stream` is -1 for data that no request brings: what a device is filled with, or a loss of power restores.
        """
        raise NotImplementedError

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the number, from 0 on, of the line that a write of `stream` for `lpa` waits in for a die."""
        return 0


def stripe(order: str, hardware: HardwareConfig, super_page: int) -> list[int]:
    """Return the planes that consecutive logical pages visit, or the first planes of the dies that super pages do.

    `order` names the levels from the fastest to the slowest: in `CWDP` consecutive pages change the channel first,
    then the chip (way), the die and the plane.
    """
    planes = 1 if super_page > 1 else hardware.planes_per_die
    shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip, planes)
    numbers = np.arange(prod(shape)).reshape(shape) * (hardware.planes_per_die // planes)
    visited: list[int] = numbers.transpose(["CWDP".index(level) for level in reversed(order)]).ravel().tolist()
    return visited


class StaticPlaneAllocation(PlaneAllocation):
    """The plane follows from the logical page number, by one of the 24 orders of Jung and Kandemir (HotStorage 2012).

    Super pages go by their own number.
    """

    super_page: int  # logical pages that go together
    stripe: Int64s  # by place in the stripe: a plane

    keeps_plane = True

    def __init__(self, order: str = "CWDP", super_page: int = 1) -> None:
        self.super_page = super_page
        self.stripe = array("q", stripe(order, self.device.hardware, super_page))

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane at the page's place in the stripe."""
        return self.stripe[lpa // self.super_page % len(self.stripe)]


class ChipPlaneAllocation(PlaneAllocation):
    """The chip follows from the logical page number; all its writes go to one block until that is full.

    So PCFTL has it of DFTL (3.3). Consecutive pages change the channel first, then the chip. The next block is of the
    plane with the most free ones (ours). A page whose chip has no room goes to the next that has. Where write points
    are not those of a plane, a chip's planes are filled one after another.
    """

    chips: Int64s  # the first plane of each, channel first

    def __init__(self) -> None:
        hardware = self.device.hardware
        self.planes_per_chip: int = hardware.planes_per_die * hardware.dies_per_chip
        self.chips = array("q", stripe("CWDP", hardware, 1)[: hardware.planes // self.planes_per_chip])

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane of the active block of the page's chip, or of another with room, or -1."""
        planes, behind = len(self.chips) * self.planes_per_chip, self.frontier.behind
        for beyond in range(0, planes, self.planes_per_chip):
            first = (self.chips[lpa % len(self.chips)] + beyond) % planes
            if self.frontier.span == 1 and isinstance(behind, SequentialFrontier):
                points = cast(SequentialFrontier, behind)
                found = points.filled_next(first, self.planes_per_chip, self.frontier.hosts[0])
                if found >= 0 and self.frontier.has_room(found):
                    return found
            for plane in range(first, first + self.planes_per_chip):
                if self.frontier.has_room(plane):
                    return plane
        return -1


class TokenPlaneAllocation(PlaneAllocation):
    """New data goes to the planes in turn, updates to the plane of the data that they replace (PCFTL, 3.1 and Fig. 3).

    The plane of new data is the token modulo the planes, and each new page takes the token on. A plane that has its
    share of logical pages, which trims in others bring about, is passed over. Moved pages must stay in their plane.
    """

    token: int  # new pages so far, and planes passed over
    share: int  # logical pages that fall to each plane

    keeps_plane = True

    def __init__(self) -> None:
        self.token = 0
        self.planes: int = self.device.hardware.planes
        self.share = self.device.hardware.logical_pages_per_plane

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane of the page's old data, or the next one for new data."""
        blocks = self.frontier.blocks
        ppa = self.mapping.table.get(lpa)
        if ppa >= 0:
            return blocks.plane_of(blocks.block_of(ppa))
        for _ in range(self.planes):
            plane = self.token % self.planes
            self.token += 1
            # valid pages are counted only where so many have been handed out
            handed_out = blocks.blocks_per_plane * blocks.pages_per_block - blocks.free_pages(plane)
            if handed_out < self.share or blocks.valid_pages(plane) < self.share:
                return plane
        return -1


class RoundRobinPlaneAllocation(PlaneAllocation):
    """Each write goes to the next plane that has room, channel first, then way, die and plane; of no paper.

    At dispatch the die has to be free, too: it executes nothing, and has fewer writes queued than planes.
    """

    lines: list[list[int]]  # of planes, which have their turns one after another
    turns: Int64s  # by line

    dispatches = True

    def __init__(self) -> None:
        self.planes_per_die: int = self.device.hardware.planes_per_die
        self.planes_per_unit: int = self.device.hardware.planes_per_unit
        self.lines = [stripe("CWDP", self.device.hardware, 1)]
        self.turns = array("q", [0])

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

    What no stream writes goes to the planes of the stream whose namespace the page lies in, or to all planes. A write
    whose planes have no room waits in the line of its stream, but where these are full it goes to any plane that is
    not. A plane is full when it holds more than it would on a device full of data.
    """

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
        RoundRobinPlaneAllocation.__init__(self)
        self.lines.extend(planes_of_streams(wanted or IsolationConfig(), self.device.streams, self.device.hardware))
        self.turns = array("q", [0] * len(self.lines))
        shared = [space for space in namespaces if namespaces.count(space) > 1]
        self.namespaces = [(first, first + (0 if (first, pages) in shared else pages)) for first, pages in namespaces]
        self.super_page = super_page
        self.most_valid = most_valid

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the next plane with room of those of `stream`, or of all where these are full, or -1."""
        line = PlanesByStream.line_of(self, lpa, stream)
        plane = self.next_in(line)
        if plane >= 0:
            return plane
        for own in self.lines[line]:
            if not self.is_full(own):
                return -1
        return self.next_in(0)

    def line_of(self, lpa: int, stream: int) -> int:
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
        line = PlanesByStream.line_of(self, lpa, stream)
        start: int = self.namespaces[line - 1][0] if line and self.namespaces else 0
        planes: list[int] = self.lines[line]
        return planes[(lpa - start) // self.super_page % len(planes)]
