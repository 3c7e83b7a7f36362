# cython: infer_types=True
"""The flash where no time passes: before there is a clock, each operation is done when its call returns."""

from __future__ import annotations

from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import ERASE, PROGRAM, READ
from ssdsim.flash.transaction import Transaction, TransactionPool


class InstantFlash:
    """Programs, moves and erases at once, and tells the observers as the scheduler and the controllers do.

    Whoever is told may program in turn, as backups do, so that each operation has a transaction of its own, if there is
    anyone to be told. Nothing is counted and nothing logged.
    """

    queued: list[Any]  # by event: whom to tell
    sensed: list[Any]  # by event: whom to tell
    programmed: list[Any]  # by event: whom to tell
    erased: list[Any]  # by event: whom to tell

    def __init__(self, blocks: Blocks, observers: Any) -> None:
        self.blocks = blocks
        self.pool = TransactionPool()
        self.queued = observers.queued
        self.sensed = observers.sensed
        self.programmed = observers.programmed
        self.erased = observers.erased

    def program(self, source: int, ppa: int, data: Any = None) -> None:
        """Program a page for `source` with `data`, an image (`PageData`), or None where that is not followed."""
        if not self.queued and not self.programmed:
            self.blocks.program(ppa)
            return
        transaction: Transaction = self.pool.take(source, None, -1)
        transaction.data = data
        self.carry_out(transaction, ppa)

    def move(self, source: int, old_ppa: int, ppa: int) -> None:
        """Read page `old_ppa` for `source` and program page `ppa` with what it holds."""
        if not self.sensed and not self.queued and not self.programmed:
            self.blocks.program(ppa)
            return
        transaction: Transaction = self.pool.take(source, None, -1)
        transaction.op = READ
        transaction.ppa = old_ppa
        transaction.block = self.blocks.block_of(old_ppa)
        for tell in self.sensed:
            tell(transaction)
        self.carry_out(transaction, ppa)

    def erase(self, source: int, block: int) -> None:
        """Erase a block for `source`."""
        self.blocks.erase(block)
        transaction: Transaction = self.pool.take(source, None, -1)
        transaction.op = ERASE
        transaction.ppa = block * self.blocks.pages_per_block
        transaction.block = block
        for tell in self.erased:
            tell(transaction)
        self.pool.give_back(transaction)

    def carry_out(self, transaction: Transaction, ppa: int) -> None:
        """Program page `ppa` with the data that the transaction has."""
        transaction.op = PROGRAM
        transaction.ppa = ppa
        transaction.block = self.blocks.block_of(ppa)
        for tell in self.queued:
            tell(transaction)
        self.blocks.program(ppa)
        for tell in self.programmed:
            tell(transaction)
        self.pool.give_back(transaction)
