# cython: infer_types=True
"""The times of flash commands, held against what their pages take."""

from __future__ import annotations

from array import array
from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import COPYBACK, ERASE, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.errors import SimulationError
from ssdsim.flash.suspension import Suspension
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
            source_type = self.timing.type_of(self.blocks, transactions.copied_from[number])
            # both operations, without the bus between them
            needed_ns = self.timing.array_ns(READ, source_type) + self.timing.array_ns(PROGRAM, page_type)
        else:
            needed_ns = self.timing.array_ns(op, page_type)
        type_now = self.timing.type_of(self.blocks, transactions.ppa[number])
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
class SuspensionTimes:
    """Holds commands to the rules by which they are suspended, and a die to one array at work at a time."""

    free_ns: Int64s  # by die: when its array was done last
    start_ns: Int64s  # by die: when that had begun

    observes = ("done",)

    def __init__(self, suspension: Suspension, dies: int) -> None:
        self.suspension = suspension
        self.free_ns = array("q", [-1] * dies)
        self.start_ns = array("q", [-1] * dies)

    def done(self, transactions: Transactions, number: int, end_ns: int) -> None:
        """Raise `SimulationError` unless a finished transaction was suspended as it may be, and passed only such."""
        op = transactions.op[number]
        die = transactions.die[number]
        start_ns = transactions.array_start_ns[number]
        suspensions = transactions.suspensions[number]
        away_ns = transactions.suspended_ns[number]
        worked_ns = transactions.array_end_ns[number] - start_ns - away_ns
        least_ns = suspensions * (self.suspension.suspend_ns[op] + self.suspension.resume_ns)
        is_bound = suspensions <= self.suspension.most and suspensions * self.suspension.least_ns[op] <= worked_ns
        overlaps = not suspensions and start_ns < self.free_ns[die] and start_ns != self.start_ns[die]
        if not is_bound or away_ns < least_ns or (away_ns and not suspensions) or overlaps:
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transactions.page[number]} of block "
                f"{transactions.block[number]} that ended at {end_ns} ns was suspended {suspensions} times for "
                f"{away_ns} ns; its array worked for {worked_ns} ns from {start_ns} ns on, and that of the command "
                f"before it until {self.free_ns[die]} ns."
            )
        self.free_ns[die] = transactions.array_end_ns[number]
        self.start_ns[die] = start_ns
