# cython: infer_types=True
"""Suspension: the array of a die stops for reads that wait for it, and goes on where it stopped."""

from __future__ import annotations

from array import array
from typing import Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.either_kernel import run_routine
from ssdsim._core.inlined import now
from ssdsim._core.schedule import PAUSE, Routine, resume_routine
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import ARRAY, HOST_READS, OPEN, PROGRESS, QUEUES, RESUMING, STOPPING, Dies, Selector
from ssdsim.flash.timing import to_ns
from ssdsim.flash.transactions import Transactions


def by_operation(program_us: float, erase_us: float) -> Any:
    """Return times in nanoseconds by operation."""
    return array("q", [to_ns({PROGRAM: program_us, ERASE: erase_us}.get(op, 0)) for op in range(len(OPERATIONS))])


@final
class Suspension(Routine):
    """Suspends the programs and erases of a `die` for reads that requests wait for (Wu and He, FAST 2012).

    An array that may be suspended first makes its least progress (PROGRESS). Then it is OPEN: it works until it is
    done, unless something waits or arrives that is worth a suspension. From the decision it takes `suspend_ns` until
    the die is free (STOPPING), and from the end of the last read that passes `resume_ns` until the array goes on where
    it stopped (RESUMING). Commands of suspending and resuming are part of these times; that they cross the bus is left
    out.

    A read of the wordline that is being programmed waits for it. What urgent collection goes before
    (`SchedulingPolicy`) does not suspend it. A command is suspended `most` times. One command is suspended at a time: a
    program during an erase's suspension is not. Once it is, it stays so until nothing that may suspend waits any more.

    As a process it wakes that of the command whose array is open when the array is done. It cannot be called off, so it
    sleeps until an end that it has known of: where that has moved, it sleeps on, or pauses if there is none.
    """

    env: Any  # None before `connect`
    scheduling: Selector
    dies: Dies
    transactions: Transactions
    blocks: Blocks
    counters: FlashCounters
    suspends: Int8s  # by operation: whether it may be suspended
    suspend_ns: Int64s  # by operation
    least_ns: Int64s  # by operation
    resume_ns: int
    as_if_idle: bool  # while a policy is asked what it would start if the die executed nothing
    lane: int  # that of the command whose array can be suspended
    is_open: bool  # its process pauses until the array is done or to be suspended
    is_set: bool  # to wake up at an end of the array
    end_ns: int  # when the array is done, if it is not suspended once more
    stopped_ns: int  # since when it has been suspended
    left_ns: int  # how long the suspended command still needs the array
    planes: int  # at work by the suspended command
    was_urgent: bool  # the suspended command is of a collection that was urgent

    def __init__(
        self,
        die: int,
        dies: Dies,
        scheduling: Selector,
        blocks: Blocks,
        counters: FlashCounters,
        hardware: Any,
        wanted: Any,
    ) -> None:
        self.env = None
        self.die = die
        self.dies = dies
        self.transactions = dies.transactions
        self.scheduling = scheduling
        self.blocks = blocks
        self.counters = counters
        operations = wanted.operations if wanted.wanted else ()
        self.suspends = array("b", [name in operations for name in OPERATIONS])
        self.suspend_ns = by_operation(hardware.program_suspend_us, hardware.erase_suspend_us)
        self.least_ns = by_operation(wanted.program_least_us, wanted.erase_least_us)
        self.resume_ns = to_ns(hardware.resume_us)
        self.most = int(wanted.most)
        self.as_if_idle = self.is_open = self.is_set = self.was_urgent = False
        self.lane = self.end_ns = self.stopped_ns = self.left_ns = self.planes = 0

    def connect(self, env: Any) -> None:
        """Receive the clock, and start its process on that where anything is suspended."""
        self.env = env
        if any(self.suspends):
            self.is_set = True
            run_routine(env, self)

    # What passes what.

    @cfunc
    def may_pass(self, command: int, transaction: int) -> bool:
        """Return whether `transaction` may be carried out while `command` is suspended."""
        transactions = self.transactions
        if transactions.op[transaction] != READ or not transactions.is_of_host(transaction):
            return False
        if self.dies.critical_planes[self.die] and not transactions.is_of_host(command):
            return False
        if transactions.op[command] != PROGRAM:
            return True
        order = self.blocks.order
        while command:  # what is being programmed can not be read
            if transactions.block[command] == transactions.block[transaction]:
                wordline: int = order.wordline_of(transactions.page[command])
                return wordline != order.wordline_of(transactions.page[transaction])
            command = transactions.partner[command]
        return True

    @cfunc
    def is_worth(self, waiting: int) -> bool:
        """Return whether `waiting` may suspend the command, and would start sooner by that."""
        command = self.dies.transaction[self.lane]
        if self.end_ns - now(self.env) <= self.suspend_ns[self.transactions.op[command]]:
            return False
        if not self.may_pass(command, waiting):
            return False
        self.as_if_idle = True
        may: bool = self.scheduling.may_start(waiting)
        self.as_if_idle = False
        return may

    @cfunc
    def arrived(self, transaction: int) -> None:
        """Stop the array if `transaction`, which has just been queued, is worth that."""
        if self.is_open and self.is_worth(transaction):
            self.wake()

    # The phases of an array that can be suspended: each returns the length of the next.

    @cfunc
    def begin(self, lane: int, left_ns: int) -> int:
        """Start the array for the time that its command in `lane` still needs."""
        command = self.dies.transaction[lane]
        self.lane = lane
        self.end_ns = now(self.env) + left_ns
        self.transactions.put(self.transactions.array_end_ns, command, self.end_ns)
        least_ns = self.least_ns[self.transactions.op[command]]
        if self.transactions.suspensions[command] >= self.most or least_ns >= left_ns:
            self.dies.phase[lane] = ARRAY
            return left_ns
        self.dies.phase[lane] = PROGRESS
        return least_ns if least_ns else self.open()

    @cfunc
    def open(self) -> int:
        """Stop the array for what waits for the die, or arrives while it works on."""
        waiting = self.dies.queues.head[self.die * QUEUES + HOST_READS]
        while waiting:
            if self.is_worth(waiting):
                return self.stop()
            waiting = self.transactions.next[waiting]
        self.dies.phase[self.lane] = OPEN
        self.is_open = True
        if not self.is_set:  # else it wakes at an earlier end
            self.is_set = True
            resume_routine(self, self.end_ns - now(self.env))
        return PAUSE

    @cfunc
    def stop(self) -> int:
        """Suspend the command: the die is free when the array has stopped."""
        transactions = self.transactions
        command = self.dies.transaction[self.lane]
        op = transactions.op[command]
        self.stopped_ns = now(self.env)
        self.left_ns = self.end_ns - now(self.env)
        self.counters.suspensions[op] += 1
        transactions.put(transactions.array_end_ns, command, -1)  # not known
        transactions.increase(transactions.suspensions, command, 1)
        if not transactions.is_of_host(command):
            # a page of the host's that has joined a collection's command waits for that as it stops
            is_urgent: bool = self.dies.urgent_since_ns[self.die] >= 0
            while command:
                if transactions.is_of_host(command):
                    transactions.gc_ns[command] += self.suspend_ns[op]
                    transactions.urgent_gc_ns[command] += is_urgent * self.suspend_ns[op]
                command = transactions.partner[command]
        self.dies.phase[self.lane] = STOPPING
        return self.suspend_ns[op]

    @cfunc
    def step_aside(self) -> None:
        """Put the suspended command aside, so that its lane is free for what is to pass it."""
        dies = self.dies
        dies.suspended[self.die] = dies.transaction[self.lane]
        dies.transaction[self.lane] = 0
        self.planes = dies.planes_at_work[self.lane]
        self.was_urgent = dies.urgent_since_ns[self.die] >= 0
        if dies.gc_since_ns[self.die] >= 0:
            dies.end_gc(self.die, now(self.env))

    @cfunc
    def resume(self, lane: int) -> int:
        """Take the suspended command up again in `lane`: its array goes on after a while."""
        dies = self.dies
        self.lane = lane
        dies.transaction[lane] = dies.suspended[self.die]
        dies.suspended[self.die] = 0
        dies.planes_at_work[lane] = self.planes
        dies.phase[lane] = RESUMING
        return self.resume_ns

    @cfunc
    def take_up(self) -> int:
        """Resume the array where it stopped."""
        dies = self.dies
        transactions = self.transactions
        at = now(self.env)
        command = dies.transaction[self.lane]
        if not transactions.is_of_host(command):
            dies.begin_gc(self.die, at, self.was_urgent)
        suspended_ns = at - self.stopped_ns
        self.counters.suspended_ns[transactions.op[command]] += suspended_ns
        transactions.increase(transactions.suspended_ns, command, suspended_ns)
        return self.begin(self.lane, self.left_ns)

    # The alarm at the end of an open array.

    @cfunc
    def wake(self) -> None:
        """Wake the command's process in this instant."""
        self.is_open = False
        resume_routine(cast(Routine, self.dies.processes[self.lane]), 0)

    def go_on(self) -> int:
        """Wake the command's process if its array is done, and return the time that is left otherwise."""
        if self.is_open:
            left_ns = self.end_ns - now(self.env)
            if left_ns > 0:
                return left_ns
            self.wake()
        self.is_set = False
        return PAUSE
