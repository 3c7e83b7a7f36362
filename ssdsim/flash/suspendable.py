# cython: infer_types=True
"""The processes of dies whose programs and erases can be suspended."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die_process import (
    ARRAY,
    COMMAND,
    DATA_OUT,
    IDLE,
    DieProcess,
    ask_to_move_out,
    begin_array,
    finish_array,
    has_more_to_move_out,
    has_more_to_transfer,
    is_early,
    leave_bus,
    look_for_work,
    move_out_next,
    transfer_ns,
)
from ssdsim.flash.dies import Dies
from ssdsim.flash.suspension import Suspension

PROGRESS: Final = 4
OPEN: Final = 5
STOPPING: Final = 6
RESUMING: Final = 7


class SuspendableProcess(DieProcess):
    """What lets others pass while a program or an erase of `of_die` is suspended.

    The array first makes its least progress (PROGRESS). Then it is OPEN: its timer says when it is done, unless
    something arrives that is worth a suspension. That takes its time (STOPPING); then the die looks for work as if it
    were idle, and when nothing that may pass waits any more, the array goes on after a while (RESUMING).
    """

    suspension: Suspension  # or None where nothing is suspended
    of_die: int

    def __init__(
        self,
        env: Any,
        controller: FlashController,
        dies: Dies,
        lane: int,
        idle: list[Any],
        arrivals_first: bool,
        suspension: Suspension | None,
    ) -> None:
        DieProcess.__init__(self, env, controller, dies, lane, idle, arrivals_first)
        self.suspension = suspension
        self.of_die = lane // dies.lanes_per_die

    @cfunc
    def array_done(self) -> int:
        """Take the step after an array that is done."""
        raise NotImplementedError

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Look for what may be started, or go on with a suspended command that nothing may pass."""
        raise NotImplementedError

    @cfunc
    def go_on_suspended(self) -> int:
        """Take the step after a phase of an array that can be suspended."""
        if self.phase == PROGRESS:
            return self.open_array()
        if self.phase == OPEN:
            if now(self.env) < self.suspension.end_ns[self.of_die]:
                return self.stop()
            self.phase = ARRAY
            return self.array_done()
        return self.step_aside() if self.phase == STOPPING else self.take_up()

    @cfunc
    def begin_suspendable(self) -> int:
        """Let the array begin, as one that can be suspended if it is of such a command."""
        command = self.dies.transaction[self.die]
        phase_ns = begin_array(self)
        if not self.suspension.suspends[self.transactions.op[command]]:
            return phase_ns
        if self.dies.suspended[self.of_die]:  # one command of a die at a time
            return phase_ns
        return self.go_on_with_array(command, phase_ns)

    @cfunc
    def go_on_with_array(self, command: int, left_ns: int) -> int:
        """Let the array of `command` work for the time that is left, and return the length of the first phase of it."""
        suspension = self.suspension
        end_ns = now(self.env) + left_ns
        suspension.lane[self.of_die] = self.die
        suspension.end_ns[self.of_die] = end_ns
        self.end_array(command, end_ns)
        least_ns = suspension.least_ns[self.transactions.op[command]]
        if self.transactions.suspensions[command] >= suspension.most or least_ns >= left_ns:
            self.phase = ARRAY
            return left_ns
        self.phase = PROGRESS
        return least_ns if least_ns else self.open_array()

    @cfunc
    def end_array(self, command: int, end_ns: int) -> None:
        """Record when the array will be done with the pages of `command`, -1 while that is not known."""
        while command:
            self.transactions.array_end_ns[command] = end_ns
            command = self.transactions.partner[command]

    @cfunc
    def open_array(self) -> int:
        """Have the array be suspended by what waits for the die, or arrives while it works on."""
        if self.suspension.is_called_for(self.of_die):
            return self.stop()
        self.phase = OPEN
        self.suspension.open(self.of_die)
        return PAUSE

    @cfunc
    def stop(self) -> int:
        """Suspend the command and return for how long the array is not yet free."""
        suspension = self.suspension
        at = now(self.env)
        command = self.dies.transaction[self.die]
        op = self.transactions.op[command]
        suspension.left_ns[self.of_die] = suspension.end_ns[self.of_die] - at
        suspension.stopped_ns[self.of_die] = at
        suspension.counters.suspensions[op] += 1
        self.end_array(command, -1)
        # of a page of the host's that has joined a collection's the wait for the stop is one for that
        gc_ns = 0 if self.transactions.is_of_host(command) else suspension.suspend_ns[op]
        urgent_ns = gc_ns if self.dies.urgent_since_ns[self.of_die] >= 0 else 0
        while command:
            self.transactions.suspensions[command] += 1
            if self.transactions.is_of_host(command):
                self.transactions.gc_ns[command] += gc_ns
                self.transactions.urgent_gc_ns[command] += urgent_ns
            if self.dies.blame is not None:
                self.dies.blame.queued(self.of_die, command, at)
            command = self.transactions.partner[command]
        self.phase = STOPPING
        return suspension.suspend_ns[op]

    @cfunc
    def step_aside(self) -> int:
        """Put the suspended command aside, and look for what is to pass it."""
        dies = self.dies
        die = self.of_die
        at = now(self.env)
        dies.suspended[die] = dies.transaction[self.die]
        dies.transaction[self.die] = 0
        if dies.lanes is not None:
            dies.commands[die] -= 1
        self.suspension.planes[die] = dies.planes_at_work[self.die]
        self.suspension.was_urgent[die] = dies.urgent_since_ns[die] >= 0
        dies.end_gc(die, at)
        if dies.blame is not None:
            dies.blame.finished(die, 0, at)
        return self.look_for_work(False)

    @cfunc
    def resume(self) -> int:
        """Take the suspended command up again, and return how long it takes until its array goes on."""
        dies = self.dies
        die = self.of_die
        dies.transaction[self.die] = dies.suspended[die]
        dies.suspended[die] = 0
        if dies.lanes is not None:
            dies.commands[die] += 1
        dies.planes_at_work[self.die] = self.suspension.planes[die]
        self.phase = RESUMING
        return self.suspension.resume_ns

    @cfunc
    def take_up(self) -> int:
        """Go on with the array where it stopped."""
        suspension = self.suspension
        dies = self.dies
        at = now(self.env)
        command = dies.transaction[self.die]
        if not self.transactions.is_of_host(command):
            dies.gc_since_ns[self.of_die] = at
            if suspension.was_urgent[self.of_die]:
                dies.urgent_since_ns[self.of_die] = at
        if dies.blame is not None:
            dies.blame.started(self.of_die, command, at)
        stopped_ns = at - suspension.stopped_ns[self.of_die]
        suspension.counters.suspended_ns[self.transactions.op[command]] += stopped_ns
        page = command
        while page:
            self.transactions.suspended_ns[page] += stopped_ns
            page = self.transactions.partner[page]
        return self.go_on_with_array(command, suspension.left_ns[self.of_die])


@final
class SuspendableDie(SuspendableProcess):
    """Carries out the transactions of a die, one at a time but for what passes a suspended one."""

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if is_early(self):
            return 0
        if self.phase == ARRAY:
            return self.array_done()
        if self.phase == COMMAND:
            return self.command_sent()
        if self.phase == DATA_OUT:
            return move_out_next(self) if has_more_to_move_out(self) else self.look_for_work(True)
        return self.go_on_suspended() if self.phase != IDLE else self.look_for_work(False)

    @cfunc
    def array_done(self) -> int:
        """Ask for the bus for the data of a read, or look for work."""
        return ask_to_move_out(self) if finish_array(self) else self.look_for_work(False)

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Look for what may pass a suspended command, or go on with that."""
        suspension = self.suspension
        if not self.dies.suspended[self.die]:
            return look_for_work(self, holds_bus)
        is_passed: bool = suspension.scheduling.select(self.die) != 0
        if is_passed:
            self.controller.ask(self.die)
        if holds_bus:
            self.controller.bus_taken = False
        self.controller.offer_bus()
        self.phase = COMMAND
        return PAUSE if is_passed else self.resume()

    @cfunc
    def command_sent(self) -> int:
        """Let the array begin, or look for work again."""
        if not self.dies.transaction[self.die]:  # woken as nothing was to pass after all
            return self.look_for_work(False)
        if has_more_to_transfer(self):
            return transfer_ns(self)
        leave_bus(self)
        return self.begin_suspendable()
