# cython: infer_types=True
"""Where there is room for a write, and who waits for it."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.plane_allocation.interface import PlaneAllocation
from ssdsim.ftl.reclaim.interface import Reclaimer


class Placer:
    """What places writes, one by one or by the row, and has them wait for room in a `WriteRoom`."""

    def page_of(self, waiting: Any) -> int:
        """Return the logical page that room is looked for, of a write or row that would be placed now."""
        raise NotImplementedError

    def stream_of(self, waiting: Any) -> int:
        """Return the stream of a write or row, -1 for none."""
        raise NotImplementedError

    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write or row that has waited in `plane`, which has room for it."""
        raise NotImplementedError

    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a write or row that has waited in line for a die in `plane`, which has room for it."""
        raise NotImplementedError


@final
class WriteRoom:
    """Finds the plane of a write, and keeps in line, by unit, what has to wait for room there.

    Is given the plane allocation, which names a plane, the frontier, which has room there or not, and the collector,
    which may hold writes back, and is told of those that wait. What waits, and what it is placed by, is up to the
    `placer`. Who waited longest is placed first, as soon as there is room; `waiting` has a line for each unit, and
    behind them one of those that may go anywhere.

    With `at_dispatch` the plane allocation names no plane while no die is free, and a write waits in one of `lines`, of
    those for which the same dies come into question, whatever it is that it waits for. Each is gone on with, oldest
    first, when a die looks for work, which it is told of by the flash (`ssdsim.flash.observer`), or when there is room.
    """

    keeps_plane: bool  # a write has to go to the plane that it was allocated
    span: int  # planes of a unit
    waiting: list[deque[Any]]  # by unit, and last for any: what waits for room, oldest first
    at_dispatch: bool  # a write waits until a die is free for it
    lines: list[deque[Any]]  # by what the plane allocation tells apart: what waits for that, oldest first
    placer: Placer

    observes = ("idle",)

    def __init__(
        self,
        blocks: Blocks,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
        collector: Reclaimer,
        at_dispatch: bool = False,
    ) -> None:
        self.blocks = blocks
        self.plane_allocation = plane_allocation
        self.keeps_plane = plane_allocation.keeps_plane
        self.frontier = frontier
        self.collector = collector
        self.span = blocks.span
        self.waiting = [deque() for _ in range(blocks.units + 1)]
        self.at_dispatch = at_dispatch
        self.lines = []
        self.placer = None

    def what_waits(self) -> list[str]:
        """Return a phrase for each unit that writes wait for, and why they do."""
        blocks, phrases = self.blocks, []
        for unit, queue in enumerate(self.waiting):
            if queue and unit < blocks.units:
                phrases.append(
                    f"{len(queue)} writes wait for room in plane {unit * blocks.span}, which has "
                    f"{blocks.free_blocks(unit)} free blocks and {blocks.dead_pages(unit)} dead pages"
                )
            elif queue:
                phrases.append(f"{len(queue)} writes wait for room in any plane")
        if in_line := sum(map(len, self.lines)):
            phrases.append(f"{in_line} writes wait for a die that is free and has room")
        return phrases

    def bind(self, placer: Placer) -> None:
        """Receive the placer of waiting writes, which asks here for room (a circle)."""
        self.placer = placer

    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane that data of `stream` for `lpa` is to be written to, or -1 if it waits; raise as `ask`."""
        if self.at_dispatch and self.line_for(lpa, stream):
            return -1
        return self.ask(lpa, stream)

    def ask(self, lpa: int, stream: int) -> int:
        """Return the plane that the plane allocation names for `lpa`, or -1; raise `SimulationError` for another."""
        plane = self.plane_allocation.plane_for(lpa, stream)
        if plane >= self.blocks.planes:
            raise SimulationError(f"the plane allocation chose plane {plane} of {self.blocks.planes}.")
        return plane

    def plane_with_room(self, plane: int, lpa: int) -> int:
        """Return `plane` if it has room for `lpa`, or one that is collected with it and may stand in, or -1."""
        if not self.frontier.has_room(plane):
            return self.collector.stand_in(plane)
        return -1 if self.collector.must_wait(plane, lpa) else plane

    def find(self, write: Any, plane: int) -> int:
        """Return where a write or row that is to go to `plane` can be placed, or -1 if it is to `wait`."""
        if plane < 0 or self.waiting[plane // self.span]:
            return -1
        return self.plane_with_room(plane, self.placer.page_of(write))

    def wait(self, write: Any, plane: int) -> None:
        """Have a write or row wait for a die, or for room in `plane`, or in any if that is -1 or need not be."""
        if self.at_dispatch:
            self.line_for(self.placer.page_of(write), self.placer.stream_of(write)).append(write)
            return
        bound = plane >= 0 and self.keeps_plane
        self.waiting[plane // self.span if bound else self.blocks.units].append(write)
        self.ask_for_room(plane)

    @cfunc
    def ask_for_room(self, plane: int) -> None:
        """Have collection see whether there is room to be won in `plane`, or in all planes if that is -1."""
        if plane >= 0:
            self.collector.consider(plane)
            return
        for unit in range(self.blocks.units):
            self.collector.consider(unit * self.span)

    def space_freed(self, unit: int) -> None:
        """Have placed what has waited for room in `unit`, oldest first, as far as it goes."""
        plane = unit * self.span
        for line in (self.waiting[unit], self.waiting[self.blocks.units]):
            while line:
                target = self.plane_with_room(plane, self.placer.page_of(line[0]))
                if target < 0:
                    break
                self.placer.place_waiting(line.popleft(), target)
        self.go_on()

    @cfunc
    def line_for(self, lpa: int, stream: int) -> deque[Any]:
        """Return the line that writes of `stream` for `lpa` wait in for a die."""
        number = self.plane_allocation.line_of(lpa, stream)
        while number >= len(self.lines):
            self.lines.append(deque())
        return self.lines[number]

    def idle(self, die: int) -> None:
        """Have placed what waits in line for a die, as `die` looks for work."""
        self.go_on()

    def go_on(self) -> None:
        """Have placed what waits in line for a die, oldest first, as far as it goes."""
        for line in self.lines:
            while line:
                lpa = self.placer.page_of(line[0])
                plane = self.ask(lpa, self.placer.stream_of(line[0]))
                target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
                if target < 0:
                    break
                self.placer.dispatch(line.popleft(), target)

    def now(self, lpa: int, stream: int) -> int:
        """Return the plane that `lpa` is written to where no time passes, and collection makes room at once."""
        plane = self.plane_for(lpa, stream)
        target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
        if target < 0:  # what a fill left free may have gone to pages of the mapping table
            self.ask_for_room(plane)
            plane = self.plane_for(lpa, stream) if plane < 0 else plane
            target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
        if target < 0:
            raise SimulationError(f"logical page {lpa}: no plane that it may go to has room, nor anything to collect.")
        return target
