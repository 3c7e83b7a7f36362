# cython: infer_types=True
"""What every scheduling policy owes the scheduler, and the policies: by source, direction, age, planes, page types."""

from __future__ import annotations

from array import array
from typing import Any

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, HOST, MAPPING, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim.flash.die import Die
from ssdsim.flash.transaction import Transaction, TransactionQueue


class SchedulingPolicy:
    """Chooses among the transactions that wait for a die.

    `select` is called when the die is idle and has been given the bus. It returns one of the die's queued
    transactions that `may_start`, without taking it out, or None; it must not change anything. Each queue is in order
    of arrival (`sequence`), and work for others than the host stands in queues of its own; it goes after the host's
    until collection in a plane of the die is urgent (`die.urgent_planes`). Then it has the turns of the host's writes,
    and where it is critical (`die.critical_planes`) those of the host's reads, too. `taken` follows when the die does
    start what was selected.
    """

    blocks: Blocks

    owed = ("choose(reads, writes) -> a transaction or None | select(die) -> a transaction or None",)

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, blocks: Blocks) -> None:
        """Receive the state of the flash blocks, once, before the run."""
        self.blocks = blocks

    def bind_multi_plane(self, multi_plane: Any) -> None:
        """Receive the builder of multi-plane commands, or None, once, before the run."""

    def select(self, die: Die) -> Transaction | None:
        """Return the transaction to start on `die`, or None."""
        if die.critical_planes:
            chosen = self.choose(die.gc_reads, die.gc_writes)
            return chosen if chosen is not None else self.choose(die.host_reads, die.host_writes)
        chosen = self.choose(die.host_reads, die.host_writes)
        if chosen is None or (die.urgent_planes and chosen.op != READ):
            others = self.choose(die.gc_reads, die.gc_writes)
            return chosen if others is None else others
        return chosen

    def choose(self, reads: TransactionQueue, writes: TransactionQueue) -> Transaction | None:
        """Return a transaction of one source that may start, or None."""
        raise NotImplementedError

    def taken(self, die: Die, transaction: Transaction) -> None:
        """React when `transaction` has just left its queue to start on `die`."""

    def may_start(self, transaction: Transaction) -> bool:
        """Return whether the flash allows `transaction` now.

        Pages of a block are programmed in order, whatever queue they stand in, and once they are whole. A block is not
        erased while reads are on their way to it, or to one that is aligned with it.
        """
        if transaction.op in (PROGRAM, COPYBACK):
            return transaction.rest is None and self.blocks.may_program(transaction.block, transaction.page)
        if transaction.op == ERASE:
            return self.blocks.may_erase(transaction.block)
        return True

    def first(self, queue: TransactionQueue) -> Transaction | None:
        """Return the oldest transaction of `queue` that may start, or None."""
        transaction = queue.head
        while transaction is not None and not self.may_start(transaction):
            transaction = transaction.next
        return transaction


class Fcfs(SchedulingPolicy):
    """First come, first served; of no paper, the least that a scheduler does."""

    def choose(self, reads: TransactionQueue, writes: TransactionQueue) -> Transaction | None:
        """Return the oldest transaction, whatever its direction."""
        read = self.first(reads)
        write = self.first(writes)
        if read is None or (write is not None and write.sequence < read.sequence):
            return write
        return read


class ReadPriority(SchedulingPolicy):
    """Reads first, oldest first; then writes and erases, oldest first. Of no paper, and usual."""

    def choose(self, reads: TransactionQueue, writes: TransactionQueue) -> Transaction | None:
        """Return the oldest read, or else the oldest write or erase."""
        read = self.first(reads)
        return read if read is not None else self.first(writes)


class HostReadsFirst(ReadPriority):
    """The host's reads first, even before urgent garbage collection; everything else as by `ReadPriority`.

    A collection does not overtake the host's writes that were queued before it began; those that come while it is under
    way wait for it, if it is urgent (SPD, 2.3 and 6.1).
    """

    def select(self, die: Die) -> Transaction | None:
        """Return the host's oldest read, or its oldest write if no collection began since, or as read priority does."""
        read = self.first(die.host_reads)
        if read is not None:
            return read
        if die.urgent_planes:
            write = self.first(die.host_writes)
            if write is not None and write.sequence < die.collection_began:
                return write
        return SchedulingPolicy.select(self, die)


class ErasesLast(ReadPriority):
    """Reads first, then programs, then erases, as MQSim has it; of each, the oldest first.

    Where collection goes before the host, nothing of the host's passes an erase that waits, either, save what it waits
    for: reads of its block, and writes that take the place of pages there. MQSim's erases do not wait for these writes.
    """

    def choose(self, reads: TransactionQueue, writes: TransactionQueue) -> Transaction | None:
        """Return the oldest read, or else the oldest write, or else the oldest erase."""
        read = self.first(reads)
        if read is not None:
            return read
        erase: Transaction = None
        transaction = writes.head
        while transaction is not None:
            if self.may_start(transaction):
                if transaction.op != ERASE:
                    return transaction
                if erase is None:
                    erase = transaction
            transaction = transaction.next
        return erase

    def select(self, die: Die) -> Transaction | None:
        """Return the choice of read priority, or before any other of the host's one that an erase waits for."""
        chosen = SchedulingPolicy.select(self, die)
        if chosen is None or not die.critical_planes or not die.gc_writes.length:
            return chosen
        if chosen.source not in (HOST, MAPPING, BACKUP):
            return chosen
        awaited = self.first_awaited(die.host_reads)
        if awaited is None:
            awaited = self.first_awaited(die.host_writes)
        return chosen if awaited is None else awaited

    def first_awaited(self, queue: TransactionQueue) -> Transaction | None:
        """Return the oldest transaction of `queue` that may start and that an erase waits for, or None."""
        transaction = queue.head
        while transaction is not None:
            if self.is_awaited(transaction) and self.may_start(transaction):
                return transaction
            transaction = transaction.next
        return None

    def is_awaited(self, transaction: Transaction) -> bool:
        """Return whether the erase of a block being collected may wait for `transaction`."""
        if transaction.op == READ:
            return self.blocks.state(transaction.block) == COLLECTING
        before = transaction.before
        return before >= 0 and self.blocks.state(self.blocks.block_of(before)) == COLLECTING


class PageTypeOrder(SchedulingPolicy):
    """Page-type aware scheduling (PAS; PA-SSD, section 4.4.2): quick programs before slow ones, on top of any policy.

    Where policy `base` selects a program, the oldest of the lowest page type in the same queue takes its place. Those
    that it passes move back, each to the place of the next program, so that reads and erases keep their turns. A
    program that may start is passed at most `pass_limits[t - 1]` times if its page type is t > 0 (the last limit holds
    for all further types); then it goes before all but older ones of the lowest type queued.

    A selection visits what it passes and what may not start, and all of the queue if none of the lowest type may start.
    """

    limits: Int64s  # by page type: passes after which a program is passed no more

    def __init__(self, base: SchedulingPolicy, pass_limits: Any) -> None:
        *_, last = pass_limits
        self.base = base
        self.limits = array("q", [0, *pass_limits, last, last, last])  # enough for four page types

    def bind(self, blocks: Blocks) -> None:
        """Pass the state of the flash blocks on."""
        self.base.bind(blocks)

    def bind_multi_plane(self, multi_plane: Any) -> None:
        """Pass on what joins transactions."""
        self.base.bind_multi_plane(multi_plane)

    def may_start(self, transaction: Transaction) -> bool:
        """Return whether the base policy lets `transaction` start."""
        return self.base.may_start(transaction)

    def select(self, die: Die) -> Transaction | None:
        """Return the selection of the base policy, or the program that is to go in its place."""
        chosen = self.base.select(die)
        if chosen is None or chosen.op != PROGRAM:
            return chosen
        return self.next_program(die.queue_for(chosen))

    @cfunc
    def next_program(self, queue: TransactionQueue) -> Transaction | None:
        """Return the oldest program that is of the lowest type queued or is passed no more, or else the quickest."""
        lowest = queue.lowest_page_type()
        quickest: Transaction = None
        transaction = queue.head
        while transaction is not None:
            if transaction.op == PROGRAM and self.may_start(transaction):
                page_type = transaction.page_type
                if page_type == lowest or transaction.passed >= self.limits[page_type]:
                    return transaction
                if quickest is None or page_type < quickest.page_type:
                    quickest = transaction
            transaction = transaction.next
        return quickest

    def taken(self, die: Die, transaction: Transaction) -> None:
        """Let the programs that `transaction` has passed move back."""
        self.base.taken(die, transaction)
        if transaction.op == PROGRAM:
            self.move_back(die.queue_for(transaction), transaction.sequence)

    @cfunc
    def move_back(self, queue: TransactionQueue, sequence: int) -> None:
        """Count a pass of each older program that may start; hand places down from the oldest such to `sequence`."""
        moved: Transaction = None
        transaction: Transaction = queue.head
        while transaction is not None and transaction.sequence < sequence:
            following = transaction.next
            if transaction.op == PROGRAM:
                passed = self.may_start(transaction)
                transaction.passed += passed
                if moved is not None:
                    moved.sequence = transaction.sequence
                if moved is not None or passed:
                    moved = transaction
            elif moved is not None:
                queue.remove(transaction)
                queue.insert(transaction, moved)
            transaction = following
        if moved is not None:
            moved.sequence = sequence
