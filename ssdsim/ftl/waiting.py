# cython: infer_types=True
"""Writes that wait: for room in a plane, for a die that is free, or behind an earlier one of their logical page."""

from __future__ import annotations

from collections import deque

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, TRIM
from ssdsim._core.table import IndexTable
from ssdsim.flash.port import Contents, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.plane_allocation.policies import PlaneAllocation
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.host.request import Request
from ssdsim.stage import WriteOwner


class WaitingWrites(WriteOwner):
    """Queues writes that cannot be placed now, has them placed when they can, and does trims in their order.

    For room they wait in their unit, or for whichever has some first; or in line for a die, where no plane is named for
    them now. Later writes and trims of a logical page stand in line behind the one that waits (`unplaced`).
    """

    transactions: Transactions
    scheduler: TransactionSchedulingUnit
    owner: int  # of the transactions
    blocks: Blocks
    span: int  # planes of a unit
    reads: ReadPath
    table: IndexTable  # where each logical page lies
    translation: MapAccess | None  # None where the whole mapping is in controller memory
    contents: Contents | None  # where integrity is checked or power may be lost
    frontier: WriteFrontier
    collector: Reclaimer
    plane_allocation: PlaneAllocation
    keeps_plane: bool  # a write has to go to the plane that it was allocated
    allocated: int  # the plane that the write at hand was allocated, or -1
    version: int  # of the last page write or trim admitted: they are numbered from 1
    writes_in_flight: int  # page writes admitted and not yet programmed
    flushes: list[tuple[int, Request]]  # those under way: the last version before each, and its request
    unplaced: dict[int, deque[int]]  # by LPA with a write not yet placed: what stands in line behind it
    waiting: list[deque[int]]  # by unit, and last for any: writes, or one of each row, that wait for room
    has_lines: bool  # a write that the plane allocation names no plane for waits in one of the `lines`
    lines: list[deque[int]]  # by `PlaneAllocation.line_of`: writes, or one of each row, that wait for a die

    observes = ("idle",)

    def __init__(self, reads: ReadPath, plane_allocation: PlaneAllocation, frontier: WriteFrontier) -> None:
        self.scheduler = reads.scheduler
        self.transactions = reads.transactions
        self.owner = self.transactions.add_owner(self)
        self.blocks = reads.scheduler.blocks
        self.span = self.blocks.span
        self.reads = reads
        self.table = reads.table
        self.translation = reads.translation
        self.contents = reads.contents
        self.plane_allocation = plane_allocation
        self.keeps_plane = plane_allocation.keeps_plane
        self.allocated = -1
        self.frontier = frontier
        self.collector = reads.collector
        self.version = self.writes_in_flight = 0
        self.flushes = []
        self.unplaced = {}
        self.waiting = [deque() for _ in range(self.blocks.units + 1)]
        self.has_lines = plane_allocation.at_dispatch or plane_allocation.has_lines
        self.lines = []

    # Room, or a die.

    @cfunc
    def wait_for_room(self, transaction: int) -> None:
        """Queue a write or row for a die, or for room in the plane it is allocated, or in any if another will do."""
        if self.has_lines:
            self.line_for(self.page_of(transaction), self.transactions.stream[transaction]).append(transaction)
            return
        is_bound = self.allocated >= 0 and self.keeps_plane
        self.waiting[self.allocated // self.span if is_bound else self.blocks.units].append(transaction)
        self.ask_for_room()

    @cfunc
    def ask_for_room(self) -> None:
        """Ask collection for room in the plane that the write at hand was allocated, or in all."""
        if self.allocated >= 0:
            self.collector.consider(self.allocated)
            return
        for unit in range(self.blocks.units):
            self.collector.consider(unit * self.span)

    @cfunc
    def line_for(self, lpa: int, stream: int) -> deque[int]:
        """Return the line that writes of `stream` for `lpa` wait in for a die."""
        number = self.plane_allocation.line_of(lpa, stream)
        while number >= len(self.lines):
            self.lines.append(deque())
        return self.lines[number]

    @cfunc
    def would_wait(self, lpa: int) -> bool:
        """Return whether a write of `lpa` would wait: for an earlier one that is not yet placed, or for its mapping."""
        return lpa in self.unplaced or (self.translation is not None and not self.translation.holds(lpa))

    def space_freed(self, unit: int) -> None:
        """Place pages of the mapping table that have waited for room in `unit`, and then writes, oldest first."""
        if self.translation is not None:
            self.translation.space_freed()
        self.place_first(self.waiting[unit], unit * self.span)
        self.place_first(self.waiting[self.blocks.units], unit * self.span)
        self.idle(-1)

    def idle(self, die: int) -> None:
        """Place the writes that wait in line for a die, as `die` looks for work, or as there is more room (-1)."""
        for line in self.lines:
            self.place_first(line, -1)

    @cfunc
    def place_first(self, line: deque[int], plane: int) -> None:
        """Place the first writes of a line, as far as it goes: in `plane`, or where they are allocated (-1)."""
        raise NotImplementedError

    @cfunc
    def page_of(self, transaction: int) -> int:
        """Return the logical page that room is looked for, of a write or row that would be placed now."""
        return self.transactions.lpa[transaction]

    def what_waits(self) -> list[str]:
        """Return a phrase for each line of writes, and what they wait for."""
        blocks, lines = self.blocks, {"a die that is free": sum(map(len, self.lines))}
        for unit, line in enumerate(self.waiting[: blocks.units]):
            room = f"{blocks.free_blocks(unit)} free blocks and {blocks.dead_pages(unit)} dead pages"
            lines[f"room in plane {unit * self.span}, which has {room}"] = len(line)
        lines["room in any plane"] = len(self.waiting[blocks.units])
        return [f"{count} writes wait for {place}" for place, count in lines.items() if count]

    # Trims and flushes.

    def trim(self, request: Request | None, lpa: int) -> None:
        """Forget `lpa`, after the writes of it that came before; for no request where no time passes."""
        self.version += 1
        stands_in_line: bool = lpa in self.unplaced
        is_known: bool = not stands_in_line and (self.translation is None or self.translation.knows(lpa, True))
        if request is None or is_known:
            self.unmap(lpa, self.version)
            if request is not None:
                request.part_done()
            return
        transaction = self.transactions.take(HOST, self.owner, TRIM, lpa, -1, 0)
        self.transactions.request[transaction] = request
        self.transactions.version[transaction] = self.version
        self.reads.trims[lpa] = self.version
        if stands_in_line:
            self.unplaced[lpa].append(transaction)
        else:
            self.unplaced[lpa] = deque()
            self.translation.fetch(transaction)

    @cfunc
    def end_trim(self, transaction: int) -> None:
        """Unmap the page of a trim that stood in line, and count that as done."""
        lpa = self.transactions.lpa[transaction]
        version = self.transactions.version[transaction]
        request: Request = self.transactions.request[transaction]
        request.mapping_ns = self.transactions.mapping_ns[transaction]
        if self.reads.trims[lpa] == version:  # else a newer one stands in line
            del self.reads.trims[lpa]
        self.unmap(lpa, version)
        self.transactions.give_back(transaction)
        request.part_done()

    @cfunc
    def unmap(self, lpa: int, version: int) -> None:
        """Map `lpa` to nothing, by the trim `version`."""
        before = self.table.swap(lpa, -1)
        if self.translation is not None:
            self.translation.changed(lpa, -1, True)
        if before >= 0:
            self.drop(before, False)
        if self.contents is not None:
            self.contents.unmap(lpa, version)
            self.contents.acknowledge(lpa, version)

    @cfunc
    def drop(self, ppa: int, stays: bool) -> None:
        """Invalidate the old page `ppa` of a logical page.

        Its plane may have to be collected now, unless the new data `stays` there: then that is seen to anyway.
        """
        self.blocks.invalidate(ppa)
        if not stays:
            self.collector.consider(self.blocks.plane_of(self.blocks.block_of(ppa)))

    def flush(self, request: Request) -> None:
        """Complete the flush `request` when every page write admitted before it is programmed."""
        request.remaining = self.writes_in_flight
        if request.remaining:
            self.flushes.append((self.version, request))
        else:
            request.owner.completed(request)

    @cfunc
    def count_for_flushes(self, version: int) -> None:
        """Count a page write as done for the flushes that were admitted after it."""
        for flush in list(self.flushes):
            request: Request = flush[1]
            if version <= flush[0]:
                if request.remaining == 1:
                    self.flushes.remove(flush)
                request.part_done()
