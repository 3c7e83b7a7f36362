# cython: infer_types=True
"""One-shot programs: pages wait until all of their wordline are there, and are programmed at once."""

from __future__ import annotations

from array import array
from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC
from ssdsim._core.columns import Int64s
from ssdsim.flash.transactions import Transactions
from ssdsim.stage import TransactionOwner


class OneShotWordlines(TransactionOwner):
    """Joins the programs of each wordline to one command: the array is held once, when the data of all has crossed.

    A program waits here, in controller memory, and in no queue, until those of all other pages of its wordline have
    come, in the order of pages. They are partners from then on, as pages of a multi-plane command are, and stand in the
    queue of the first. `listener` is told of the first program of each wordline that is not one of collection, to have
    it filled up if the rest does not come (`ssdsim.ftl.padding`). Blocks in SLC mode have one page a wordline, and none
    waits.

    Source: Samsung's program of all three bits in one sequence (Im et al., "A 128Gb 3b/cell V-NAND Flash Memory with
    1Gb/s I/O rate", ISSCC 2015, 7.2).
    """

    transactions: Transactions
    pages: int  # of a wordline
    begun: dict[int, Any]  # blocks with a wordline that waits for the rest, in the order in which they came to wait
    first: Int64s  # by block: the first program that waits there, the next being its partner, or 0
    last: Int64s  # by block
    listener: Any

    def __init__(self, transactions: Transactions, pages: Any, blocks: int) -> None:
        self.transactions = transactions
        self.pages = int(pages)
        self.begun = {}
        self.first = array("q", bytes(8 * blocks))
        self.last = array("q", bytes(8 * blocks))
        self.listener = None

    def add(self, transaction: int) -> int:
        """Take over the program of a page; return the first of its wordline if that is complete, else 0."""
        transactions = self.transactions
        block = transactions.block[transaction]
        if transactions.source[transaction] != GC and not self.is_awaited(block):
            self.listener.awaits(transaction)
        first = self.first[block]
        if first:
            transactions.partner[self.last[block]] = transaction
        else:
            self.begun[block] = None
            first = self.first[block] = transaction
        self.last[block] = transaction
        if (transactions.page[transaction] + 1) % self.pages:
            return 0
        del self.begun[block]
        self.first[block] = 0
        return first

    @cfunc
    def is_awaited(self, block: int) -> bool:
        """Return whether one of the programs that wait in `block` is not of collection."""
        transaction = self.first[block]
        while transaction and self.transactions.source[transaction] == GC:
            transaction = self.transactions.partner[transaction]
        return transaction != 0

    def wordline_of(self, ppa: int) -> int:
        """Return the number of the wordline that page `ppa` lies in."""
        return ppa // self.pages

    # For whoever pads.

    def blocks_waiting(self) -> list[int]:
        """Return the blocks in which programs wait for other pages."""
        return list(self.begun)

    def waiting_in(self, block: int) -> list[int]:
        """Return the programs of `block` that wait for other pages, in the order of pages."""
        waiting: list[int] = []
        transaction = self.first[block]
        while transaction:
            waiting.append(transaction)
            transaction = self.transactions.partner[transaction]
        return waiting

    def what_waits(self) -> list[str]:
        """Return a phrase for each block in which programs wait."""
        return [
            f"{len(self.waiting_in(block))} programs wait for the rest of a wordline of block {block}"
            for block in self.blocks_waiting()
        ]
