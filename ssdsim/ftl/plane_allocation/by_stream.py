# cython: infer_types=True
"""Planes by stream: tenants that have channels, chips, dies or planes for themselves."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.config.ftl import LEVELS, IsolationConfig
from ssdsim.errors import ConfigError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.plane_allocation.policies import stripe
from ssdsim.ftl.plane_allocation.turns import RoundRobinPlaneAllocation

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


def units_of_streams(wanted: Any, streams: Any, count: int) -> list[list[int]]:
    """Return the numbers of the units of each stream, of `count` that there are, as `ftl.isolation` has it.

    Streams that it does not name have equal shares of the units that it does not name, in order; where there are fewer
    of these than such streams, some share one.
    """
    named = {number for numbers in wanted.units.values() for number in numbers}
    key = "ftl.isolation.units"
    for stream, numbers in wanted.units.items():
        if stream not in streams:
            raise ConfigError(f"{key}.{stream}: there is no such stream; they are {', '.join(streams)}.")
        if max(numbers) >= count:
            raise ConfigError(f"{key}.{stream}={numbers}: must be numbers of the {wanted.unit}s, 0 to {count - 1}.")
    others = [stream for stream in streams if stream not in wanted.units]
    left = [number for number in range(count) if number not in named]
    if others and not left:
        raise ConfigError(f"{key}: leaves no {wanted.unit} for {', '.join(others)}; name these, too, or fewer numbers.")
    bounds = [place * len(left) // len(others) for place in range(len(others) + 1)] if others else []
    shares = {
        stream: left[bounds[place] : max(bounds[place + 1], bounds[place] + 1)] for place, stream in enumerate(others)
    }
    return [wanted.units[stream] if stream in wanted.units else shares[stream] for stream in streams]


def planes_of_streams(wanted: Any, streams: Any, hardware: Any) -> list[list[int]]:
    """Return the planes of each stream, channel first, then way, die and plane; raise `ConfigError` as needed."""
    shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip, hardware.planes_per_die)
    level = LEVELS.index(wanted.unit)
    below = 1  # planes of a unit
    for size in shape[level + 1 :]:
        below *= size
    units = units_of_streams(wanted, streams, shape[level])
    return [
        [plane for plane in stripe("CWDP", hardware, 1) if plane // below % shape[level] in numbers]
        for numbers in units
    ]


class PlanesByStream(RoundRobinPlaneAllocation):
    """Each stream of the host writes to channels, chips, dies or planes of its own, plane by plane in turn.

    Of no paper in this form; channels and dies by tenant are those of FlashBlox (Huang et al., FAST 2017, 3.2 and 3.3).

    What no stream writes (a fill, or what a loss of power restores) goes to the planes of the stream whose namespace
    the page lies in, or to all planes if it lies in none of a single one. A write whose planes have no room waits in
    the line of its stream, but where these are full it goes to any plane that is not. A plane is full when it holds
    more than it would on a device full of data: collection would no longer get back to its threshold there.
    """

    wanted: Any  # `IsolationConfig`
    namespaces: list[Any]  # by stream, if there are any: first logical page, and pages
    super_page: int  # logical pages that go together
    blocks: Blocks
    most_valid: int  # pages of a unit that is not full
    own: Int64s  # planes of each line, one line after another, each in its turn
    # By line, of which the first is of what no stream writes:
    first: Int64s  # place in `own`
    count: Int64s  # of planes
    turns: Int64s
    # By stream:
    starts: Int64s  # the first logical page of its namespace
    ends: Int64s  # the page behind it, or its start where others have the same

    has_lines = True

    def __init__(self, wanted: Any = None, namespaces: Any = (), super_page: int = 1, most_valid: int = 0) -> None:
        self.wanted = IsolationConfig() if wanted is None else wanted
        self.namespaces = list(namespaces)
        self.super_page = super_page
        self.most_valid = most_valid

    def bind(self, hardware: HardwareConfig, frontier: WriteFrontier, mapping: PageMapping) -> None:
        """Divide the planes among the streams."""
        RoundRobinPlaneAllocation.bind(self, hardware, frontier, mapping)
        self.blocks = frontier.blocks
        lines = [list(self.stripe), *planes_of_streams(self.wanted, self.device.streams, hardware)]
        self.own = array("q", [plane for line in lines for plane in line])
        self.count = array("q", map(len, lines))
        self.first = array("q", [sum(self.count[:line]) for line in range(len(lines))])
        self.turns = array("q", [0] * len(lines))
        spaces = self.namespaces
        self.starts = array("q", [start for start, _ in spaces])
        self.ends = array("q", [start + (pages if spaces.count((start, pages)) == 1 else 0) for start, pages in spaces])

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the next plane with room of those of `stream`, or of all where these are full, or -1.

        Not all planes of a device are ever full.
        """
        line = self.share_of(lpa, stream)
        plane = self.next_in(line)
        return self.next_in(0) if plane < 0 and self.are_full(line) else plane

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the line of `stream`."""
        return self.share_of(lpa, stream)

    @cfunc
    def share_of(self, lpa: int, stream: int) -> int:
        """Return the line of `stream`, or of the one whose namespace `lpa` lies in, or 0."""
        if stream >= 0:
            return stream + 1
        for owner in range(len(self.starts)):
            if self.starts[owner] <= lpa < self.ends[owner]:
                return owner + 1
        return 0

    @cfunc
    def next_in(self, line: int) -> int:
        """Return the next plane of `line` that can take a write and is not full, or -1."""
        for _ in range(self.count[line]):
            turn = self.turns[line]
            self.turns[line] = turn + 1 if turn + 1 < self.count[line] else 0
            plane = self.own[self.first[line] + turn]
            if self.takes(plane) and not self.is_full(plane):
                return plane
        return -1

    @cfunc
    def takes(self, plane: int) -> bool:
        """Return whether a write may go to `plane` now."""
        return self.is_free(plane) and self.frontier.has_room(plane)

    @cfunc
    def are_full(self, line: int) -> bool:
        """Return whether all planes of `line` are full."""
        for place in range(self.first[line], self.first[line] + self.count[line]):
            if not self.is_full(self.own[place]):
                return False
        return True

    @cfunc
    def is_full(self, plane: int) -> bool:
        """Return whether `plane` holds more data than it can without loss to collection."""
        blocks = self.blocks
        unit = plane // blocks.span
        left = blocks.free_pages(unit) + blocks.dead_pages(unit)  # at least: not all dead pages are counted
        return blocks.pages // blocks.units - left > self.most_valid and blocks.valid_pages(unit) > self.most_valid


class StaticPlanesByStream(PlanesByStream):
    """Each stream has planes of its own, of which the logical page number says which (MQSim's streams with CWDP).

    Pages count from the start of the stream's namespace. A page whose plane is full goes on as by `PlanesByStream`.
    """

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the page's plane, or another where that is full, or -1."""
        plane = self.own_plane(lpa, stream)
        if self.is_full(plane):
            return PlanesByStream.plane_for(self, lpa, stream)
        return plane if self.takes(plane) else -1

    def line_of(self, lpa: int, stream: int) -> int:
        """Return the line of the page's plane."""
        return self.own_plane(lpa, stream)

    @cfunc
    def own_plane(self, lpa: int, stream: int) -> int:
        """Return the plane that `lpa` belongs to."""
        line = self.share_of(lpa, stream)
        start = self.starts[line - 1] if line and len(self.starts) else 0
        return self.own[self.first[line] + (lpa - start) // self.super_page % self.count[line]]
