# cython: infer_types=True
"""Multi-plane commands: which queued transactions a die carries out together with the one it is to start."""

from __future__ import annotations

from array import array
from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPIES, ERASE, GC, HOST, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.config import SimulationConfig
from ssdsim.flash.counters import MIXED, PARALLEL, SINGLE, UNALIGNED, FlashCounters
from ssdsim.flash.dies import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES, Dies, Selector
from ssdsim.flash.transactions import TransactionQueues, Transactions


@final
class MultiPlaneCommands:
    """Groups transactions of one die that its planes can carry out at the same time.

    All of a command have the same operation and mode (SLC or not) and lie in different planes; reads and programs have
    the same page offset (PAC), and with `same_block` all have the same block offset in their planes (BAC); with
    `same_source` pages that are moved join only if they come from the same page offset, too; copy-backs, whose data
    stays in its plane, join wherever they are (PCFTL, 3.2 and Fig. 6). A die of more than `group` planes joins only
    planes of one group: with 2, planes 0 and 1 or 2 and 3. `operations` names those that are joined at all.

    The host's transactions join before others; with `own_first` those of collection do where the command begins with
    one.

    Pages of a wordline that are programmed at once (`ssdsim.flash.wordlines`) are one, and follow one another.

    With `any_page` programs join at any page, as SSDSim's greedy two-plane programs do, and go in the order of planes.

    Where programs are, `counters` learns of each page of the host, when its program starts, what case it is (SPD,
    section 3 and Fig. 2).
    """

    dies: Dies
    queues: TransactionQueues
    transactions: Transactions
    planes_per_die: int
    group: int  # planes that join
    same_block: bool  # BAC
    same_source: bool  # pages that are moved join only from the same page offset
    any_page: bool  # programs join at any page of their planes
    own_first: bool  # a command of collection is joined by more of it before anything of the host's
    joins: Int8s  # by operation
    command: int  # the number of the one that is being put together
    first_plane: int  # of its group
    size: int  # planes of its group: the last of a die may have fewer
    left: int  # planes of the group that may still join it
    taken_by: Int64s  # by plane of a group: the last command that took it

    def __init__(
        self,
        policy: Selector,
        dies: Dies,
        blocks: Blocks,
        counters: FlashCounters,
        config: SimulationConfig,
        group: int,
    ) -> None:
        self.policy = policy
        self.dies = dies
        self.queues = dies.queues
        self.transactions = dies.transactions
        self.blocks = blocks
        self.counters = counters
        self.planes_per_die = config.hardware.planes_per_die
        self.group = group
        self.same_block = config.ftl.bac
        self.same_source = config.ftl.gc.joins == "same_page"
        self.any_page = config.flash.joined_programs == "any_page"
        self.own_first = config.flash.joined_first == "same_source"
        self.joins = array("b", [name in config.flash.multi_plane for name in OPERATIONS])
        self.command = self.first_plane = self.left = 0
        self.size = group
        self.taken_by = array("q", [0] * group)

    def complete(self, die: int, first: int) -> int:
        """Take the pages that can run with `first` out of the queues of `die`, and return the first of the command.

        That is `first`, and what joins it follows oldest first, but where planes have their order.
        """
        op = self.transactions.op[first]
        if not self.joins[op]:
            return first
        self.begin(first)
        queue = die * QUEUES + (HOST_READS if op == READ else HOST_WRITES)
        other = queue + GC_READS
        if self.own_first and self.transactions.source[first] == GC:  # else those of the host join before others
            queue, other = other, queue
        self.join(die, other, first, self.join(die, queue, first, first))
        if op != PROGRAM:
            return first
        self.count_case(die, first)
        return self.by_plane(first) if self.any_page else first

    @cfunc
    def join(self, die: int, queue: int, first: int, last: int) -> int:
        """Move the transactions of `queue` that join the command of `first` behind `last`, and return the new last."""
        transaction = self.queues.head[queue]
        while self.transactions.partner[last]:  # of its wordline
            last = self.transactions.partner[last]
        while transaction and self.left:
            following = self.transactions.next[transaction]
            if self.takes(first, transaction):
                self.queues.remove(queue, transaction)
                self.dies.waiting[die] -= 1
                self.policy.taken(die, transaction)
                self.transactions.partner[last] = transaction
                while self.transactions.partner[last]:
                    last = self.transactions.partner[last]
            transaction = following
        return last

    @cfunc
    def by_plane(self, first: int) -> int:
        """Return the command that begins with `first`, in the order of planes."""
        transactions = self.transactions
        head = 0
        while first:
            following = transactions.partner[first]
            before = 0
            after = head
            while after and transactions.plane[after] <= transactions.plane[first]:
                before = after
                after = transactions.partner[after]
            transactions.partner[first] = after
            if before:
                transactions.partner[before] = first
            else:
                head = first
            first = following
        return head

    def width(self, die: int, first: int) -> int:
        """Return how many transactions, all in queues of `die`, a command that starts with `first` carries out."""
        op = self.transactions.op[first]
        if not self.joins[op]:
            return 1
        self.begin(first)
        host = die * QUEUES + (HOST_READS if op == READ else HOST_WRITES)
        for queue in range(host, host + GC_READS + 1, GC_READS):
            transaction = self.queues.head[queue]
            while transaction and self.left:
                self.takes(first, transaction)
                transaction = self.transactions.next[transaction]
        return self.size - self.left

    @cfunc
    def begin(self, first: int) -> None:
        """Begin a command with `first`, of whose group no other plane is taken yet."""
        self.command += 1
        of_die = self.transactions.plane[first] % self.planes_per_die
        place = of_die % self.group
        self.first_plane = self.transactions.plane[first] - place
        self.size = min(self.group, self.planes_per_die - of_die + place)
        self.taken_by[place] = self.command
        self.left = self.size - 1

    @cfunc
    def takes(self, first: int, other: int) -> bool:
        """Take the plane of `other` for the command begun with `first`, if it is free and `other` can join; say so."""
        place = self.transactions.plane[other] - self.first_plane
        if not 0 <= place < self.size or self.taken_by[place] == self.command or not self.fits(first, other):
            return False
        if not self.policy.may_start(other):
            return False
        self.taken_by[place] = self.command
        self.left -= 1
        return True

    @cfunc
    def fits(self, first: int, other: int) -> bool:
        """Return whether operation, page and block of `other` allow one command with `first`."""
        transactions = self.transactions
        op = transactions.op[first]
        if transactions.op[other] != op or not self.is_same_mode(first, other):
            return False
        if COPIES >> op & 1:
            return True
        any_page: bool = op == ERASE or (self.any_page and op == PROGRAM)
        if not any_page and transactions.page[other] != transactions.page[first]:
            return False
        if self.same_source and op == PROGRAM and not self.is_moved_alike(first, other):
            return False
        blocks = self.blocks.blocks_per_plane
        return not self.same_block or transactions.block[first] % blocks == transactions.block[other] % blocks

    @cfunc
    def is_same_mode(self, first: int, other: int) -> bool:
        """Return whether all pages of two transactions are in SLC mode, or none of each: the mode is a command's."""
        transactions = self.transactions
        if (transactions.page_type[first] < 0) != (transactions.page_type[other] < 0):
            return False
        if not self.blocks.has_slc or not COPIES >> transactions.op[first] & 1:
            return True
        blocks = self.blocks
        is_slc: bool = blocks.type_of(transactions.before[first]) < 0
        return is_slc == (blocks.type_of(transactions.before[other]) < 0)

    @cfunc
    def is_moved_alike(self, first: int, other: int) -> bool:
        """Return whether two programs come from the same page offset, or are not both of moved data."""
        source = self.transactions.before[first]
        other_source = self.transactions.before[other]
        if source < 0 or other_source < 0:  # padding is not moved
            return True
        if self.transactions.source[first] != GC or self.transactions.source[other] != GC:
            return True
        pages = self.blocks.pages_per_block
        return source % pages == other_source % pages

    @cfunc
    def count_case(self, die: int, first: int) -> None:
        """Count the pages of the host, if any, in the command of programs that starts with `first`."""
        pages: int = 0
        each = first
        while each:
            pages += self.transactions.source[each] == HOST
            each = self.transactions.partner[each]
        if pages:
            self.counters.cases[self.case_of(die, first)] += pages

    @cfunc
    def case_of(self, die: int, first: int) -> int:
        """Return the case of the other planes of the group while the program `first` runs.

        `parallel`: they take part, with pages of the host or of collection. If they do not: `unaligned`, as some
        program of the host waits for one of them; else `mixed`, as other work does; else `single`.
        """
        partner = self.transactions.partner[first]
        while partner:
            if self.transactions.plane[partner] != self.transactions.plane[first]:
                return PARALLEL
            partner = self.transactions.partner[partner]
        queue = die * QUEUES
        if self.waits_elsewhere(queue + HOST_WRITES, first):
            return UNALIGNED
        if self.waits_elsewhere(queue + HOST_READS, first) or self.waits_elsewhere(queue + GC_READS, first):
            return MIXED
        return MIXED if self.waits_elsewhere(queue + GC_WRITES, first) else SINGLE

    @cfunc
    def waits_elsewhere(self, queue: int, first: int) -> bool:
        """Return whether `queue` holds work for another plane of the group of `first`, with which a command began."""
        plane = self.transactions.plane[first]
        transaction = self.queues.head[queue]
        while transaction:
            other = self.transactions.plane[transaction]
            if other != plane and 0 <= other - self.first_plane < self.size:
                return True
            transaction = self.transactions.next[transaction]
        return False
