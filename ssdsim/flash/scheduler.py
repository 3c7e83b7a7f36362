"""The transaction scheduling unit (TSU): which transaction a die executes next."""

from array import array

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
    unless a plane of the die has fallen below its hard threshold. `taken` follows when the die does start what was
    selected.
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

    def taken(self, die, transaction):
        """Take note that `transaction` has just left its queue to start on `die`."""

    def may_start(self, transaction):
        """Return whether the flash allows `transaction` now.

        Pages of a block are programmed in order, whatever queue they stand in, and a block is not erased while reads
        are on their way to it.
        """
        if transaction.op == PROGRAM:
            return self.blocks.may_program(transaction.block, transaction.page)
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


class PageTypeOrder(SchedulingPolicy):
    """Page-type aware scheduling (PAS; PA-SSD, section 4.4.2): quick programs before slow ones, on top of any policy.

    Where policy `base` selects a program, the oldest of the lowest page type in the same queue takes its place. Those
    that it passes move back, each to the place of the next program, so that reads and erases keep their turns. A
    program that may start is passed at most `pass_limits[t - 1]` times if its page type is t > 0 (the last limit holds
    for all further types); then it goes before all but older ones of the lowest type queued.

    A selection visits what it passes and what may not start, and all of the queue if none of the lowest type may start.
    """

    def __init__(self, base, pass_limits):
        *_, last = pass_limits
        self.base = base
        self.limits = array("q", [0, *pass_limits, last, last, last])  # enough for four page types

    def bind(self, blocks):
        """Pass the state of the flash blocks on."""
        self.base.bind(blocks)

    def may_start(self, transaction):
        """Return what the base policy says."""
        return self.base.may_start(transaction)

    def select(self, die):
        """Return what the base policy selects, or the program that is to go in its place."""
        chosen = self.base.select(die)
        if chosen is None or chosen.op != PROGRAM:
            return chosen
        return self.next_program(die.queue_for(chosen))

    def next_program(self, queue):
        """Return the oldest program that is of the lowest type queued or is passed no more, or else the quickest."""
        lowest = queue.lowest_page_type()
        quickest = None
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

    def taken(self, die, transaction):
        """Let the programs that `transaction` has passed move back."""
        self.base.taken(die, transaction)
        if transaction.op == PROGRAM:
            self.move_back(die.queue_for(transaction), transaction.sequence)

    def move_back(self, queue, sequence):
        """Count a pass of each older program that may start; hand places down from the oldest such to `sequence`."""
        moved = None
        transaction = queue.head
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
        self.multi_plane = None
        policy.bind(blocks)

    def bind(self, controllers, multi_plane):
        """Receive the flash controllers, one a channel, and what joins transactions into one command, or None."""
        self.controllers = controllers
        self.multi_plane = multi_plane

    def submit(self, transaction):
        """Queue `transaction`, which knows its `op` and `ppa`, for its die."""
        transaction.block = self.blocks.block_of(transaction.ppa)
        transaction.page = transaction.ppa - transaction.block * self.blocks.pages_per_block
        transaction.page_type = self.timing.page_type[transaction.page]
        transaction.plane = self.blocks.plane_of(transaction.block)
        transaction.die = transaction.plane // self.planes_per_die
        die = self.dies[transaction.die]
        transaction.sequence = self.sequence
        transaction.passed = 0
        transaction.partner = None
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
        """Take the transaction that `die` is to start, and its partners, out of their queues; return it, or None."""
        transaction = self.policy.select(die)
        if transaction is not None:
            die.queue_for(transaction).remove(transaction)
            die.waiting -= 1
            self.policy.taken(die, transaction)
            if self.multi_plane is not None:
                self.multi_plane.complete(die, transaction)
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
