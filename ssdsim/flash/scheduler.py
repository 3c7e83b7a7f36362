"""The transaction scheduling unit (TSU): which transaction a die executes next."""

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import ERASE, PROGRAM, READ
    from cython.cimports.ssdsim._core.kernel import fire, new_event, now
else:
    from ssdsim._core.codes import ERASE, PROGRAM, READ
    from ssdsim._core.kernel import fire, new_event, now


class SchedulingPolicy:
    """Chooses among the transactions that wait for a die.

    `select` is called when the die is idle and has been given the bus. It returns one of the die's queued
    transactions that `may_start`, without taking it out, or None; it must not change anything. Each queue is in order
    of arrival (`sequence`), and work for others than the host stands in queues of its own; it goes after the host's
    unless a plane of the die has fallen below its hard threshold.
    """

    def bind(self, blocks):
        """Receive the state of the flash blocks, once, before the run."""
        self.blocks = blocks

    def select(self, die):
        """Return the transaction to start on `die`, or None."""
        if die.urgent_planes:
            chosen = self.choose(die.gc_reads, die.gc_writes)
            return chosen if chosen is not None else self.choose(die.host_reads, die.host_writes)
        chosen = self.choose(die.host_reads, die.host_writes)
        return chosen if chosen is not None else self.choose(die.gc_reads, die.gc_writes)

    def choose(self, reads, writes):
        """Return a transaction of one source that may start, or None."""
        raise NotImplementedError

    def may_start(self, transaction):
        """Return whether the flash allows `transaction` now.

        Pages of a block are programmed in order, whatever queue they stand in, and a block is not erased while reads
        are on their way to it.
        """
        if transaction.op == PROGRAM:
            return self.blocks.programmed(transaction.block) == transaction.page
        if transaction.op == ERASE:
            return self.blocks.readers(transaction.block) == 0
        return True

    def first(self, queue):
        """Return the oldest transaction of `queue` that may start, or None."""
        transaction = queue.head
        while transaction is not None and not self.may_start(transaction):
            transaction = transaction.next
        return transaction


class Fcfs(SchedulingPolicy):
    """First come, first served."""

    name = "fcfs"

    def choose(self, reads, writes):
        """Return the oldest transaction, whatever its direction."""
        read = self.first(reads)
        write = self.first(writes)
        if read is None or (write is not None and write.sequence < read.sequence):
            return write
        return read


class ReadPriority(SchedulingPolicy):
    """Reads first, oldest first; then writes and erases, oldest first."""

    name = "read_priority"

    def choose(self, reads, writes):
        """Return the oldest read, or else the oldest write or erase."""
        read = self.first(reads)
        return read if read is not None else self.first(writes)


class TransactionSchedulingUnit:
    """Queues transactions, wakes idle dies, and has the policy choose when a die is given the bus.

    As a process it acts once in an instant, after everything that arrives in that instant has been queued, so that the
    order in which transactions of one instant are submitted does not decide which die starts first.
    """

    def __init__(self, env, policy, dies, blocks, timing):
        self.env = env
        self.timing = timing
        self.policy = policy
        self.dies = dies
        self.blocks = blocks
        self.planes_per_die = blocks.planes // len(dies)
        self.controllers = []
        self.woken = []
        self.bell = None
        self.sequence = 0
        policy.bind(blocks)

    def bind(self, controllers):
        """Receive the flash controllers, one a channel."""
        self.controllers = controllers

    def submit(self, transaction):
        """Queue `transaction`, which knows its `op` and `ppa`, for its die."""
        transaction.block = self.blocks.block_of(transaction.ppa)
        transaction.page = transaction.ppa - transaction.block * self.blocks.pages_per_block
        transaction.page_type = self.timing.page_type[transaction.page]
        transaction.plane = self.blocks.plane_of(transaction.block)
        transaction.die = transaction.plane // self.planes_per_die
        die = self.dies[transaction.die]
        transaction.sequence = self.sequence
        self.sequence += 1
        transaction.queued_ns = now(self.env)
        transaction.gc_mark_ns = die.gc_time_ns(transaction.queued_ns)
        if transaction.op == READ:
            self.blocks.add_reader(transaction.block)
        die.queue_for(transaction).append(transaction)
        die.waiting += 1
        if die.idle:
            die.idle = False
            self.woken.append(die)
            if self.bell is not None:
                bell = self.bell
                self.bell = None
                fire(bell)

    def take(self, die):
        """Take the transaction that `die` is to start out of its queue and return it, or None."""
        transaction = self.policy.select(die)
        if transaction is not None:
            die.queue_for(transaction).remove(transaction)
            die.waiting -= 1
        return transaction

    def run(self):
        """Send each idle die that has new work to the line for its channel's bus (a process)."""
        while True:
            self.bell = new_event(self.env)
            yield self.bell
            for die in self.woken:
                self.controllers[die.channel].ask(die)
            for die in self.woken:
                self.controllers[die.channel].offer_bus()
            self.woken.clear()
