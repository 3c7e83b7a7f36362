# cython: infer_types=True
"""A die as the back end sees it: what waits for it, what it is doing, and how long it has been busy."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.codes import BACKUP, HOST, MAPPING, READ
from ssdsim._core.kernel import Routine
from ssdsim.flash.transaction import Transaction, TransactionQueue


class Channel:
    """A channel as its dies see it: `ssdsim.flash.controller.FlashController`."""

    env: Any

    def ask(self, die: Die) -> None:
        """Add `die` to those that want the bus; `offer_bus` follows in the same instant."""
        raise NotImplementedError

    def offer_bus(self) -> None:
        """Give the bus away if it is free."""
        raise NotImplementedError


@final
class Die:
    """One die: it executes one command at a time.

    A chip's queue is kept as the queues of its dies, by source and direction, because only a transaction for an idle
    die can be started. Erases stand among the garbage collector's writes; backups, which writes wait for, and reads and
    writes of the mapping table, which requests wait for, stand among the host's.
    """

    urgent_planes: int  # planes whose collection has the turns of the host's writes
    critical_planes: int  # those of them whose collection has those of the host's reads, too
    collection_began: int  # the number of the next transaction when the latest collection began
    waiting: int  # transactions in the four queues
    idle: bool  # nothing to do, and nobody has yet been told of new work
    transaction: Transaction  # what the die is executing
    planes_at_work: int  # by what it is executing
    bus: Channel  # that moves its commands and data; None until there is a back end
    process: Routine  # to be resumed when the bus phase that the die asked for is over
    next_asking: Die  # behind this one in the line for the bus
    asks_to_start: bool  # for an arbiter that keeps no line
    asks_for_data_out: bool  # for an arbiter that keeps no line
    gc_since_ns: int  # start of the running command if not for the host, else -1
    urgent_since_ns: int  # the same if it is for a collection that was urgent then

    def __init__(self, index: int, channel: int, chip: int) -> None:
        self.index = index
        self.channel = channel
        self.chip = chip
        self.host_reads = TransactionQueue()
        self.host_writes = TransactionQueue()
        self.gc_reads = TransactionQueue()
        self.gc_writes = TransactionQueue()
        self.urgent_planes = self.critical_planes = self.collection_began = 0
        self.waiting = 0
        self.idle = True
        self.transaction = None
        self.process = self.bus = None
        self.next_asking = None
        self.asks_to_start = self.asks_for_data_out = False
        self.planes_at_work = 0
        self.busy_ns = self.gc_busy_ns = self.urgent_busy_ns = 0
        self.gc_since_ns = self.urgent_since_ns = -1

    def queue_for(self, transaction: Transaction) -> TransactionQueue:
        """Return the queue in which `transaction` waits."""
        reads = transaction.op == READ
        if transaction.source in (HOST, MAPPING, BACKUP):
            return self.host_reads if reads else self.host_writes
        return self.gc_reads if reads else self.gc_writes

    def takes_writes(self, queue_limit: int) -> bool:
        """Return whether a write of the host's that came now would be one of up to `queue_limit` to go next.

        So nothing is executing, the host's reads go first, and so does what collection has queued while it is urgent.
        """
        if self.transaction is not None or self.host_reads.length > 0 or self.host_writes.length >= queue_limit:
            return False
        return self.urgent_planes == 0 or self.gc_reads.length + self.gc_writes.length == 0

    def begin_wait(self, transaction: Transaction) -> None:
        """Record, when `transaction` is queued, how long this die has worked for others than the host."""
        transaction.gc_mark_ns = self.gc_busy_ns
        transaction.urgent_mark_ns = self.urgent_busy_ns
        if self.gc_since_ns >= 0:
            transaction.gc_mark_ns += transaction.queued_ns - self.gc_since_ns
            if self.urgent_since_ns >= 0:
                transaction.urgent_mark_ns += transaction.queued_ns - self.urgent_since_ns

    def end_wait(self, transaction: Transaction, now_ns: int) -> None:
        """Add to a transaction, which is started, how long this die has worked meanwhile for others than the host.

        Of that, `urgent_gc_ns` is for collection that was urgent when the command began.
        """
        transaction.held_ns = transaction.gc_ns
        transaction.gc_ns += self.gc_busy_ns - transaction.gc_mark_ns
        transaction.urgent_gc_ns += self.urgent_busy_ns - transaction.urgent_mark_ns
        if self.gc_since_ns >= 0:
            transaction.gc_ns += now_ns - self.gc_since_ns
            if self.urgent_since_ns >= 0:
                transaction.urgent_gc_ns += now_ns - self.urgent_since_ns

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits for this die, if anything does."""
        if not self.waiting and self.transaction is None:
            return []
        busy = "idle" if self.transaction is None else f"executing for page {self.transaction.ppa}"
        return [f"{self.waiting} transactions wait for die {self.index}, which is {busy}"]
