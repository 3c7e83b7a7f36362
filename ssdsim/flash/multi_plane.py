"""Multi-plane commands: which queued transactions a die carries out together with the one it is to start."""

from array import array

import cython

from ssdsim._core.codes import OPERATIONS

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import COPYBACK, ERASE, HOST, PROGRAM, READ
    from cython.cimports.ssdsim.flash.counters import MIXED, PARALLEL, SINGLE, UNALIGNED
else:
    from ssdsim._core.codes import COPYBACK, ERASE, HOST, PROGRAM, READ
    from ssdsim.flash.counters import MIXED, PARALLEL, SINGLE, UNALIGNED


class MultiPlaneCommands:
    """Groups transactions of one die that its planes can carry out at the same time.

    All of a command have the same operation and lie in different planes; reads and programs have the same page offset
    (PAC), and with `same_block` all have the same block offset in their planes (BAC); copy-backs, whose data stays in
    its plane, join wherever they are (PCFTL, 3.2 and Fig. 6). A die of more than `group` planes
    joins only planes of one group: with 2, planes 0 and 1 or 2 and 3. `operations` names those that are joined at all.

    With `any_page` programs join at any page, as SSDSim's greedy two-plane programs do, and go in the order of planes.

    Where programs are, `counters` learns of each page of the host, when its program starts, what case it is (SPD,
    section 3 and Fig. 2).
    """

    def __init__(self, policy, blocks, counters, planes_per_die, operations, group, same_block, any_page=False):
        self.policy = policy
        self.blocks = blocks
        self.counters = counters
        self.planes_per_die = planes_per_die
        self.group = group
        self.same_block = same_block
        self.any_page = any_page
        self.joins = array("b", [name in operations for name in OPERATIONS])
        self.command = 0
        self.taken_by = array("q", [0] * planes_per_die)

    def complete(self, die, first):
        """Take what can run together with `first` out of the queues of `die`, and return the first of the command.

        That is `first`, and what joins it follows oldest first, but where planes have their order.
        """
        if not self.joins[first.op]:
            return first
        reads = first.op == READ
        self.begin(first)
        last = first
        for queue in (die.host_reads, die.gc_reads) if reads else (die.host_writes, die.gc_writes):
            transaction = queue.head
            while transaction is not None:
                following = transaction.next
                if self.takes(first, transaction):
                    queue.remove(transaction)
                    die.waiting -= 1
                    self.policy.taken(die, transaction)
                    last.partner = transaction
                    last = transaction
                transaction = following
        if first.op != PROGRAM:
            return first
        self.count_case(die, first)
        return self.by_plane(first) if self.any_page else first

    def by_plane(self, first):
        """Return the command that begins with `first`, in the order of planes."""
        head = None
        while first is not None:
            following = first.partner
            before = None
            after = head
            while after is not None and after.plane < first.plane:
                before = after
                after = after.partner
            first.partner = after
            if before is None:
                head = first
            else:
                before.partner = first
            first = following
        return head

    def width(self, die, first):
        """Return how many transactions, all in queues of `die`, a command that starts with `first` carries out."""
        width = 1
        if not self.joins[first.op]:
            return width
        self.begin(first)
        for queue in (die.host_reads, die.gc_reads) if first.op == READ else (die.host_writes, die.gc_writes):
            transaction = queue.head
            while transaction is not None and width < self.group:
                if self.takes(first, transaction):
                    width += 1
                transaction = transaction.next
        return width

    def begin(self, first):
        """Begin a command with `first`, of whose die no other plane is taken yet."""
        self.command += 1
        self.taken_by[first.plane % self.planes_per_die] = self.command

    def takes(self, first, other):
        """Take the plane of `other` for the command begun with `first`, if it is free and `other` can join; say so."""
        place = other.plane % self.planes_per_die
        if self.taken_by[place] == self.command or not self.fits(first, other) or not self.policy.may_start(other):
            return False
        self.taken_by[place] = self.command
        return True

    def fits(self, first, other):
        """Return whether operation, page, block and group of `other` allow one command with `first`."""
        if other.op != first.op or not self.same_group(first, other):
            return False
        if first.op == COPYBACK:
            return True
        if first.op != ERASE and other.page != first.page and not (self.any_page and first.op == PROGRAM):
            return False
        blocks = self.blocks.blocks_per_plane
        return not self.same_block or first.block % blocks == other.block % blocks

    def same_group(self, first, other):
        """Return whether the planes of two transactions for one die can work together at all."""
        return first.plane % self.planes_per_die // self.group == other.plane % self.planes_per_die // self.group

    def count_case(self, die, first):
        """Count the pages of the host, if any, in the command of programs that starts with `first`."""
        pages = 0
        each = first
        while each is not None:
            pages += each.source == HOST
            each = each.partner
        if pages:
            self.counters.cases[self.case_of(die, first)] += pages

    def case_of(self, die, first):
        """Return what the other planes of the group are doing while the program `first` runs.

        `parallel`: they take part, with pages of the host or of collection. If they do not: `unaligned`, as some
        program of the host waits for one of them; else `mixed`, as other work does; else `single`.
        """
        if first.partner is not None:
            return PARALLEL
        if self.waits_elsewhere(die.host_writes, first):
            return UNALIGNED
        for queue in (die.host_reads, die.gc_reads, die.gc_writes):
            if self.waits_elsewhere(queue, first):
                return MIXED
        return SINGLE

    def waits_elsewhere(self, queue, first):
        """Return whether `queue` holds work for another plane of the group of `first`."""
        transaction = queue.head
        while transaction is not None:
            if transaction.plane != first.plane and self.same_group(first, transaction):
                return True
            transaction = transaction.next
        return False
