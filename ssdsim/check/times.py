# cython: infer_types=True
"""The times of flash commands, held against what their pages take."""

from __future__ import annotations

from typing import final

from ssdsim._core.codes import COPYBACK, OPERATIONS, PROGRAM, READ
from ssdsim.errors import SimulationError
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transaction import Transaction


@final
class ArrayTimes:
    """Holds every command to what each of its pages takes: the array is held as long as by the slowest of them."""

    observes = ("done",)

    def __init__(self, timing: FlashTiming, pages_per_block: int) -> None:
        self.timing = timing
        self.pages_per_block = pages_per_block

    def done(self, transaction: Transaction, end_ns: int) -> None:
        """Raise `SimulationError` unless the array was held for as long as a finished transaction takes."""
        op, held_ns = transaction.op, transaction.array_end_ns - transaction.array_start_ns
        if op == COPYBACK:
            source_type = self.timing.page_type[transaction.copied_from % self.pages_per_block]
            # both operations, without the bus between them
            needed_ns = self.timing.array_ns(READ, source_type) + self.timing.array_ns(PROGRAM, transaction.page_type)
        else:
            needed_ns = self.timing.array_ns(op, transaction.page_type)
        if held_ns < needed_ns:  # more is allowed: pages of a command wait for the slowest
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transaction.page} of block {transaction.block} that ended "
                f"at {end_ns} ns held the array for {held_ns} ns; a page of type {transaction.page_type} takes "
                f"{needed_ns} ns."
            )
