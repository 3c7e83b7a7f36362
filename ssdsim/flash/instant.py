# cython: infer_types=True
"""The flash where no time passes: before there is a clock, each operation is done when its call returns."""

from __future__ import annotations

from typing import Any, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import ERASE, PROGRAM, READ
from ssdsim.flash.transactions import Transactions

NOBODY: Final = -1  # is told when a transaction is done


class InstantFlash:
    """Programs, moves and erases at once, and tells the observers as the scheduler and the controllers do.

    Whoever is told may program in turn, as backups do, so that each operation has a transaction of its own, if there is
    anyone to be told. Nothing is counted and nothing logged.
    """

    queued: list[Any]  # by event: whom to tell
    sensed: list[Any]  # by event: whom to tell
    programmed: list[Any]  # by event: whom to tell
    erased: list[Any]  # by event: whom to tell

    def __init__(self, blocks: Blocks, transactions: Transactions, observers: Any) -> None:
        self.blocks = blocks
        self.transactions = transactions
        self.queued = observers.queued
        self.sensed = observers.sensed
        self.programmed = observers.programmed
        self.erased = observers.erased

    def program(self, source: int, ppa: int, data: Any = None) -> None:
        """Program a page for `source` with `data`, an image (`PageData`), or None where that is not followed."""
        if not self.queued and not self.programmed:
            self.blocks.program(ppa)
            return
        transaction = self.transactions.take(source, NOBODY, PROGRAM, -1, ppa, 0)
        self.transactions.data[transaction] = data
        self.carry_out(transaction, ppa)

    def move(self, source: int, old_ppa: int, ppa: int) -> None:
        """Read page `old_ppa` for `source` and program page `ppa` with what it holds."""
        if not self.sensed and not self.queued and not self.programmed:
            self.blocks.program(ppa)
            return
        transaction = self.transactions.take(source, NOBODY, READ, -1, old_ppa, 0)
        self.transactions.block[transaction] = self.blocks.block_of(old_ppa)
        self.transactions.tell(self.sensed, transaction)
        self.carry_out(transaction, ppa)

    def erase(self, source: int, block: int) -> None:
        """Erase a block for `source`."""
        self.blocks.erase(block)
        transaction = self.transactions.take(source, NOBODY, ERASE, -1, block * self.blocks.pages_per_block, 0)
        self.transactions.block[transaction] = block
        self.transactions.tell(self.erased, transaction)
        self.transactions.give_back(transaction)

    def carry_out(self, transaction: int, ppa: int) -> None:
        """Program page `ppa` with the data that the transaction has."""
        self.transactions.op[transaction] = PROGRAM
        self.transactions.ppa[transaction] = ppa
        self.transactions.block[transaction] = self.blocks.block_of(ppa)
        self.transactions.tell(self.queued, transaction)
        self.blocks.program(ppa)
        self.transactions.tell(self.programmed, transaction)
        self.transactions.give_back(transaction)
