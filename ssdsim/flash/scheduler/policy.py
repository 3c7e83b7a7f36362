# cython: infer_types=True
"""What every scheduling policy owes the scheduler, and the policies: by source, direction, age, planes, page types."""

from __future__ import annotations

from array import array
from typing import Any

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPYBACK, ERASE, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.device_view import Policy
from ssdsim.flash.dies import Dies
from ssdsim.flash.queues import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES, TransactionQueues
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions


class SchedulingPolicy(Policy):
    """Chooses among the transactions that wait for a die.

    `select` is called when the die is idle and has been given the bus. It returns one of the die's queued
    transactions that `may_start`, without taking it out, or 0; it must not change anything. Each queue is in order
    of arrival (`sequence`), and work for others than the host stands in queues of its own; it goes after the host's
    until collection in a plane of the die is urgent (`Dies.urgent_planes`). Then it has the turns of the host's writes,
    and where it is critical (`Dies.critical_planes`) those of the host's reads, too. `taken` follows when the die does
    start what was selected, where that is overridden (`heeds_starts`). With `heeds_arrivals` it is told of each
    transaction that has `arrived` in its queue, and may move it there.
    """

    blocks: Blocks
    dies: Dies
    queues: TransactionQueues
    transactions: Transactions
    timing: FlashTiming
    heeds_arrivals: bool
    heeds_starts: bool

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, blocks: Blocks, dies: Dies) -> None:
        """Receive the state of the flash blocks, and of the dies with what waits for them, once, before the run."""
        self.blocks = blocks
        self.dies = dies
        self.queues = dies.queues
        self.transactions = dies.transactions
        self.heeds_arrivals = False
        self.heeds_starts = type(self).taken is not SchedulingPolicy.taken

    def bind_multi_plane(self, multi_plane: Any) -> None:
        """Receive the builder of multi-plane commands, or None, once, before the run."""

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, or 0."""
        host = die * QUEUES  # the first of its queues: reads, writes, and those of others than the host
        others = host + GC_READS
        if self.dies.critical_planes[die]:
            return self.select_critical(host)
        chosen = self.choose(host, host + 1)
        if not chosen or (self.dies.urgent_planes[die] and self.transactions.op[chosen] != READ):
            other = self.choose(others, others + 1)
            return other if other else chosen
        return chosen

    @cfunc
    def select_critical(self, host: int) -> int:
        """Return the transaction to start where collection goes first, by the first of the die's queues, or 0."""
        others = host + GC_READS
        chosen = self.choose(others, others + 1)
        return chosen if chosen else self.choose(host, host + 1)

    def choose(self, reads: int, writes: int) -> int:
        """Return a transaction of one source's queues that may start, or 0."""
        raise NotImplementedError

    def arrived(self, transaction: int) -> None:
        """React when `transaction` has just been put at the end of its queue."""

    def taken(self, die: int, transaction: int) -> None:
        """React when `transaction` has just left its queue to start on `die`."""

    def may_start(self, transaction: int) -> bool:
        """Return whether the flash allows `transaction` now.

        Pages of a block are programmed in order, whatever queue they stand in, and once they are whole. A block is not
        erased while reads are on their way to it, or to one that is aligned with it. Little passes a suspended command,
        and only reads start beside others.
        """
        transactions = self.transactions
        op = transactions.op[transaction]
        if not self.dies.plain and not self.may_pass(transaction):
            return False
        if op in (PROGRAM, COPYBACK):
            if transactions.rest[transaction]:
                return False
            if self.blocks.may_program(transactions.block[transaction], transactions.page[transaction]):
                return True
            return self.dies.lanes is not None and self.dies.lanes.may_follow(transaction, self.blocks)
        if op == ERASE:
            return self.blocks.may_erase(transactions.block[transaction])
        return True

    @cfunc
    def may_pass(self, transaction: int) -> bool:
        """Return whether `transaction` may pass the command that its die has suspended, or join those under way."""
        if self.dies.suspension is not None and not self.dies.suspension.admits(transaction):
            return False
        return self.dies.lanes is None or self.dies.lanes.admits(transaction)

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
        read = self.first(reads)
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
        """Return the oldest read, or else the oldest write, or else the oldest erase."""
        read = self.first(reads) if self.queues.head[reads] else 0
        if read:
            return read
        transaction = self.queues.head[writes]
        while transaction and (self.transactions.op[transaction] == ERASE or not self.may_start(transaction)):
            transaction = self.transactions.next[transaction]
        return transaction if transaction else self.first(writes)

    @cfunc
    def select_critical(self, host: int) -> int:
        """Return the choice of read priority, or before any other of the host's one that an erase waits for."""
        chosen = SchedulingPolicy.select_critical(self, host)
        if not chosen or not self.queues.head[host + GC_WRITES] or not self.transactions.is_of_host(chosen):
            return chosen
        awaited = self.first_awaited(host + HOST_READS)
        if not awaited:
            awaited = self.first_awaited(host + HOST_WRITES)
        return awaited if awaited else chosen

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


class PageTypeOrder(SchedulingPolicy):
    """Page-type aware scheduling (PAS; PA-SSD, section 4.4.2): quick programs before slow ones, on top of any policy.

    Where policy `base` selects a program, the oldest of the lowest page type in the same queue takes its place. Those
    that it passes move back, each to the place of the next program, so that reads and erases keep their turns. A
    program that may start is passed at most `pass_limits[t - 1]` times if its page type is t > 0 (the last limit holds
    for all further types); then it goes before all but older ones of the lowest type queued.

    A selection visits what it passes and what may not start, and all of the queue if none of the lowest type may start.
    """

    limits: Int64s  # by page type, after that of SLC mode: passes after which a program is passed no more

    def __init__(self, base: SchedulingPolicy, pass_limits: Any) -> None:
        *_, last = pass_limits
        self.base = base
        self.limits = array("q", [0, 0, *pass_limits, last, last, last])  # enough for four page types

    def bind(self, blocks: Blocks, dies: Dies) -> None:
        """Receive the state of blocks and dies, and pass it on."""
        SchedulingPolicy.bind(self, blocks, dies)
        self.base.bind(blocks, dies)

    def bind_multi_plane(self, multi_plane: Any) -> None:
        """Pass on what joins transactions."""
        self.base.bind_multi_plane(multi_plane)

    def may_start(self, transaction: int) -> bool:
        """Return whether the base policy lets `transaction` start."""
        return self.base.may_start(transaction)

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
        lowest = self.queues.lowest_page_type(queue)
        quickest = 0
        transaction = self.queues.head[queue]
        while transaction:
            if transactions.op[transaction] == PROGRAM and self.may_start(transaction):
                page_type = transactions.page_type[transaction]
                if page_type == lowest or transactions.passed[transaction] >= self.limits[page_type + 1]:
                    return transaction
                if not quickest or page_type < transactions.page_type[quickest]:
                    quickest = transaction
            transaction = transactions.next[transaction]
        return quickest

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
