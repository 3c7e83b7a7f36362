# cython: infer_types=True
"""What becomes of a wordline whose other pages do not come: it is padded, and programmed."""

from __future__ import annotations

from functools import partial
from typing import Any, final

from ssdsim._core.blocks import ACTIVE, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC, HOST, MAPPING, PROGRAM
from ssdsim._core.either_kernel import call_later
from ssdsim.flash.port import InstantFlash, OneShotWordlines, Transactions
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.reclaim.interface import Collection
from ssdsim.ftl.writes import WritePath
from ssdsim.stage import TransactionOwner

WAIT_NS = 5_000_000
"""How long a wordline waits for pages at most: 5 ms, ours."""


@final
class WordlinePadding(TransactionOwner):
    """Pads wordlines that are begun, along with those of aligned blocks where rows are written as a whole; it is ours.

    - One with a page of the host's, or of the mapping table, is padded `WAIT_NS` after the first of these came, and at
      a flush if one is the host's. While a collection has no more than the reserve, that waits for its last place.
    - Moved pages wait for others until the last page of their collection has its place. So it loses less than a
      wordline for each kind of data, and a victim still finds room (`RESERVED_BLOCKS`).
    """

    blocks: Blocks
    frontier: WriteFrontier
    wordlines: OneShotWordlines
    writes: WritePath
    transactions: Transactions
    env: Any
    owner: int  # of the transactions
    row: int  # pages of a wordline, or of one of each plane where rows are written as a whole
    overdue: set[int]  # blocks with a wordline that is to be padded when a collection has its places

    def __init__(self, wordlines: OneShotWordlines, writes: WritePath) -> None:
        self.wordlines = wordlines
        self.writes = writes
        self.frontier = writes.frontier
        self.blocks = writes.blocks
        self.transactions = writes.transactions
        self.row = wordlines.pages * (self.frontier.span if self.frontier.by_rows else 1)
        if not self.frontier.by_rows:
            self.blocks.stripe = wordlines.pages
        self.owner = self.transactions.add_owner(self)
        self.overdue = set()
        self.env = None
        wordlines.listener = self

    def connect(self, env: Any, instant: InstantFlash) -> None:
        """Receive the clock, and pad what was begun without one."""
        self.env = env
        for aligned in range(self.blocks.units * self.blocks.blocks_per_plane):
            first = self.blocks.member(aligned, 0)
            if self.blocks.state(first) == ACTIVE and not self.blocks.slc(first):
                while self.blocks.written_in(aligned) % self.row:
                    instant.program(GC, self.hand_out(aligned))

    # When.

    def awaits(self, transaction: int) -> None:
        """Pad the wordline of a program, which is not moved data, after a while; padding is not waited for."""
        if self.transactions.owner[transaction] != self.owner:
            wordline = self.wordlines.wordline_of(self.transactions.ppa[transaction])
            call_later(self.env, WAIT_NS, partial(self.pad_due, self.transactions.block[transaction], wordline))

    def pad_due(self, block: int, wordline: int, event: Any) -> None:
        """Pad a wordline of `block` if it is still begun."""
        for first in self.wordlines.waiting_in(block)[:1]:
            if self.wordlines.wordline_of(self.transactions.ppa[first]) == wordline:
                self.call_for(block)

    @cfunc
    def call_for(self, block: int) -> None:
        """Pad the wordline begun in `block`, now or when what is being moved there has its places."""
        if self.may_pad(block):
            self.complete(block)
        else:
            self.overdue.add(block)

    @cfunc
    def may_pad(self, block: int) -> bool:
        """Return whether padding leaves what is being moved in the unit of `block` room enough."""
        collector = self.writes.collector
        collection: Collection = collector.units[self.blocks.plane_of(block) // collector.width]
        return self.blocks.free_blocks(self.blocks.unit_of(block)) > self.frontier.reserved or collection.is_placed()

    def flush(self) -> None:
        """Pad the wordlines that pages of the host's wait in."""
        owner = self.transactions.owner
        for block in self.wordlines.blocks_waiting():
            pages = self.wordlines.waiting_in(block)
            if [page for page in pages if self.transactions.is_of_host(page) and owner[page] != self.owner]:
                self.call_for(block)

    @cfunc
    def complete_moved(self, owner: int) -> None:
        """Pad the wordlines that pages of a collection wait in, and those that were due in its midst."""
        moved = self.blocks_of(owner)
        for block in self.wordlines.blocks_waiting():
            if block in moved or (block in self.overdue and self.may_pad(block)):
                self.complete(block)

    @cfunc
    def blocks_of(self, owner: int) -> list[int]:
        """Return the block of each page of a collection that waits for the rest of its wordline."""
        lines, owners = self.wordlines, self.transactions.owner
        return [block for block in lines.begun for page in lines.waiting_in(block) if owners[page] == owner]

    # Padding.

    def complete(self, block: int) -> None:
        """Pad `block` until all that waits there can be programmed, and wordlines begun in those aligned with it."""
        transactions = self.transactions
        self.overdue.discard(block)
        pages = [page for page in self.wordlines.waiting_in(block) if transactions.owner[page] != self.owner]
        source: int = transactions.source[pages[0]] if pages else -1
        aligned = self.blocks.aligned_of(block)
        while source >= 0 and self.blocks.written_in(aligned) % self.row:
            ppa = self.hand_out(aligned)
            transaction = transactions.take(source, self.owner, PROGRAM, -1, ppa, self.writes.page_bytes)
            if source == MAPPING:
                self.writes.translation.padded_pages += 1
            elif source == HOST:
                self.writes.padded_pages += 1
                if self.frontier.cache is not None:
                    self.frontier.cache.bypassed_pages += 1
            else:
                self.writes.collector.padded_pages += 1
            self.writes.scheduler.submit(transaction)

    def hand_out(self, aligned: int) -> int:
        """Hand out the next page of partly written (aligned) blocks to nothing, and return it."""
        first = self.blocks.member(aligned, 0)
        unit, kind = self.blocks.unit_of(first), 0
        while kind < self.frontier.kinds and self.frontier.behind.block_for(unit, kind) != aligned:
            kind += 1
        ppa = self.frontier.allocate(self.blocks.plane_of(first), kind, -1, 0)
        self.blocks.invalidate(ppa)
        return ppa

    def done(self, transaction: int) -> None:
        """Forget padding that has been programmed, and have a block collected that it may have filled."""
        plane = self.transactions.plane[transaction]
        self.transactions.give_back(transaction)
        self.writes.collector.reconsider(plane)
