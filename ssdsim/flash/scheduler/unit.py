# cython: infer_types=True
"""The transaction scheduling unit (TSU): what waits for which die, and when a die is told of it."""

from __future__ import annotations

from array import array
from typing import Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine, resume_routine
from ssdsim.flash.dies import GC_READS, GC_WRITES, HOST_WRITES, QUEUES, Channel, Dies, TransactionQueues
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.scheduler.policy import SchedulingPolicy
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions
from ssdsim.flash.wordlines import OneShotWordlines


@final
class TransactionSchedulingUnit(Routine):
    """Queues transactions, wakes idle dies, and has the policy choose when a die is given the bus.

    As a process it acts after all pages of a request have been queued, and before the next request of that nanosecond
    is admitted (`ssdsim.host.queue`): the order of pages within a request does not decide which die starts first.
    """

    env: Any  # None before `connect`
    dies: Dies
    queues: TransactionQueues
    transactions: Transactions
    rung: bool  # its process is going to be resumed, or has not begun
    planes_per_die: int
    woken: Int64s  # dies, of which so many have work since the process ran
    multi_plane: MultiPlaneCommands  # or None
    wordlines: OneShotWordlines  # or None where pages are programmed one by one
    tells_arrivals: bool  # the policy has an `arrived` of its own, or dies may suspend for what has
    tells_starts: bool  # the policy has a `taken` of its own
    queued: list[Any]  # whom to tell of programs (`ssdsim.flash.observer`)
    in_order: bool  # of channels that start at once the first goes first, not the one that was asked first (MQSim)
    sequence: int  # of the next transaction to be submitted

    def __init__(
        self,
        policy: SchedulingPolicy,
        dies: Dies,
        blocks: Blocks,
        timing: FlashTiming,
        multi_plane: MultiPlaneCommands | None,
        observers: Any,
    ) -> None:
        self.env = None
        self.timing = timing
        self.policy = policy
        self.dies = dies
        self.queues = dies.queues
        self.transactions = dies.transactions
        self.blocks = blocks
        self.planes_per_die = blocks.planes // dies.count
        self.woken = array("q", range(dies.count))
        self.wakings = 0
        self.rung = True
        self.sequence = 0
        self.multi_plane = multi_plane
        self.wordlines = None
        self.queued = observers.queued
        self.in_order = False
        self.tells_arrivals, self.tells_starts = (  # calls that nearly no policy heeds are left out
            getattr(type(policy), name) is not getattr(SchedulingPolicy, name) for name in ("arrived", "taken")
        )
        policy.bind(self)

    def connect(self, env: Any) -> None:
        """Receive the clock; before that, no time passes (`ssdsim.flash.instant`)."""
        self.env = env
        self.tells_arrivals = self.tells_arrivals or not self.dies.plain

    def submit(self, transaction: int) -> None:
        """Queue `transaction`, which knows its `op` and `ppa`, for its die."""
        transactions = self.transactions
        ppa = transactions.ppa[transaction]
        block = self.blocks.block_of(ppa)
        page = ppa - block * self.blocks.pages_per_block
        plane = self.blocks.plane_of(block)
        die = plane // self.planes_per_die
        now_ns: int = now(self.env)
        transactions.block[transaction] = block
        transactions.page[transaction] = page
        transactions.page_type[transaction] = self.timing.page_type[page]
        if self.blocks.has_slc and self.blocks.slc(block):
            transactions.page_type[transaction] = -1
        transactions.plane[transaction] = plane
        transactions.die[transaction] = die
        transactions.sequence[transaction] = self.sequence
        transactions.passed[transaction] = 0
        transactions.queued_ns[transaction] = now_ns
        self.sequence += 1
        self.dies.begin_wait(die, transaction, now_ns)
        op = transactions.op[transaction]
        if op == READ:
            self.blocks.add_reader(block)
        first = transaction
        if op == PROGRAM and self.wordlines is not None and transactions.page_type[transaction] >= 0:
            first = self.wordlines.add(transaction)  # 0 unless the wordline is complete
            if first:
                transactions.sequence[first] = transactions.sequence[transaction]
        if first:
            self.enqueue(first)
        if op == PROGRAM:
            self.transactions.tell(self.queued, transaction)

    @inline
    def enqueue(self, first: int) -> None:
        """Queue a command, of one transaction or of those of a wordline, and tell its die."""
        die = self.transactions.die[first]
        self.queues.insert(self.dies.queue_for(first), first, 0)
        self.dies.waiting[die] += 1
        self.wake(die)
        if self.tells_arrivals:
            self.tell_arrival(die, first)

    @cfunc
    def tell_arrival(self, die: int, transaction: int) -> None:
        """Announce a transaction that has just been put at the end of its queue."""
        self.policy.arrived(transaction)
        if not self.dies.plain:
            lanes = cast(Lanes, self.dies.lanes[die])
            lanes.suspension.arrived(transaction)

    def wake(self, die: int) -> None:
        """Have `die` look for work if it is idle: there is some, or some that waited for another die can start now."""
        if self.dies.idle[die] and self.dies.waiting[die]:
            self.dies.idle[die] = False
            self.dies.asks[die] = True
            self.woken[self.wakings] = die
            self.wakings += 1
            if not self.rung:
                self.rung = True
                resume_routine(self, 0)

    def wake_for(self, block: int) -> None:
        """Have the dies of `block` and of those aligned with it look for work: what may be done to them has changed."""
        plane = self.blocks.unit_of(block) * self.blocks.span
        for die in range(plane // self.planes_per_die, (plane + self.blocks.span - 1) // self.planes_per_die + 1):
            self.wake(die)

    def take(self, die: int) -> int:
        """Take the transaction that `die` is to start, and its partners, out of their queues; return it, or 0."""
        transaction = self.policy.select(die)
        return self.taken(die, transaction) if transaction else 0

    @cfunc
    def take_of_collection(self, die: int) -> int:
        """Take the next transaction of a collection that keeps its channel: a read that may start, or the rest.

        Where a page of the host's comes before one of its own in their block, that page goes first.
        """
        writes = die * QUEUES + GC_WRITES
        transaction = self.policy.first(die * QUEUES + GC_READS)
        if not transaction:
            transaction = self.policy.first(writes)
        oldest = self.queues.head[writes]
        if not transaction and oldest and self.transactions.op[oldest] == PROGRAM:
            transaction = self.policy.first(die * QUEUES + HOST_WRITES)
        return self.taken(die, transaction) if transaction else 0

    @inline
    def taken(self, die: int, transaction: int) -> int:
        """Take `transaction` and its partners out of their queues and return it."""
        self.queues.remove(self.transactions.queue[transaction], transaction)
        self.dies.waiting[die] -= 1
        if self.tells_starts:
            self.policy.taken(die, transaction)
        if self.multi_plane is not None:
            return self.multi_plane.complete(die, transaction)
        return transaction

    def go_on(self) -> int:
        """Send each idle die that has new work to the line for its channel's bus, and wait for more of them."""
        number: int = 0
        while number < self.wakings:
            lane = self.woken[number] = self.dies.free_lane(self.woken[number])
            bus = cast(Channel, self.dies.buses[lane])
            bus.ask(lane)
            number += 1
        if self.in_order:
            self.sort_woken()
        while number > 0:
            bus = cast(Channel, self.dies.buses[self.woken[self.wakings - number]])
            bus.offer_bus()
            number -= 1
        self.wakings = 0
        self.rung = False
        return PAUSE

    @cfunc
    def sort_woken(self) -> None:
        """Put the dies that were woken in the order of their channels."""
        for number in range(1, self.wakings):
            lane = self.woken[number]
            place: int = number
            while place > 0 and self.woken[place - 1] > lane:
                self.woken[place] = self.woken[place - 1]
                place -= 1
            self.woken[place] = lane
