# cython: infer_types=True
"""Where there is room for a write, which page it is given there, and which writes wait for room."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM
from ssdsim._core.inlined import now
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, PageData, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.hotness import Hotness
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.partial import PartialPages
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.sources import PageSources
from ssdsim.host.request import Request
from ssdsim.stage import WriteOwner


class WriteRoom(WriteOwner):
    """Finds the plane of a write or row, gives it its page, and keeps those that wait for room or a die, oldest first.

    With `at_dispatch` the plane allocation names no plane while no die is free. A write then waits in one of the
    `lines` for a die, whatever it is that it waits for: one line for all writes that the same dies come into question
    for. A die that looks for work (`ssdsim.flash.observer`) or space that is freed has the lines looked through again.
    """

    blocks: Blocks
    keeps_plane: bool  # a write has to go to the plane that it was allocated
    span: int  # planes of a unit
    waiting: list[deque[Any]]  # by unit, and last for any: writes or rows that wait for room
    at_dispatch: bool  # a write waits until a die is free for it
    lines: list[deque[Any]]  # by `PlaneAllocation.line_of`: writes or rows that wait for a die
    reads: ReadPath
    mapping: PageMapping
    translation: MapAccess | None  # None where the whole mapping is in controller memory
    partial: PartialPages
    sources: PageSources
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    page_types: PageTypeSpecifier | None  # None where page types are not specified
    hotness: Hotness | None  # None where hot and cold data are not told apart
    contents: Contents | None  # where integrity is checked or power may be lost
    data: PageData | None  # of all pages, where integrity is checked
    specified: int  # page writes with a type specified
    as_specified: int  # page writes that got the type specified
    filled_pages: int  # pages written along with others as they were
    padded_pages: int  # pages written along with others with nothing

    observes = ("idle",)

    def __init__(
        self,
        reads: ReadPath,
        page_types: PageTypeSpecifier | None,
        plane_allocation: PlaneAllocation,
        frontier: WriteFrontier,
        collector: Reclaimer,
        at_dispatch: bool,
    ) -> None:
        self.reads = reads
        self.mapping = reads.mapping
        self.translation = reads.translation
        self.partial = reads.partial
        self.sources = reads.sources
        self.contents = reads.contents
        self.data = reads.data
        self.scheduler = reads.scheduler
        self.transactions = reads.transactions
        self.blocks = reads.scheduler.blocks
        self.page_types = page_types
        self.plane_allocation = plane_allocation
        self.keeps_plane = plane_allocation.keeps_plane
        self.frontier = frontier
        self.hotness = frontier.separation.hotness
        self.collector = collector
        self.span = self.blocks.span
        self.waiting = [deque() for _ in range(self.blocks.units + 1)]
        self.at_dispatch = at_dispatch
        self.lines = []
        self.host_page_writes = self.specified = self.as_specified = 0
        self.filled_pages = self.padded_pages = 0

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

    # Its page.

    @cfunc
    def give_page(self, transaction: int, plane: int, kind: int) -> None:
        """Give a write of a `kind` of data the next page of `plane`, map it there, and issue its program.

        Collection is called for after that, or before where it `starts_before_write`. It never is before where the page
        waits for others of its wordline, as a collection may have these padded.
        """
        transactions = self.transactions
        lpa = transactions.lpa[transaction]
        request: Request = transactions.request[transaction]
        wanted = transactions.page_type[transaction] if request is None else request.page_type
        if wanted < 0 and request is not None:
            wanted = self.type_by_page(request, kind, plane)
        ppa = self.frontier.allocate(plane, kind, lpa, wanted)
        transactions.kind[transaction] = kind
        if request is None:
            self.filled_pages += 1
        elif self.count_written(request, wanted):
            transactions.specified_type[transaction] = wanted
        if self.contents is not None:
            version = transactions.version[transaction] if request is not None else self.reads.held(lpa)
            self.contents.put(ppa, lpa, version)
        before = self.mapping.update(lpa, ppa) if self.translation is None else self.translation.map(lpa, ppa)
        if before >= 0:
            transactions.before[transaction] = before
            self.blocks.add_reader(self.blocks.block_of(before))
            if self.hotness is not None:
                self.hotness.updated(lpa, now(self.scheduler.env))
        if self.collector.starts_before_write and self.scheduler.wordlines is None:
            self.drop(before, plane)
            self.program(transaction, ppa)
        else:
            self.program(transaction, ppa)
            self.drop(before, plane)

    @cfunc
    def type_by_page(self, request: Request, kind: int, plane: int) -> int:
        """Return the type wanted for a page in `plane`; a scheme that decides by the page is asked once a row."""
        wanted = self.frontier.row_type(plane // self.span, kind)
        return self.page_types.of_page(request, plane) if wanted < 0 else wanted

    @cfunc
    def count_written(self, request: Request, wanted: int) -> bool:
        """Count the page that was handed out last, to a write of the host's; return whether its type was specified."""
        self.host_page_writes += 1
        page_type = self.blocks.given_type
        if page_type > request.slowest_type:
            request.slowest_type = page_type
        if self.page_types is None:
            return False
        self.specified += 1
        self.as_specified += page_type == wanted
        return True

    @cfunc
    def program(self, transaction: int, ppa: int) -> None:
        """Issue the program of a page."""
        transactions = self.transactions
        transactions.op[transaction] = PROGRAM
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.partial.page_bytes
        if self.partial.matters:
            request: Request = transactions.request[transaction]
            lpa = transactions.lpa[transaction]
            transactions.bytes[transaction] = self.partial.keep(request, lpa, transactions.before[transaction])
        self.scheduler.submit(transaction)

    @cfunc
    def drop(self, ppa: int, written_plane: int) -> None:
        """Invalidate the old page `ppa` of a logical page, if it had one, and see whether collection is now wanted.

        `written_plane` is where its new data went, or -1.
        """
        if self.translation is not None:
            self.translation.settle()
        if ppa >= 0:
            self.blocks.invalidate(ppa)
            if written_plane < 0 or not self.keeps_plane:
                self.collector.consider(self.blocks.plane_of(self.blocks.block_of(ppa)))
        if written_plane >= 0:
            self.collector.consider(written_plane)

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
        """Place pages of the mapping table that have waited for room in `unit`, and then writes, oldest first."""
        if self.translation is not None:
            self.translation.space_freed(unit)
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
                plane = self.plane_for(lpa, self.stream_of(line[0]))
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
