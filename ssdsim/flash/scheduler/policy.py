# cython: infer_types=True
"""The contract of scheduling policies, and those that go by source, direction, age, place and page type."""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, PROGRAM, PROGRAMS, READ
from ssdsim._core.columns import Int64s
from ssdsim.config.validators import check_option, is_count
from ssdsim.device_view import Policy
from ssdsim.flash.dies import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES, Dies, TransactionQueues
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions

if TYPE_CHECKING:
    from ssdsim.flash.multi_plane import MultiPlaneCommands


MORE_TYPES: Final = 5  # than pages have


class SchedulingPolicy(Policy):
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
    multi_plane: MultiPlaneCommands  # or None where each transaction runs alone

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, scheduler: Any) -> None:
        """Receive the `TransactionSchedulingUnit`, with the state of blocks and dies and what waits for these."""
        self.blocks = scheduler.blocks
        self.dies = scheduler.dies
        self.queues = self.dies.queues
        self.transactions = self.dies.transactions
        self.timing = scheduler.timing
        self.multi_plane = scheduler.multi_plane

    def arrived(self, transaction: int) -> None:
        """React to `transaction`, which has just been put at the end of its queue, and may be moved there."""

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, one in its queues that `may_start`, or 0; change nothing."""
        host = die * QUEUES  # the first of its queues: reads, writes, and those of others than the host
        others = host + GC_READS
        is_critical: bool = self.dies.critical_planes[die] != 0
        chosen = 0 if is_critical else self.choose(host, host + 1)
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
            if self.blocks.may_program(transactions.block[transaction], transactions.page[transaction]):
                return True
            return not self.dies.plain and op == PROGRAM and self.lanes_of(transaction).may_follow(transaction)
        if op == ERASE:
            return self.blocks.may_erase(transactions.block[transaction])
        return True

    @cfunc
    def lanes_of(self, transaction: int) -> Lanes:
        """Return the rules by which commands of the die of `transaction` overlap."""
        return cast(Lanes, self.dies.lanes[self.transactions.die[transaction]])

    @cfunc
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


class HostReadsFirst(ReadPriority):
    """The host's reads first, even before urgent garbage collection; everything else as by `ReadPriority`.

    A collection does not overtake the host's writes that were queued before it began; those that come while it is under
    way wait for it, if it is urgent (SPD, 2.3 and 6.1).
    """

    def select(self, die: int) -> int:
        """Return the host's oldest read, or its oldest write if no collection began since, or as read priority does."""
        read = self.first(die * QUEUES + HOST_READS)
        if read:
            return read
        if self.dies.urgent_planes[die]:
            write = self.first(die * QUEUES + HOST_WRITES)
            if write and self.transactions.sequence[write] < self.dies.collection_began[die]:
                return write
        return SchedulingPolicy.select(self, die)


class ErasesLast(ReadPriority):
    """Reads first, then programs, then erases, as MQSim has it; of each, the oldest first.

    Where collection goes before the host, nothing of the host's passes an erase that waits, either, save what it waits
    for: reads of its block, and writes that take the place of pages there. MQSim's erases do not wait for these writes.
    """

    def choose(self, reads: int, writes: int) -> int:
        """Return the oldest read, or else the oldest write, or else the oldest erase.

        Before any of the host's goes one that an erase waits for, where collection goes first.
        """
        is_critical: bool = self.dies.critical_planes[reads // QUEUES] != 0
        if is_critical and reads % QUEUES == HOST_READS and self.queues.head[reads + GC_WRITES]:
            awaited = self.first_awaited(reads)
            if not awaited:
                awaited = self.first_awaited(writes)
            if awaited:
                return awaited
        read = self.first(reads) if self.queues.head[reads] else 0
        if read:
            return read
        transaction = oldest = self.queues.head[writes]
        while transaction and (self.transactions.op[transaction] == ERASE or not self.may_start(transaction)):
            transaction = self.transactions.next[transaction]
        return self.first(writes) if oldest and not transaction else transaction

    @cfunc
    def first_awaited(self, queue: int) -> int:
        """Return the oldest transaction of `queue` that may start and that an erase waits for, or 0."""
        transaction = self.queues.head[queue]
        while transaction and not (self.is_awaited(transaction) and self.may_start(transaction)):
            transaction = self.transactions.next[transaction]
        return transaction

    @cfunc
    def is_awaited(self, transaction: int) -> bool:
        """Return whether the erase of a block being collected may wait for `transaction`."""
        if self.transactions.op[transaction] == READ:
            return self.blocks.state(self.transactions.block[transaction]) == COLLECTING
        before = self.transactions.before[transaction]
        return before >= 0 and self.blocks.state(self.blocks.block_of(before)) == COLLECTING


class LowestDieFirst(ReadPriority):
    """Reads first, oldest first; then the oldest write or erase of the lowest die of the chip (SSDSim).

    Where dies are commanded each by itself that is `ReadPriority`. It visits all writes that wait for a chip.
    """

    def choose(self, reads: int, writes: int) -> int:
        """Return the oldest read, or else the oldest write or erase of the lowest die."""
        read = self.first(reads)
        return read if read else self.first_of_lowest_die(writes)

    @cfunc
    def first_of_lowest_die(self, queue: int) -> int:
        """Return the oldest transaction that may start of those of `queue` for the lowest die, or 0."""
        planes_per_die: int = self.device.hardware.planes_per_die
        chosen = 0
        lowest_die = 0
        transaction = self.queues.head[queue]
        while transaction:
            die = self.transactions.plane[transaction] // planes_per_die
            if (not chosen or die < lowest_die) and self.may_start(transaction):
                chosen = transaction
                lowest_die = die
            transaction = self.transactions.next[transaction]
        return chosen


class Paq(ReadPriority):
    """Physically addressed queueing (PAQ; Jung and Kandemir, ISCA 2012): out of order, by where the data lies in flash.

    Where read priority selects a transaction, one of the same queue goes in its place: that which starts the largest
    multi-plane command with what is queued, the oldest of equals. That a transaction for a busy die does not hold up
    those for other dies and chips needs no rule, as each die has its own queues and the bus is given to dies.

    A transaction that may start and has been passed `pass_limit` times by younger ones of its queue goes first, so that
    none starves; at the default, a read is passed for about the time of a program.

    A selection holds each transaction of one queue against all others, unless two planes are the most that can join.
    """

    pass_limit: int

    def __init__(self, pass_limit: int = 16) -> None:
        allowed = partial(is_count, minimum=0, maximum=10**9)
        check_option("scheduler.options.pass_limit", pass_limit, allowed, "a whole number of at least 0, at most 1e9")
        self.pass_limit = pass_limit

    def select(self, die: int) -> int:
        """Return the transaction that starts the largest command of those whose turn it is, or 0."""
        chosen = SchedulingPolicy.select(self, die)
        return self.widest(die, self.transactions.queue[chosen]) if chosen else 0

    @cfunc
    def widest(self, die: int, queue: int) -> int:
        """Return the transaction of `queue` that is passed no more, or else that with the largest command."""
        widest = 0
        largest_width = 0
        transaction = self.queues.head[queue]
        while transaction:
            if self.may_start(transaction):
                if self.transactions.passed[transaction] >= self.pass_limit:
                    return transaction
                width = self.multi_plane.width(die, transaction) if largest_width < self.multi_plane.group else 0
                if width > largest_width:
                    widest = transaction
                    largest_width = width
            transaction = self.transactions.next[transaction]
        return widest

    def taken(self, die: int, transaction: int) -> None:
        """Count a pass of each older transaction of the queue that might have started in its place."""
        transactions = self.transactions
        older = self.queues.head[transactions.queue[transaction]]
        while older and transactions.sequence[older] < transactions.sequence[transaction]:
            transactions.passed[older] += self.may_start(older)
            older = transactions.next[older]


class PageTypeOrder(SchedulingPolicy):
    """Page-type aware scheduling (PAS; PA-SSD, section 4.4.2): quick programs before slow ones, on top of any policy.

    Where policy `base` selects a program, the oldest of the lowest page type in the same queue takes its place. Those
    that it passes move back, each to the place of the next program, so that reads and erases keep their turns. A
    program that may start is passed at most `pass_limits[t - 1]` times if its page type is t > 0 (the last limit holds
    for all further types); then it goes before all but older ones of the lowest type queued.

    A selection visits all of the queue.
    """

    limits: Int64s  # by page type, after that of SLC mode: passes after which a program is passed no more

    def __init__(self, base: SchedulingPolicy, pass_limits: Any) -> None:
        *_, last = pass_limits
        self.base = base
        self.limits = array("q", [0, 0, *pass_limits, last, last, last])  # enough for four page types

    def bind(self, scheduler: Any) -> None:
        """Receive the scheduler, and pass it on."""
        SchedulingPolicy.bind(self, scheduler)
        self.base.bind(scheduler)

    def arrived(self, transaction: int) -> None:
        """Pass on what has arrived."""
        self.base.arrived(transaction)

    def select(self, die: int) -> int:
        """Return the selection of the base policy, or the program that is to go in its place."""
        chosen = self.base.select(die)
        if not chosen or self.transactions.op[chosen] != PROGRAM:
            return chosen
        return self.next_program(self.transactions.queue[chosen])

    @cfunc
    def next_program(self, queue: int) -> int:
        """Return the oldest program that is of the lowest type queued or is passed no more, or else the quickest."""
        transactions = self.transactions
        lowest = MORE_TYPES
        quickest = 0  # the oldest of the lowest type that may start
        overdue = 0  # the oldest that is passed no more and may start
        transaction = self.queues.head[queue]
        while transaction:
            if transactions.op[transaction] == PROGRAM:
                page_type = transactions.page_type[transaction]
                lowest = min(lowest, page_type)
                is_quicker: bool = not quickest or page_type < transactions.page_type[quickest]
                is_overdue: bool = not overdue and transactions.passed[transaction] >= self.limits[page_type + 1]
                if (is_quicker or is_overdue) and self.may_start(transaction):
                    quickest = transaction if is_quicker else quickest
                    overdue = transaction if is_overdue else overdue
            transaction = transactions.next[transaction]
        is_lowest: bool = transactions.page_type[quickest] == lowest
        if not overdue or (is_lowest and transactions.sequence[quickest] < transactions.sequence[overdue]):
            return quickest
        return overdue

    def taken(self, die: int, transaction: int) -> None:
        """Let the programs that `transaction` has passed move back."""
        self.base.taken(die, transaction)
        if self.transactions.op[transaction] == PROGRAM:
            self.move_back(self.transactions.queue[transaction], self.transactions.sequence[transaction])

    @cfunc
    def move_back(self, queue: int, sequence: int) -> None:
        """Count a pass of each older program that may start; hand places down from the oldest such to `sequence`."""
        transactions = self.transactions
        moved = 0
        transaction = self.queues.head[queue]
        while transaction and transactions.sequence[transaction] < sequence:
            following = transactions.next[transaction]
            if transactions.op[transaction] == PROGRAM:
                passed: int = self.may_start(transaction)
                transactions.passed[transaction] += passed
                if moved:
                    transactions.sequence[moved] = transactions.sequence[transaction]
                if moved or passed:
                    moved = transaction
            elif moved:
                self.queues.remove(queue, transaction)
                self.queues.insert(queue, transaction, moved)
            transaction = following
        if moved:
            transactions.sequence[moved] = sequence
