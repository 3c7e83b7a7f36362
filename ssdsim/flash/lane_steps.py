# cython: infer_types=True
"""The steps of a die whose commands overlap: one that reads planes independently, caches data, or is suspended."""

from __future__ import annotations

from typing import cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM
from ssdsim._core.inlined import now
from ssdsim._core.schedule import PAUSE
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die import DieProcess, OverlapSteps
from ssdsim.flash.dies import CACHED, CACHING, DATA_OUT, HELD, OPEN, PROGRESS, RELEASED, STOPPING, Dies
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.suspension import Suspension
from ssdsim.flash.transactions import Transactions


@final
class LaneSteps(OverlapSteps):
    """What a `process` does beside what that of a plain die does, in one of the lanes of its die.

    An array that can be suspended (`ssdsim.flash.suspension`) has four phases of its own. With a cache register
    (`ssdsim.flash.lanes`) data may be HELD before its way between the registers (CACHING): that of a read until the
    data before it has left (CACHED), that of a program until the array is idle.
    """

    process: DieProcess
    controller: FlashController
    dies: Dies
    transactions: Transactions
    lane: int
    die: int
    suspension: Suspension

    def __init__(self, process: DieProcess) -> None:
        process.lane_steps = self
        self.process = process
        self.controller = process.controller
        self.dies = process.dies
        self.transactions = process.transactions
        self.lane = process.lane
        self.die = process.die
        self.lanes = cast(Lanes, self.dies.lanes[self.die])
        self.suspension = self.lanes.suspension

    @cfunc
    def go_on(self, phase: int) -> int:
        """Take the step after a phase that plain dies do not have."""
        if phase == CACHED:
            return self.process.data_moved_out()
        if phase == RELEASED:
            return self.lanes.begin_caching(self.lane)
        if phase == CACHING:
            return self.data_cached()
        if phase == PROGRESS:
            return self.suspension.open()
        if phase == OPEN:
            return (
                self.suspension.stop() if now(self.process.env) < self.suspension.end_ns else self.process.array_done()
            )
        if phase == STOPPING:
            self.suspension.step_aside()
            return self.process.look_for_work(False)
        return self.suspension.take_up()

    @cfunc
    def resume_suspended(self) -> int:
        """Take the suspended command up again if nothing is to pass it, and return the length of its next phase."""
        if self.lanes.is_free() and not self.lanes.scheduling.select(self.die):
            return self.suspension.resume(self.lane)
        return PAUSE

    @cfunc
    def let_others_go_on(self) -> None:
        """Resume commands that waited for a register or the array, and start another if one waited for that."""
        self.lanes.release()
        self.controller.ask_for_start(self.die)

    @cfunc
    def offer_bus(self) -> None:
        """Give the bus away if it is free, to an arbiter that may have waited for the end of this array."""
        if self.controller.asking and not self.controller.bus_taken:
            self.controller.give_bus()

    # The array.

    @cfunc
    def begin_array(self, command: int) -> int:
        """Start an array that can be suspended, or that may still be at work for the program before."""
        op = self.transactions.op[command]
        if self.lanes.program_ns >= 0 and op == PROGRAM:
            self.transactions.put(self.transactions.cached_ns, command, -now(self.process.env))
            if self.dies.commands[self.die] == 1:
                return self.begin_cached_program()
            self.dies.phase[self.lane] = HELD
            return PAUSE
        array_ns = self.process.begin_array(command)
        # one command of a die is suspended at a time
        if not self.suspension.suspends[op] or self.dies.suspended[self.die]:
            return array_ns
        return self.suspension.begin(self.lane, array_ns)

    @cfunc
    def begin_cached_program(self) -> int:
        """Start the array with data that has been on the chip; the next program may come."""
        command = self.dies.transaction[self.lane]
        self.transactions.increase(self.transactions.cached_ns, command, now(self.process.env))
        array_ns = self.process.begin_array(command)
        self.let_others_go_on()
        self.offer_bus()
        return array_ns

    # The cache register.

    @cfunc
    def data_ready(self) -> int:
        """Move data that is sensed to the cache register, if a read is to follow; wait until that is empty."""
        if self.lanes.is_kept_back(self.lane):
            self.dies.phase[self.lane] = HELD
            self.offer_bus()
            return PAUSE
        if not self.lanes.is_followed(self.lane):
            return self.process.ask_for_bus(DATA_OUT)
        caching_ns = self.lanes.begin_caching(self.lane)
        self.offer_bus()
        return caching_ns

    @cfunc
    def data_cached(self) -> int:
        """Begin a program whose data has reached the page register; ask for the bus for a read's in the other one."""
        if self.transactions.op[self.dies.transaction[self.lane]] == PROGRAM:
            return self.begin_cached_program()
        self.dies.phase[self.lane] = CACHED
        self.let_others_go_on()
        return self.process.ask_for_bus(CACHED)
