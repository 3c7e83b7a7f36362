# cython: infer_types=True
"""Suspension: programs and erases that stop for what waits for their die, and go on when that is done."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine, resume_routine, run_routine
from ssdsim.config.validators import check_option, is_number
from ssdsim.device_view import Policy
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import Dies
from ssdsim.flash.queues import HOST_READS, QUEUES
from ssdsim.flash.timing import to_ns
from ssdsim.flash.transactions import Transactions

if TYPE_CHECKING:
    from ssdsim.flash.scheduler.policy import SchedulingPolicy


class SuspensionPolicy(Policy):
    """Decides for a waiting transaction whether a command is suspended.

    It is asked when a transaction that may suspend (`Suspension.may_interrupt`) is queued for a die whose array can be
    suspended, and about all that wait when the array can be again. Once a command is suspended, it stays so until
    nothing that may suspend waits any more.
    """

    transactions: Transactions

    def bind(self, transactions: Transactions) -> None:
        """Receive the transactions, once, before the run."""
        self.transactions = transactions

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return whether `command`, whose array would be done at `end_ns`, is suspended for `waiting`."""
        raise NotImplementedError


class Always(SuspensionPolicy):
    """Suspends for every transaction that may suspend (Wu and He, FAST 2012)."""

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return True."""
        return True


class Deadline(SuspensionPolicy):
    """Suspends for a transaction that would else wait longer than `deadline_us` for its die; of no paper."""

    deadline_ns: int

    def __init__(self, deadline_us: float = 500.0) -> None:
        name = "flash.suspension.options.deadline_us"
        check_option(name, deadline_us, is_deadline, "a time in microseconds, 0 to 1e9")
        self.deadline_ns = to_ns(deadline_us)

    def suspends(self, waiting: int, command: int, end_ns: int) -> bool:
        """Return whether the wait until `end_ns` would be longer than the deadline."""
        return end_ns - self.transactions.queued_ns[waiting] > self.deadline_ns


def is_deadline(value: Any) -> bool:
    """Return whether `value` is a time that may be waited for."""
    return is_number(value) and 0 <= value <= 1e9


@final
class ArrayTimer(Routine):
    """Wakes the process of a die when its array is done, whose end may move while the array is suspended.

    It sleeps until an end that it has known of. Where that has moved, it sleeps on, or pauses if there is none now.
    """

    suspension: Suspension
    is_set: bool

    def __init__(self, env: Any, suspension: Suspension, die: int) -> None:
        self.env = env
        self.suspension = suspension
        self.die = die
        self.is_set = False

    def go_on(self) -> int:
        """Wake the process if the array is done, and return the time that is left otherwise."""
        if self.suspension.is_open[self.die]:
            left_ns = self.suspension.end_ns[self.die] - now(self.env)
            if left_ns > 0:
                return left_ns
            self.suspension.wake(self.die)
        self.is_set = False
        return PAUSE


@final
class Suspension:
    """The rules by which commands are suspended, and the state of each die's array that can be.

    A program or an erase stops for reads that requests wait for. A read of the wordline that is being programmed waits
    for it.
    What urgent collection goes before (`SchedulingPolicy`) does not suspend it.

    From the decision it takes `suspend_ns` until the die is free, and from the end of the last that was let pass
    `resume_ns` until the array goes on where it stopped. Commands of suspending and resuming are part of these times;
    that they cross the bus is left out. Between two suspensions the array works for `least_ns`, and a command is
    suspended `most` times. One command of a die is suspended at a time: a program during an erase's suspension is not.
    """

    policy: SuspensionPolicy
    scheduling: SchedulingPolicy
    dies: Dies
    transactions: Transactions
    blocks: Blocks
    counters: FlashCounters
    suspends: Int8s  # by operation: whether it may be suspended
    suspend_ns: Int64s  # by operation
    least_ns: Int64s  # by operation
    resume_ns: int
    most: int
    lane: Int64s  # by die: that of the command whose array can be suspended
    is_open: Int8s  # by die: its array is at work and may be suspended now, and its process waits to be woken
    end_ns: Int64s  # by die: when its array is done, if it is not suspended once more
    stopped_ns: Int64s  # by die: since when its array has been suspended
    left_ns: Int64s  # by die: how long the suspended command still needs the array
    planes: Int64s  # by die: at work by the suspended command
    was_urgent: Int8s  # by die: the suspended command is of a collection that was urgent
    timers: list[Any]  # by die

    def __init__(
        self,
        policy: SuspensionPolicy,
        scheduling: SchedulingPolicy,
        dies: Dies,
        blocks: Blocks,
        counters: FlashCounters,
        wanted: Any,
        hardware: Any,
    ) -> None:
        self.policy = policy
        self.scheduling = scheduling
        self.dies = dies
        self.transactions = dies.transactions
        self.blocks = blocks
        self.counters = counters
        self.suspends = array("b", [name in wanted.operations for name in OPERATIONS])
        suspend_us = {PROGRAM: hardware.program_suspend_us, ERASE: hardware.erase_suspend_us}
        least_us = {PROGRAM: wanted.program_least_us, ERASE: wanted.erase_least_us}
        self.suspend_ns = array("q", [to_ns(suspend_us.get(op, 0)) for op in range(len(OPERATIONS))])
        self.least_ns = array("q", [to_ns(least_us.get(op, 0)) for op in range(len(OPERATIONS))])
        self.resume_ns = to_ns(hardware.resume_us)
        self.most = wanted.most
        count = dies.count
        self.lane = array("q", range(0, count * dies.lanes_per_die, dies.lanes_per_die))
        self.is_open = array("b", [0] * count)
        self.end_ns = array("q", [0] * count)
        self.stopped_ns = array("q", [0] * count)
        self.left_ns = array("q", [0] * count)
        self.planes = array("q", [0] * count)
        self.was_urgent = array("b", [0] * count)
        self.timers = []
        policy.bind(self.transactions)

    def connect(self, env: Any) -> None:
        """Start the timers on the clock of `env`."""
        self.timers = [ArrayTimer(env, self, die) for die in range(self.dies.count)]
        for timer in self.timers:
            timer.is_set = True
            run_routine(env, timer)

    # What may suspend.

    def admits(self, transaction: int) -> bool:
        """Return whether `transaction` may start as far as a suspended command of its die is concerned."""
        command = self.dies.suspended[self.transactions.die[transaction]]
        return not command or self.may_interrupt(command, transaction)

    def may_interrupt(self, command: int, transaction: int) -> bool:
        """Return whether `transaction` may be carried out while `command` is suspended."""
        transactions = self.transactions
        if transactions.op[transaction] != READ or not transactions.is_of_host(transaction):
            return False
        if self.dies.critical_planes[transactions.die[transaction]] and not transactions.is_of_host(command):
            return False
        return not self.is_on_wordline(command, transaction)

    @cfunc
    def is_on_wordline(self, command: int, transaction: int) -> bool:
        """Return whether `transaction` is of the cells that `command` was programming when it was suspended."""
        transactions = self.transactions
        order = self.blocks.order
        if transactions.op[command] != PROGRAM:
            return False
        while command:
            if transactions.block[command] == transactions.block[transaction]:
                wordline: int = order.wordline_of(transactions.page[command])
                return wordline == order.wordline_of(transactions.page[transaction])
            command = transactions.partner[command]
        return False

    def arrived(self, transaction: int) -> None:
        """Have the array of its die stop if `transaction`, which has just been queued, is worth that."""
        die = self.transactions.die[transaction]
        if self.is_open[die] and self.is_worth(die, transaction):
            self.wake(die)

    def is_called_for(self, die: int) -> bool:
        """Return whether something that waits for `die` is worth suspending its command."""
        waiting = self.dies.queues.head[die * QUEUES + HOST_READS]
        while waiting:
            if self.is_worth(die, waiting):
                return True
            waiting = self.transactions.next[waiting]
        return False

    @cfunc
    def is_worth(self, die: int, waiting: int) -> bool:
        """Return whether `waiting` may suspend the command of `die`, would start sooner by that, and is to."""
        command = self.dies.transaction[self.lane[die]]
        end_ns = self.end_ns[die]
        timer = cast(ArrayTimer, self.timers[die])
        if end_ns - now(timer.env) <= self.suspend_ns[self.transactions.op[command]]:
            return False
        if not self.may_interrupt(command, waiting) or not self.may_start_alone(waiting):
            return False
        return self.policy.suspends(waiting, command, end_ns)

    @cfunc
    def may_start_alone(self, waiting: int) -> bool:
        """Return whether the flash would allow `waiting` if its die executed nothing."""
        lanes = self.dies.lanes
        if lanes is None:
            return self.scheduling.may_start(waiting)
        lanes.is_off = True
        may: bool = self.scheduling.may_start(waiting)
        lanes.is_off = False
        return may

    # The array of a die.

    def open(self, die: int) -> None:
        """Have the process of `die` be woken when its array is done, or earlier by what is worth suspending it."""
        self.is_open[die] = True
        timer = cast(ArrayTimer, self.timers[die])
        if not timer.is_set:  # else it wakes at an earlier end
            timer.is_set = True
            resume_routine(timer, self.end_ns[die] - now(timer.env))

    def wake(self, die: int) -> None:
        """Wake the process of `die` in this instant."""
        self.is_open[die] = False
        resume_routine(cast(Routine, self.dies.processes[self.lane[die]]), 0)
