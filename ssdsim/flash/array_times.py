# cython: infer_types=True
"""The times of flash commands, held against what their pages take, and which pages these are."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.codes import COPYBACK, ERASE, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.errors import SimulationError
from ssdsim.flash.lanes import Lanes
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


@final
class LaneTimes:
    """Holds dies that read side by side to one read of a register at a time, and to none beside anything else.

    With a cache register the array may read on as data leaves; the data of the next read follows `cache_ns` later.
    """

    # By register of pages, that of a plane or of a die:
    start_ns: Int64s  # when its latest read had begun
    sensed_ns: Int64s  # when the array was done with that
    free_ns: Int64s  # when the data of that had left
    before_ns: Int64s  # when the data of the read before that had left
    # By die:
    reads_end_ns: Int64s  # when its latest read was over
    others_end_ns: Int64s  # when its latest command of another kind was over
    others_start_ns: Int64s  # when that had begun
    programs_start_ns: Int64s  # when the array began with that if it was a program, else -1

    observes = ("done",)

    def __init__(self, lanes: Lanes, planes: int) -> None:
        self.lanes = lanes
        registers = planes // lanes.planes_per_register
        self.start_ns = array("q", [-1] * registers)
        self.sensed_ns = array("q", [-1] * registers)
        self.free_ns = array("q", [-1] * registers)
        self.before_ns = array("q", [-1] * registers)
        self.reads_end_ns = array("q", [-1] * lanes.dies.count)
        self.others_end_ns = array("q", [-1] * lanes.dies.count)
        self.others_start_ns = array("q", [-1] * lanes.dies.count)
        self.programs_start_ns = array("q", [-1] * lanes.dies.count)

    def done(self, transactions: Transactions, number: int, end_ns: int) -> None:
        """Raise `SimulationError` if a finished transaction began before those were over that keep it from that."""
        op = transactions.op[number]
        die = transactions.die[number]
        start_ns = transactions.bus_start_ns[number]
        free_ns = self.others_end_ns[die]
        if op == READ:
            free_ns = max(free_ns, self.read_done(transactions, number, end_ns))
            self.reads_end_ns[die] = end_ns
        else:
            free_ns = max(self.other_done(transactions, number, end_ns), self.reads_end_ns[die])
        if start_ns < free_ns and not transactions.suspensions[number]:  # else others have passed it
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transactions.page[number]} of block "
                f"{transactions.block[number]} began at {start_ns} ns, and its die was free for it at {free_ns} ns."
            )

    def other_done(self, transactions: Transactions, number: int, end_ns: int) -> int:
        """Return when a die was free for a finished program or erase; raise `SimulationError` if its array was not."""
        die = transactions.die[number]
        start_ns = transactions.bus_start_ns[number]
        array_start_ns = transactions.array_start_ns[number]
        is_program: bool = transactions.op[number] == PROGRAM
        if start_ns == self.others_start_ns[die]:  # it is of the same command
            return -1
        free_ns = self.others_end_ns[die]
        if is_program and self.programs_start_ns[die] >= 0 and self.lanes.program_ns >= 0 and start_ns < free_ns:
            came_ns = array_start_ns - transactions.cached_ns[number]
            if array_start_ns < free_ns + (self.lanes.program_ns if came_ns < free_ns else 0):
                raise SimulationError(
                    f"integrity: the array began at {array_start_ns} ns to program page {transactions.page[number]} of "
                    f"block {transactions.block[number]}, and with the program before it it was done at {free_ns} ns; "
                    f"{self.lanes.program_ns} ns are to lie between, as its data came at {came_ns} ns."
                )
            free_ns = self.programs_start_ns[die]
        self.others_end_ns[die] = end_ns
        self.others_start_ns[die] = start_ns
        self.programs_start_ns[die] = array_start_ns if is_program else -1
        return free_ns

    def read_done(self, transactions: Transactions, number: int, end_ns: int) -> int:
        """Return when the register of a finished read was free for it; raise `SimulationError` if its data was not."""
        lanes = self.lanes
        register = transactions.plane[number] // lanes.planes_per_register
        start_ns = transactions.bus_start_ns[number]
        if start_ns != self.start_ns[register]:  # else it is of the same command, or of one that began as that was over
            self.before_ns[register] = self.free_ns[register]
            self.start_ns[register] = start_ns
            free_ns = self.free_ns[register]
            if lanes.cache_ns >= 0 and free_ns >= 0:
                free_ns = min(free_ns, self.sensed_ns[register] + lanes.cache_ns)
        else:
            free_ns = -1
        self.sensed_ns[register] = transactions.array_end_ns[number]
        self.free_ns[register] = end_ns
        ready_ns = self.before_ns[register]
        if start_ns < ready_ns and transactions.data_start_ns[number] < ready_ns + lanes.cache_ns:
            raise SimulationError(
                f"integrity: data of the read of page {transactions.page[number]} of block "
                f"{transactions.block[number]} left at {transactions.data_start_ns[number]} ns, and that of the read "
                f"before it had left at {ready_ns} ns; {lanes.cache_ns} ns are to lie between."
            )
        return free_ns


@final
class SuspensionTimes:
    """Holds commands to the rules by which they are suspended, and a die of one lane to one array at work at a time."""

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
        is_alone: bool = self.suspension.dies.lanes is None
        overlaps = is_alone and not suspensions and start_ns < self.free_ns[die] and start_ns != self.start_ns[die]
        if not is_bound or away_ns < least_ns or (away_ns and not suspensions) or overlaps:
            raise SimulationError(
                f"integrity: the {OPERATIONS[op]} of page {transactions.page[number]} of block "
                f"{transactions.block[number]} that ended at {end_ns} ns was suspended {suspensions} times for "
                f"{away_ns} ns; its array worked for {worked_ns} ns from {start_ns} ns on, and that of the command "
                f"before it until {self.free_ns[die]} ns."
            )
        self.free_ns[die] = transactions.array_end_ns[number]
        self.start_ns[die] = start_ns
