# cython: infer_types=True
"""Where there is room for a write, and which writes wait for it."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.errors import SimulationError
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.stage import WriteOwner


class WriteRoom(WriteOwner):
    """Finds the plane of a write or row, and keeps the writes that wait for room or for a die, oldest first.

    With `at_dispatch` the plane allocation names no plane while no die is free. A write then waits in one of the
    `lines` for a die, whatever it is that it waits for: one line for all writes that the same dies come into question
    for. A die that looks for work (`ssdsim.flash.observer`) or space that is freed has the lines looked through again.
    """

    keeps_plane: bool  # a write has to go to the plane that it was allocated
    span: int  # planes of a unit
    waiting: list[deque[Any]]  # by unit, and last for any: writes or rows that wait for room
    at_dispatch: bool  # a write waits until a die is free for it
    lines: list[deque[Any]]  # by `PlaneAllocation.line_of`: writes or rows that wait for a die

    observes = ("idle",)

    def __init__(
        self,
        blocks: Blocks,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
        collector: Reclaimer,
        at_dispatch: bool,
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

    # What a write or row is.

    @cfunc
    def page_of(self, waiting: Any) -> int:
        """Return the logical page that room is looked for, of a write or row that would be placed now."""
        raise NotImplementedError

    @cfunc
    def stream_of(self, waiting: Any) -> int:
        """Return the stream of a write or row, -1 for none."""
        raise NotImplementedError

    @cfunc
    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a write or row that has waited for room in `plane`, which has some by now."""
        raise NotImplementedError

    @cfunc
    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a write or row that has waited for a die in `plane`, which has room."""
        raise NotImplementedError

    # The plane of a write.

    @cfunc
    def plane_for(self, lpa: int, stream: int) -> int:
        """Return the plane that the plane allocation names for `lpa`, or -1 if its write is to wait for a die.

        Raise `SimulationError` if there is no such plane.
        """
        if self.at_dispatch and self.line_for(lpa, stream):
            return -1
        return self.named_plane(lpa, stream)

    @cfunc
    def named_plane(self, lpa: int, stream: int) -> int:
        """Return the plane that the plane allocation names, or -1; raise as `plane_for`."""
        plane = self.plane_allocation.plane_for(lpa, stream)
        if plane >= self.blocks.planes:
            raise SimulationError(f"the plane allocation chose plane {plane} of {self.blocks.planes}.")
        return plane

    @cfunc
    def plane_with_room(self, plane: int, lpa: int) -> int:
        """Return `plane` if it has room for `lpa`, or one that is collected with it and may stand in, or -1."""
        if not self.frontier.has_room(plane):
            return self.collector.stand_in(plane)
        return -1 if self.collector.must_wait(plane, lpa) else plane

    @cfunc
    def free_plane(self, plane: int, lpa: int) -> int:
        """Return the plane that `lpa` can be written to now, if no write before it waits for room there, or -1."""
        if plane < 0 or self.waiting[plane // self.span]:
            return -1
        return self.plane_with_room(plane, lpa)

    @cfunc
    def plane_after_collection(self, plane: int, lpa: int, stream: int) -> int:
        """Return a plane with room for `lpa` where no time passes, and collection makes room at once in `plane`.

        What a fill left free may have gone to pages of the mapping table.
        """
        self.ask_for_room(plane)
        plane = self.plane_for(lpa, stream) if plane < 0 else plane
        target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
        if target < 0:
            raise SimulationError(f"logical page {lpa}: no plane that it may go to has room, nor anything to collect.")
        return target

    # Waiting.

    @cfunc
    def wait_for_room(self, write: Any, plane: int) -> None:
        """Queue a write or row for a die, or for room in `plane`, or in any if that is -1 or another one will do."""
        if self.at_dispatch:
            self.line_for(self.page_of(write), self.stream_of(write)).append(write)
            return
        is_bound = plane >= 0 and self.keeps_plane
        self.waiting[plane // self.span if is_bound else self.blocks.units].append(write)
        self.ask_for_room(plane)

    @cfunc
    def ask_for_room(self, plane: int) -> None:
        """Ask collection for room in `plane`, or in all planes if that is -1."""
        if plane >= 0:
            self.collector.consider(plane)
            return
        for unit in range(self.blocks.units):
            self.collector.consider(unit * self.span)

    def space_freed(self, unit: int) -> None:
        """Place the writes that have waited for room in `unit`, oldest first, as far as it goes."""
        plane = unit * self.span
        for line in (self.waiting[unit], self.waiting[self.blocks.units]):
            while line:
                target = self.plane_with_room(plane, self.page_of(line[0]))
                if target < 0:
                    break
                self.place_waiting(line.popleft(), target)
        self.dispatch_lines()

    @cfunc
    def line_for(self, lpa: int, stream: int) -> deque[Any]:
        """Return the line that writes of `stream` for `lpa` wait in for a die."""
        number = self.plane_allocation.line_of(lpa, stream)
        while number >= len(self.lines):
            self.lines.append(deque())
        return self.lines[number]

    def idle(self, die: int) -> None:
        """Look through the lines again, as `die` looks for work."""
        self.dispatch_lines()

    @cfunc
    def dispatch_lines(self) -> None:
        """Place the writes that wait in line for a die, oldest first, as far as it goes."""
        for line in self.lines:
            while line:
                lpa = self.page_of(line[0])
                plane = self.named_plane(lpa, self.stream_of(line[0]))
                target = -1 if plane < 0 else self.plane_with_room(plane, lpa)
                if target < 0:
                    break
                self.dispatch(line.popleft(), target)

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
