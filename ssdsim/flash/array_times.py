# cython: infer_types=True
"""The times of flash commands, held against what their pages take, and which pages these are."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import COPYBACK, ERASE, OPERATIONS, PROGRAM, READ
from ssdsim.errors import SimulationError
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions


@final
class ArrayTimes:
    """Holds every command to what each of its pages takes: the array is held as long as by the slowest of them.

    A page has the time of the mode that its block was in when it was queued, and must be in that when it is done.
    """

    observes = ("done",)

    def __init__(self, timing: FlashTiming, blocks: Blocks) -> None:
        self.timing = timing
        self.blocks = blocks

    def done(self, transactions: Transactions, number: int, end_ns: int) -> None:
        """Raise `SimulationError` unless the array was held for as long as a finished transaction takes."""
        op = transactions.op[number]
        page_type = transactions.page_type[number]
        held_ns = transactions.array_end_ns[number] - transactions.array_start_ns[number]
        held_ns -= transactions.suspended_ns[number]
        if op == COPYBACK:
            source_type = self.timing.type_of(transactions.copied_from[number], self.blocks)
            # both operations, without the bus between them
            needed_ns = self.timing.array_ns(READ, source_type) + self.timing.array_ns(PROGRAM, page_type)
        else:
            needed_ns = self.timing.array_ns(op, page_type)
        type_now = self.timing.type_of(transactions.ppa[number], self.blocks)
        if op != ERASE and page_type != type_now:
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transactions.page[number]} of block "
                f"{transactions.block[number]} that ended at {end_ns} ns was of type {page_type} when it was "
                f"queued, and is of type {type_now} now (-1 is SLC mode)."
            )
        if held_ns < needed_ns:  # more is allowed: pages of a command wait for the slowest
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transactions.page[number]} of block "
                f"{transactions.block[number]} that ended at {end_ns} ns held the array for {held_ns} ns; a page of "
                f"type {page_type} takes {needed_ns} ns."
            )


@final
class WholeWordlines:
    """Holds programs to fill wordlines of so many `pages`, each in one command, but in SLC mode."""

    pages: int

    observes = ("programmed",)

    def __init__(self, pages: Any) -> None:
        self.pages = pages

    def programmed(self, transactions: Transactions, number: int) -> None:
        """Raise `SimulationError` unless the other pages of a wordline follow the first, whose program is over."""
        if transactions.page_type[number] < 0 or transactions.page[number] % self.pages:
            return
        each = number
        for place in range(1, self.pages):
            each = transactions.partner[each]
            if not each or transactions.ppa[each] != transactions.ppa[number] + place:
                raise SimulationError(
                    f"integrity: page {transactions.page[number]} of block {transactions.block[number]} was programmed "
                    f"without the other {self.pages - 1} of its wordline."
                )
