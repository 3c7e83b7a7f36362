# cython: infer_types=True
"""What becomes of a wordline whose other pages do not come: it is padded, and programmed."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC, HOST, MAPPING, PROGRAM
from ssdsim._core.inlined import now
from ssdsim._core.kernel import call_later
from ssdsim.flash.port import InstantFlash, OneShotWordlines, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.access import TableCounts
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.writes import WritePath
from ssdsim.stage import TransactionOwner

WAIT_NS = 5_000_000
"""How long a wordline waits for pages at most: 5 ms, ours."""


@final
class WordlinePadding(TransactionOwner):
    """Has wordlines padded that have been begun, and those of aligned blocks where rows are written as a whole.

    Else aligned blocks are filled wordline by wordline, each in the next plane (`Blocks.stripe`).

    - A wordline with a page of the host's, or of the mapping table, is padded `WAIT_NS` after the first of these came.
    - A flush pads at once what the host's pages wait in.
    - Pages that are moved wait for others; when the last page of a collection has its place, all that its pages wait in
      is padded. So it loses less than a wordline for each kind of data, and a victim still finds room
      (`RESERVED_BLOCKS`).
    - Where the time is over in the midst of a collection that has no more than the reserve, in a block that moved data
      goes to, that wordline is padded when the collection has all of its places.

    Before there is a clock pages are programmed one by one, and wordlines begun are padded when it is connected. All of
    this is ours: of drives it is not published.
    """

    blocks: Blocks
    frontier: WriteFrontier
    wordlines: OneShotWordlines
    writes: WritePath
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    collector: Any
    table_counts: TableCounts | None  # of pages of the mapping table, where it is in flash
    env: Any
    owner: int  # of the transactions
    page_bytes: int
    row: int  # pages of a wordline, or of one of each plane where rows are written as a whole
    due: deque[tuple[int, int, int]]  # by time: when a wordline is to be padded, its block and its number
    overdue: set[int]  # blocks with a wordline that is to be padded when a collection has its places
    is_armed: bool

    def __init__(
        self,
        wordlines: OneShotWordlines,
        frontier: WriteFrontier,
        writes: WritePath,
        collector: Any,
        table_counts: TableCounts | None,
        page_bytes: int,
    ) -> None:
        self.wordlines = wordlines
        self.frontier = frontier
        self.blocks = frontier.blocks
        self.collector = collector
        self.writes = writes
        self.scheduler = writes.scheduler
        self.transactions = writes.transactions
        self.table_counts = table_counts
        self.page_bytes = page_bytes
        self.row = wordlines.pages * (frontier.span if frontier.by_rows else 1)
        if not frontier.by_rows:
            self.blocks.stripe = wordlines.pages
        self.owner = self.transactions.add_owner(self)
        self.due = deque()
        self.overdue = set()
        self.is_armed = False
        self.env = None
        wordlines.listener = self

    def connect(self, env: Any, instant: InstantFlash) -> None:
        """Receive the clock, and pad what was begun without one."""
        self.env = env
        aligned: int
        for aligned in sorted({self.blocks.aligned_of(block) for block in self.frontier.open_blocks()}):
            while not self.blocks.slc(self.blocks.member(aligned, 0)) and self.is_begun(aligned):
                ppa = self.frontier.pad(aligned)
                self.blocks.invalidate(ppa)
                instant.program(GC, ppa)

    def is_begun(self, aligned: int) -> bool:
        """Return whether a wordline of (aligned) blocks is begun."""
        return self.blocks.written_in(aligned) % self.row != 0

    # When.

    def awaits(self, transaction: int) -> None:
        """Pad the wordline of a program, which is not moved data, after a while; padding is not waited for."""
        if self.transactions.owner[transaction] == self.owner:
            return
        wordline = self.wordlines.wordline_of(self.transactions.ppa[transaction])
        self.due.append((now(self.env) + WAIT_NS, self.transactions.block[transaction], wordline))
        self.arm()

    def arm(self) -> None:
        """Be called when the first wordline is due."""
        if self.due and not self.is_armed:
            self.is_armed = True
            call_later(self.env, self.due[0][0] - now(self.env), self.pad_due)

    def pad_due(self, event: Any) -> None:
        """Pad the wordlines that are due, and still begun."""
        self.is_armed = False
        while self.due and self.due[0][0] <= now(self.env):
            _, block, wordline = self.due.popleft()
            if self.waits(block, wordline):
                self.call_for(block)
        self.arm()

    @cfunc
    def call_for(self, block: int) -> None:
        """Pad the wordline begun in `block`, now or when what is being moved there has its places."""
        if self.may_pad(block):
            self.complete(block)
        else:
            self.overdue.add(block)

    def waits(self, block: int, wordline: int) -> bool:
        """Return whether a wordline of a block is the last that programs wait in which are not of moved data.

        If programs came behind those of a wordline that is due, they are due later, and more may come.
        """
        last = -1
        transaction: int
        for transaction in self.wordlines.waiting_in(block):
            if self.transactions.source[transaction] != GC and self.transactions.owner[transaction] != self.owner:
                last = self.wordlines.wordline_of(self.transactions.ppa[transaction])
        return last == wordline

    @cfunc
    def may_pad(self, block: int) -> bool:
        """Return whether padding leaves what is being moved in the unit of `block` room enough."""
        unit = self.blocks.unit_of(block)
        aligned = self.blocks.aligned_of(block)
        if self.blocks.free_blocks(unit) > self.frontier.reserved or not self.frontier.takes_moves(aligned):
            return True
        for collection in self.collector.tasks:
            for place in range(collection.victim_count):
                is_here: bool = self.blocks.unit_of(collection.victims[place]) == unit
                if is_here and not collection.is_placed():
                    return False
        return True

    def flush(self) -> None:
        """Pad the wordlines that pages of the host's wait in."""
        for block in self.wordlines.blocks_waiting():
            if self.has_host(block):
                self.call_for(block)

    @cfunc
    def has_host(self, block: int) -> bool:
        """Return whether a page of the host's waits in `block`."""
        transaction: int
        for transaction in self.wordlines.waiting_in(block):
            if self.transactions.is_of_host(transaction) and self.transactions.owner[transaction] != self.owner:
                return True
        return False

    @cfunc
    def complete_moved(self, owner: int, task: int) -> None:
        """Pad the wordlines that pages of a collection wait in, and those that were due in its midst."""
        for block in self.wordlines.blocks_waiting():
            line: list[int] = self.wordlines.waiting_in(block)  # empty if padded with another one of its unit
            if self.has_moved(line, owner, task) or (block in self.overdue and self.may_pad(block)):
                self.complete(block)

    @cfunc
    def pages_waiting(self, owner: int, task: int) -> int:
        """Return how many pages of a collection wait for the rest of wordlines."""
        count = 0
        transaction: int
        for block in self.wordlines.blocks_waiting():
            line: list[int] = self.wordlines.waiting_in(block)
            for transaction in line:
                is_moved: bool = self.transactions.owner[transaction] == owner
                count += is_moved and self.transactions.task[transaction] == task
        return count

    @cfunc
    def has_moved(self, line: list[int], owner: int, task: int) -> bool:
        """Return whether a page of a collection waits among the programs of a wordline."""
        transaction: int
        for transaction in line:
            if self.transactions.owner[transaction] == owner and self.transactions.task[transaction] == task:
                return True
        return False

    # Padding.

    def complete(self, block: int) -> None:
        """Pad `block` until all that waits there can be programmed, and wordlines begun in those aligned with it."""
        transactions = self.transactions
        self.overdue.discard(block)
        source = -1
        page: int
        for page in self.wordlines.waiting_in(block):
            if source < 0 and transactions.owner[page] != self.owner:
                source = transactions.source[page]
        aligned = self.blocks.aligned_of(block)
        while source >= 0 and self.is_begun(aligned):
            ppa = self.frontier.pad(aligned)
            self.blocks.invalidate(ppa)
            transaction = transactions.take(source, self.owner, -1)
            transactions.op[transaction] = PROGRAM
            transactions.ppa[transaction] = ppa
            transactions.bytes[transaction] = self.page_bytes
            if source == MAPPING:
                self.table_counts.padded_pages += 1
            elif source == HOST:
                self.writes.padded_pages += 1
                if self.frontier.cache is not None:
                    self.frontier.cache.bypassed_pages += 1
            else:
                self.collector.padded_pages += 1
            self.scheduler.submit(transaction)

    def done(self, transaction: int) -> None:
        """Forget padding that has been programmed, and have a block collected that it may have filled."""
        plane = self.transactions.plane[transaction]
        self.transactions.give_back(transaction)
        reclaimer: Reclaimer = self.collector
        reclaimer.reconsider(plane)
