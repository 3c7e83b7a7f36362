# cython: infer_types=True
"""Scheduling policies that go by source, direction, age, place and page type."""

from __future__ import annotations

from array import array
from functools import partial
from typing import Any, Final

from ssdsim._core.blocks import COLLECTING
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.config.validators import check_option, is_count
from ssdsim.flash.dies import GC_WRITES, HOST_READS, HOST_WRITES, QUEUES
from ssdsim.flash.multi_plane import MultiPlaneCommands
from ssdsim.flash.scheduler.unit import ReadPriority, SchedulingPolicy

MORE_TYPES: Final = 5  # than pages have


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
    multi_plane: MultiPlaneCommands

    def __init__(self, pass_limit: int = 16) -> None:
        allowed = partial(is_count, minimum=0, maximum=10**9)
        check_option("scheduler.options.pass_limit", pass_limit, allowed, "a whole number of at least 0, at most 1e9")
        self.pass_limit = pass_limit

    def bind(self, scheduler: Any) -> None:
        """Receive the `TransactionSchedulingUnit`, with what says which transactions join."""
        SchedulingPolicy.bind(self, scheduler)
        self.multi_plane = scheduler.multi_plane

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
        """Move back the programs that `transaction` has passed."""
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
