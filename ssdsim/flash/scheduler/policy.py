# cython: infer_types=True
"""The contract of scheduling policies, the rules of the flash that they go by, and the two plainest."""

from __future__ import annotations

from typing import Any, cast

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, PROGRAM, PROGRAMS, READ
from ssdsim.device_view import Policy
from ssdsim.flash.dies import GC_READS, QUEUES, Dies, Overlap
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import TransactionQueues, Transactions


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
        if not self.dies.plain and not self.overlap_of(transaction).admits(transaction):
            return False
        if PROGRAMS >> op & 1:
            if transactions.rest[transaction]:
                return False
            if self.blocks.cells.may_program(transactions.block[transaction], transactions.page[transaction]):
                return True
            return not self.dies.plain and op == PROGRAM and self.overlap_of(transaction).may_follow(transaction)
        if op == ERASE:
            return self.blocks.may_erase(transactions.block[transaction])
        return True

    @cfunc
    def overlap_of(self, transaction: int) -> Overlap:
        """Return the rules by which commands of the die of `transaction` overlap."""
        return cast(Overlap, self.dies.lanes[self.transactions.die[transaction]])

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
