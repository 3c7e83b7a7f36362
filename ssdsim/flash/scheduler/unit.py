# cython: infer_types=True
"""The transaction scheduling unit (TSU), the contract of its policies, and the two plainest of these."""

from __future__ import annotations

from array import array
from typing import Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, PROGRAM, PROGRAMS, READ, REQUESTED, SENSES
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim._core.schedule import PAUSE, Routine, resume_routine
from ssdsim.flash.bus import Channel
from ssdsim.flash.dies import GC_READS, GC_WRITES, HOST_WRITES, QUEUES, Dies, Selector
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import TransactionQueues, Transactions
from ssdsim.flash.wordlines import OneShotWordlines


class SchedulingPolicy(Selector):
    """Chooses among the transactions that wait for a die.

    The scheduler calls four methods: `bind` once, before the run; `arrived` when a transaction has been put at the end
    of its queue; `select` when a die is idle and has been given the bus; and `taken` when what was selected has left
    its queue. A policy that gives work for others than the host its usual turns overrides `choose` in place of
    `select`. `may_start` and `first` are there to be called.

    Work for others than the host stands in queues of its own; it goes after the host's until collection in a plane of
    the die is urgent (`Dies.urgent_planes`). Then it has the turns of the host's writes, and where it is critical
    (`Dies.critical_planes`) those of the host's reads, too.
    """

    blocks: Blocks
    dies: Dies
    queues: TransactionQueues
    transactions: Transactions
    timing: FlashTiming

    owed = ("choose(reads, writes) -> a whole number | select(die) -> a whole number",)

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, scheduler: Any) -> None:
        """Receive the `TransactionSchedulingUnit`, with the state of blocks and dies and what waits for these."""
        self.blocks = scheduler.blocks
        self.dies = scheduler.dies
        self.queues = self.dies.queues
        self.transactions = self.dies.transactions
        self.timing = scheduler.timing

    def arrived(self, transaction: int) -> None:
        """React to `transaction`, which has just been put at the end of its queue, and may be moved there."""

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, one in its queues that `may_start`, or 0; change nothing."""
        host = die * QUEUES  # the first of its queues: reads, writes, and those of others than the host
        others = host + GC_READS
        is_critical: bool = self.dies.critical_planes[die] != 0
        waits: bool = self.queues.head[host] != 0 or self.queues.head[host + 1] != 0
        chosen = self.choose(host, host + 1) if waits and not is_critical else 0
        if chosen and not (self.dies.urgent_planes[die] and self.transactions.op[chosen] != READ):
            return chosen
        other = self.choose(others, others + 1)
        if other:
            return other
        return self.choose(host, host + 1) if is_critical else chosen

    def taken(self, die: int, transaction: int) -> None:
        """React to `transaction`, which has just left its queue to start on `die`."""

    def choose(self, reads: int, writes: int) -> int:
        """Return a transaction of one source's queues that may start, or 0."""
        raise NotImplementedError

    # The rules of the flash.

    def may_start(self, transaction: int) -> bool:
        """Return whether the flash allows `transaction` now.

        Pages of a block are programmed in order, whatever queue they stand in, and once they are whole. A block is not
        erased while reads are on their way to it, or to one that is aligned with it. Little passes a suspended command,
        and only reads start beside others.
        """
        transactions = self.transactions
        op = transactions.op[transaction]
        if not self.dies.plain and not self.lanes_of(transaction).admits(transaction):
            return False
        if PROGRAMS >> op & 1:
            if transactions.rest[transaction]:
                return False
            if self.blocks.cells.may_program(transactions.block[transaction], transactions.page[transaction]):
                return True
            return not self.dies.plain and op == PROGRAM and self.lanes_of(transaction).may_follow(transaction)
        if op == ERASE:
            return self.blocks.may_erase(transactions.block[transaction])
        return True

    @cfunc
    def lanes_of(self, transaction: int) -> Lanes:
        """Return the rules by which commands of the die of `transaction` overlap."""
        return cast(Lanes, self.dies.lanes[self.transactions.die[transaction]])

    def first(self, queue: int) -> int:
        """Return the oldest transaction of `queue` that may start, or 0."""
        transaction = self.queues.head[queue]
        while transaction and not self.may_start(transaction):
            transaction = self.transactions.next[transaction]
        return transaction


class Fcfs(SchedulingPolicy):
    """First come, first served; of no paper, the least that a scheduler does."""

    def choose(self, reads: int, writes: int) -> int:
        """Return the oldest transaction, whatever its direction."""
        read = self.first(reads)
        write = self.first(writes)
        if not read or (write and self.transactions.sequence[write] < self.transactions.sequence[read]):
            return write
        return read


class ReadPriority(SchedulingPolicy):
    """Reads first, oldest first; then writes and erases, oldest first. Of no paper, and usual."""

    def choose(self, reads: int, writes: int) -> int:
        """Return the oldest read, or else the oldest write or erase."""
        read = self.first(reads) if self.queues.head[reads] else 0
        return read if read else self.first(writes)


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
        in_order: bool = False,
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
        self.in_order = in_order
        self.tells_arrivals, self.tells_starts = (  # calls that nearly no policy heeds are left out
            getattr(type(policy), name) is not getattr(SchedulingPolicy, name) for name in ("arrived", "taken")
        )
        policy.bind(self)

    def connect(self, env: Any) -> None:
        """Receive the clock; before that, no time passes (`ssdsim.flash.instant`)."""
        self.env = env
        self.tells_arrivals = self.tells_arrivals or not self.dies.plain

    def submit(self, transaction: int) -> None:
        """Queue `transaction`, which knows its `op` and `ppa`, for its die, and wake that if it is idle."""
        transactions, blocks, dies = self.transactions, self.blocks, self.dies
        ppa = transactions.ppa[transaction]
        op = transactions.op[transaction]
        block = blocks.block_of(ppa)
        page = ppa - block * blocks.pages_per_block
        plane = blocks.plane_of(block)
        die = plane // self.planes_per_die
        now_ns: int = now(self.env)
        is_slc: bool = blocks.has_slc and blocks.slc(block) > 0
        transactions.block[transaction] = block
        transactions.page[transaction] = page
        transactions.page_type[transaction] = -1 if is_slc else self.timing.page_type[page]
        transactions.plane[transaction] = plane
        transactions.die[transaction] = die
        transactions.sequence[transaction] = self.sequence
        transactions.passed[transaction] = 0
        transactions.queued_ns[transaction] = now_ns
        self.sequence += 1
        # what the die has worked for others than the host by now: what comes on top of that holds the transaction up
        gc_ns = dies.gc_busy_ns[die]
        urgent_ns = dies.urgent_busy_ns[die]
        if dies.gc_since_ns[die] >= 0:
            gc_ns += now_ns - dies.gc_since_ns[die]
            if dies.urgent_since_ns[die] >= 0:
                urgent_ns += now_ns - dies.urgent_since_ns[die]
        transactions.gc_mark_ns[transaction] = gc_ns
        transactions.urgent_mark_ns[transaction] = urgent_ns
        if (SENSES & ~PROGRAMS) >> op & 1:  # as long as the array has to read it
            blocks.add_reader(block)
        first = transaction
        if op == PROGRAM and self.wordlines is not None and not is_slc:
            first = self.wordlines.add(transaction)  # 0 unless the wordline is complete
            if first:
                transactions.sequence[first] = transactions.sequence[transaction]
        if first:
            queue: int = die * QUEUES
            if op != READ:
                queue += HOST_WRITES
            if not REQUESTED >> transactions.source[first] & 1:
                queue += GC_READS
            self.queues.insert(queue, first, 0)
            dies.waiting[die] += 1
            if dies.idle[die]:
                self.wake(die)
            if self.tells_arrivals:
                self.tell_arrival(die, first)
        if op == PROGRAM and self.queued:
            transactions.tell(self.queued, transaction)

    @cfunc
    def tell_arrival(self, die: int, transaction: int) -> None:
        """Announce a transaction that has just been put at the end of its queue."""
        self.policy.arrived(transaction)
        if not self.dies.plain:
            lanes = cast(Lanes, self.dies.lanes[die])
            lanes.suspension.arrived(transaction)

    def wake(self, die: int) -> None:
        """Wake `die` if it is idle: there is work, or some that waited for another die can start now."""
        if self.dies.idle[die] and self.dies.waiting[die]:
            self.dies.idle[die] = False
            self.dies.asks[die] = True
            self.woken[self.wakings] = die
            self.wakings += 1
            if not self.rung:
                self.rung = True
                resume_routine(self, 0)

    def wake_for(self, block: int) -> None:
        """Wake the dies of `block` and of those aligned with it: what may be done to them has changed."""
        if self.env is None:  # no die runs
            return
        plane = self.blocks.unit_of(block) * self.blocks.span
        for die in range(plane // self.planes_per_die, (plane + self.blocks.span - 1) // self.planes_per_die + 1):
            self.wake(die)

    def take(self, die: int, transaction: int) -> int:
        """Take a transaction that the die starts, and its partners, out of their queues; return the first of them."""
        self.queues.remove(self.transactions.queue[transaction], transaction)
        self.dies.waiting[die] -= 1
        if self.tells_starts:
            self.policy.taken(die, transaction)
        return transaction if self.multi_plane is None else self.multi_plane.complete(die, transaction)

    @cfunc
    def next_of_collection(self, die: int) -> int:
        """Return the next transaction of a collection that keeps its channel: a read that may start, or the rest.

        Where a page of the host's comes before one of its own in their block, that page goes first.
        """
        writes = die * QUEUES + GC_WRITES
        transaction = self.policy.first(die * QUEUES + GC_READS)
        if not transaction:
            transaction = self.policy.first(writes)
        oldest = self.queues.head[writes]
        if not transaction and oldest and self.transactions.op[oldest] == PROGRAM:
            transaction = self.policy.first(die * QUEUES + HOST_WRITES)
        return transaction

    def go_on(self) -> int:
        """Send each idle die that has new work to the line for its channel's bus, and wait for more of them."""
        number: int = 0
        while number < self.wakings:
            lane = self.woken[number]
            if not self.dies.plain:
                lane = self.woken[number] = self.dies.free_lane(lane)
            bus = cast(Channel, self.dies.buses[lane])
            bus.asking += 1
            bus.arbiter.ask(lane)
            number += 1
        if self.in_order:
            self.sort_woken()
        while number > 0:
            bus = cast(Channel, self.dies.buses[self.woken[self.wakings - number]])
            if bus.asking and not bus.bus_taken:
                bus.give_bus()
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
