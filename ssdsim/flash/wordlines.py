# cython: infer_types=True
"""One-shot programs: pages wait until all of their wordline are there, and are programmed at once."""

from __future__ import annotations

from typing import Any

from ssdsim._core.codes import GC
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
    begun: dict[int, list[int]]  # by block: the programs of its wordline that wait for the rest
    listener: Any

    def __init__(self, transactions: Transactions, pages: Any) -> None:
        self.transactions = transactions
        self.pages = int(pages)
        self.begun = {}
        self.listener = None

    def add(self, transaction: int) -> int:
        """Take over the program of a page; return the first of its wordline if that is complete, else 0."""
        transactions = self.transactions
        block = transactions.block[transaction]
        line: list[int] = self.begun.get(block)
        if line is None:
            line = self.begun[block] = []
        if transactions.source[transaction] != GC and not self.is_awaited(line):
            self.listener.awaits(transaction)
        line.append(transaction)
        if (transactions.page[transaction] + 1) % self.pages:
            return 0
        del self.begun[block]
        before: int = line[0]
        for place in range(1, len(line)):
            transactions.partner[before] = line[place]
            before = line[place]
        return line[0]

    def is_awaited(self, line: list[int]) -> bool:
        """Return whether one of the programs of a wordline is not of collection."""
        transaction: int
        for transaction in line:  # noqa: SIM110 - a compiled method takes no generator expression
            if self.transactions.source[transaction] != GC:
                return True
        return False

    def wordline_of(self, ppa: int) -> int:
        """Return the number of the wordline that page `ppa` lies in."""
        return ppa // self.pages

    # For whoever pads.

    def blocks_waiting(self) -> list[int]:
        """Return the blocks in which programs wait for other pages."""
        return list(self.begun)

    def waiting_in(self, block: int) -> list[int]:
        """Return the programs of `block` that wait for other pages, in the order of pages."""
        return self.begun.get(block, [])

    def what_waits(self) -> list[str]:
        """Return a phrase for each block in which programs wait."""
        return [
            f"{len(self.waiting_in(block))} programs wait for the rest of a wordline of block {block}"
            for block in self.blocks_waiting()
        ]
