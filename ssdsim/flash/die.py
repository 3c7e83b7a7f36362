"""A die as the back end sees it: what waits for it, what it is doing, and how long it has been busy."""

from cython.cimports.ssdsim._core.codes import BACKUP, HOST, MAPPING, READ
from cython.cimports.ssdsim.flash.transaction import TransactionQueue


class Channel:
    """A channel as its dies see it: `ssdsim.flash.controller.FlashController`."""

    def ask(self, die):
        """Add `die` to those that want the bus; `offer_bus` follows in the same instant."""
        raise NotImplementedError

    def offer_bus(self):
        """Give the bus away if it is free."""
        raise NotImplementedError


class Die:
    """One die: it executes one command at a time.

    A chip's queue is kept as the queues of its dies, by source and direction, because only a transaction for an idle
    die can be started. Erases stand among the garbage collector's writes; backups, which writes wait for, and reads and
    writes of the mapping table, which requests wait for, stand among the host's.
    """

    def __init__(self, index, channel, chip):
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

    def queue_for(self, transaction):
        """Return the queue in which `transaction` waits."""
        reads = transaction.op == READ
        if transaction.source in (HOST, MAPPING, BACKUP):
            return self.host_reads if reads else self.host_writes
        return self.gc_reads if reads else self.gc_writes

    def takes_writes(self, queue_limit):
        """Return whether a write of the host's that came now would be one of up to `queue_limit` to go next.

        So nothing is executing, the host's reads go first, and so does what collection has queued while it is urgent.
        """
        if self.transaction is not None or self.host_reads.length > 0 or self.host_writes.length >= queue_limit:
            return False
        return self.urgent_planes == 0 or self.gc_reads.length + self.gc_writes.length == 0

    def begin_wait(self, transaction):
        """Record, when `transaction` is queued, how long this die has worked for others than the host."""
        transaction.gc_mark_ns = self.gc_busy_ns
        transaction.urgent_mark_ns = self.urgent_busy_ns
        if self.gc_since_ns >= 0:
            transaction.gc_mark_ns += transaction.queued_ns - self.gc_since_ns
            if self.urgent_since_ns >= 0:
                transaction.urgent_mark_ns += transaction.queued_ns - self.urgent_since_ns

    def end_wait(self, transaction, now_ns):
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

    def what_waits(self):
        """Return a phrase for what waits for this die, if anything does."""
        if not self.waiting and self.transaction is None:
            return []
        busy = "idle" if self.transaction is None else f"executing for page {self.transaction.ppa}"
        return [f"{self.waiting} transactions wait for die {self.index}, which is {busy}"]
