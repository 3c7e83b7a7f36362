# cython: infer_types=True
"""The transaction scheduling unit (TSU): what waits for which die, and when a die is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine, resume_routine
from ssdsim.flash.die import Die
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transaction import Transaction

if TYPE_CHECKING:
    from ssdsim.flash.multi_plane import MultiPlaneCommands
    from ssdsim.flash.scheduler.policy import SchedulingPolicy


@final
class TransactionSchedulingUnit(Routine):
    """Queues transactions, wakes idle dies, and has the policy choose when a die is given the bus.

    As a process it acts after all pages of a request have been queued, and before the next request of that nanosecond
    is admitted (`ssdsim.host.queue`): the order of pages within a request does not decide which die starts first.
    """

    rung: bool  # its process is going to be resumed, or has not begun
    planes_per_die: int
    woken: list[Any]  # of which so many have work since the process ran
    multi_plane: MultiPlaneCommands  # or None
    queued: list[Any]  # whom to tell of programs (`ssdsim.flash.observer`)
    sequence: int  # of the next transaction to be submitted

    def __init__(
        self, env: Any, policy: SchedulingPolicy, dies: list[Any], blocks: Blocks, timing: FlashTiming, observers: Any
    ) -> None:
        self.env = env
        self.timing = timing
        self.policy = policy
        self.dies = dies
        self.blocks = blocks
        self.planes_per_die = blocks.planes // len(dies)
        self.woken = list(dies)
        self.wakings = 0
        self.rung = True
        self.sequence = 0
        self.multi_plane = None
        self.queued = observers.queued
        policy.bind(blocks)

    def bind(self, multi_plane: MultiPlaneCommands | None) -> None:
        """Receive the builder of multi-plane commands, or None."""
        self.multi_plane = multi_plane

    def submit(self, transaction: Transaction) -> None:
        """Queue `transaction`, which knows its `op` and `ppa`, for its die."""
        transaction.block = self.blocks.block_of(transaction.ppa)
        transaction.page = transaction.ppa - transaction.block * self.blocks.pages_per_block
        transaction.page_type = self.timing.page_type[transaction.page]
        transaction.plane = self.blocks.plane_of(transaction.block)
        transaction.die = transaction.plane // self.planes_per_die
        die: Die = self.dies[transaction.die]
        transaction.sequence = self.sequence
        transaction.passed = 0
        self.sequence += 1
        transaction.queued_ns = now(self.env)
        die.begin_wait(transaction)
        if transaction.op == READ:
            self.blocks.add_reader(transaction.block)
        die.queue_for(transaction).append(transaction)
        die.waiting += 1
        self.wake(die)
        if transaction.op == PROGRAM:
            for tell in self.queued:
                tell(transaction)

    def wake(self, die: Die) -> None:
        """Have `die` look for work if it is idle: there is some, or some that waited for another die can start now."""
        if die.idle and die.waiting:
            die.idle = False
            self.woken[self.wakings] = die
            self.wakings += 1
            if not self.rung:
                self.rung = True
                resume_routine(self, 0)

    def wake_for(self, block: int) -> None:
        """Have the die of `block` look for work: what may be done to the block has changed."""
        self.wake(self.dies[self.blocks.plane_of(block) // self.planes_per_die])

    def take(self, die: Die) -> Transaction | None:
        """Take the transaction that `die` is to start, and its partners, out of their queues; return it, or None."""
        transaction = self.policy.select(die)
        if transaction is not None:
            return self.taken(die, transaction)
        return None

    @cfunc
    def take_of_collection(self, die: Die) -> Transaction:
        """Take the next transaction of a collection that keeps its channel: a read that may start, or the rest.

        Where a page of the host's comes before one of its own in their block, that page goes first.
        """
        transaction = self.policy.first(die.gc_reads)
        if transaction is None:
            transaction = self.policy.first(die.gc_writes)
        if transaction is None and die.gc_writes.length and die.gc_writes.head.op == PROGRAM:
            transaction = self.policy.first(die.host_writes)
        return None if transaction is None else self.taken(die, transaction)

    def taken(self, die: Die, transaction: Transaction) -> Transaction:
        """Take `transaction` and its partners out of their queues and return it."""
        die.queue_for(transaction).remove(transaction)
        die.waiting -= 1
        self.policy.taken(die, transaction)
        if self.multi_plane is not None:
            return self.multi_plane.complete(die, transaction)
        return transaction

    def go_on(self) -> int:
        """Send each idle die that has new work to the line for its channel's bus, and wait for more of them."""
        die: Die
        number: int = 0
        while number < self.wakings:
            die = self.woken[number]
            die.bus.ask(die)
            number += 1
        while number > 0:
            die = self.woken[self.wakings - number]
            die.bus.offer_bus()
            number -= 1
        self.wakings = 0
        self.rung = False
        return PAUSE
