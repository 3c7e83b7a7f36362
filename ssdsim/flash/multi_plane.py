# cython: infer_types=True
"""Multi-plane commands: which queued transactions a die carries out together with the one it is to start."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import COPYBACK, ERASE, GC, HOST, OPERATIONS, PROGRAM, READ
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.flash.counters import MIXED, PARALLEL, SINGLE, UNALIGNED, FlashCounters
from ssdsim.flash.die import Die
from ssdsim.flash.scheduler.policy import SchedulingPolicy
from ssdsim.flash.transaction import Transaction, TransactionQueue


@final
class MultiPlaneCommands:
    """Groups transactions of one die that its planes can carry out at the same time.

    All of a command have the same operation and lie in different planes; reads and programs have the same page offset
    (PAC), and with `same_block` all have the same block offset in their planes (BAC); with `same_source` pages that are
    moved join only if they come from the same page offset, too; copy-backs, whose data stays in
    its plane, join wherever they are (PCFTL, 3.2 and Fig. 6). A die of more than `group` planes
    joins only planes of one group: with 2, planes 0 and 1 or 2 and 3. `operations` names those that are joined at all.

    The host's transactions join before others; with `own_first` those of collection do where the command begins with
    one.

    With `any_page` programs join at any page, as SSDSim's greedy two-plane programs do, and go in the order of planes.

    Where programs are, `counters` learns of each page of the host, when its program starts, what case it is (SPD,
    section 3 and Fig. 2).
    """

    any_page: bool  # programs join at any page of their planes
    own_first: bool  # a command of collection is joined by more of it before anything of the host's
    joins: Int8s  # by operation
    command: int  # the number of the one that is being put together
    first_plane: int  # of its group
    left: int  # planes of the group that may still join it
    taken_by: Int64s  # by plane of a group: the last command that took it

    def __init__(
        self,
        policy: SchedulingPolicy,
        blocks: Blocks,
        counters: FlashCounters,
        planes_per_die: int,
        operations: Any,
        group: int,
        same_block: bool,
        any_page: bool = False,
        same_source: bool = False,
        own_first: bool = False,
    ) -> None:
        self.policy = policy
        self.blocks = blocks
        self.counters = counters
        self.planes_per_die = planes_per_die
        self.group = group
        self.same_block = same_block
        self.same_source = same_source
        self.any_page = any_page
        self.own_first = own_first
        self.joins = array("b", [name in operations for name in OPERATIONS])
        self.command = self.first_plane = self.left = 0
        self.taken_by = array("q", [0] * group)

    def complete(self, die: Die, first: Transaction) -> Transaction:
        """Take the pages that can run with `first` out of the queues of `die`, and return the first of the command.

        That is `first`, and what joins it follows oldest first, but where planes have their order.
        """
        if not self.joins[first.op]:
            return first
        self.begin(first)
        if first.op == READ:
            self.join_both(die, first, die.host_reads, die.gc_reads)
            return first
        self.join_both(die, first, die.host_writes, die.gc_writes)
        if first.op != PROGRAM:
            return first
        self.count_case(die, first)
        return self.by_plane(first) if self.any_page else first

    @cfunc
    def join_both(self, die: Die, first: Transaction, host: TransactionQueue, others: TransactionQueue) -> None:
        """Take transactions that join the command of `first` out of both queues: the host's first, or its own."""
        if self.own_first and first.source == GC:
            self.join(die, host, first, self.join(die, others, first, first))
        else:
            self.join(die, others, first, self.join(die, host, first, first))

    @cfunc
    def join(self, die: Die, queue: TransactionQueue, first: Transaction, last: Transaction) -> Transaction:
        """Move the transactions of `queue` that join the command of `first` behind `last`, and return the new last."""
        transaction: Transaction = queue.head
        while transaction is not None and self.left:
            following = transaction.next
            if self.takes(first, transaction):
                queue.remove(transaction)
                die.waiting -= 1
                self.policy.taken(die, transaction)
                last.partner = transaction
                last = transaction
            transaction = following
        return last

    @cfunc
    def by_plane(self, first: Transaction) -> Transaction:
        """Return the command that begins with `first`, in the order of planes."""
        head: Transaction = None
        while first is not None:
            following = first.partner
            before: Transaction = None
            after: Transaction = head
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

    def width(self, die: Die, first: Transaction) -> int:
        """Return how many transactions, all in queues of `die`, a command that starts with `first` carries out."""
        if not self.joins[first.op]:
            return 1
        self.begin(first)
        self.count_in(die.host_reads if first.op == READ else die.host_writes, first)
        self.count_in(die.gc_reads if first.op == READ else die.gc_writes, first)
        return self.group - self.left

    @cfunc
    def count_in(self, queue: TransactionQueue, first: Transaction) -> None:
        """Count the transactions in `queue` that would join the command of `first`."""
        transaction = queue.head
        while transaction is not None and self.left:
            self.takes(first, transaction)
            transaction = transaction.next

    @cfunc
    def begin(self, first: Transaction) -> None:
        """Begin a command with `first`, of whose group no other plane is taken yet."""
        self.command += 1
        place = first.plane % self.planes_per_die % self.group
        self.first_plane = first.plane - place
        self.taken_by[place] = self.command
        self.left = self.group - 1

    @cfunc
    def takes(self, first: Transaction, other: Transaction) -> bool:
        """Take the plane of `other` for the command begun with `first`, if it is free and `other` can join; say so."""
        place = other.plane - self.first_plane
        if not 0 <= place < self.group or self.taken_by[place] == self.command or not self.fits(first, other):
            return False
        if not self.policy.may_start(other):
            return False
        self.taken_by[place] = self.command
        self.left -= 1
        return True

    @cfunc
    def fits(self, first: Transaction, other: Transaction) -> bool:
        """Return whether operation, page and block of `other` allow one command with `first`."""
        if other.op != first.op:
            return False
        if first.op == COPYBACK:
            return True
        if first.op != ERASE and other.page != first.page and not (self.any_page and first.op == PROGRAM):
            return False
        if self.same_source and first.op == PROGRAM and not self.is_moved_alike(first, other):
            return False
        blocks = self.blocks.blocks_per_plane
        return not self.same_block or first.block % blocks == other.block % blocks

    @cfunc
    def is_moved_alike(self, first: Transaction, other: Transaction) -> bool:
        """Return whether two programs come from the same page offset, or are not both of moved data."""
        if first.source != GC or other.source != GC or first.before < 0 or other.before < 0:  # padding is neither
            return True
        pages = self.blocks.pages_per_block
        return first.before % pages == other.before % pages

    @cfunc
    def count_case(self, die: Die, first: Transaction) -> None:
        """Count the pages of the host, if any, in the command of programs that starts with `first`."""
        pages: int = 0
        each: Transaction = first
        while each is not None:
            pages += each.source == HOST
            each = each.partner
        if pages:
            self.counters.cases[self.case_of(die, first)] += pages

    @cfunc
    def case_of(self, die: Die, first: Transaction) -> int:
        """Return the case of the other planes of the group while the program `first` runs.

        `parallel`: they take part, with pages of the host or of collection. If they do not: `unaligned`, as some
        program of the host waits for one of them; else `mixed`, as other work does; else `single`.
        """
        if first.partner is not None:
            return PARALLEL
        if self.waits_elsewhere(die.host_writes, first):
            return UNALIGNED
        if self.waits_elsewhere(die.host_reads, first):
            return MIXED
        return (
            MIXED if self.waits_elsewhere(die.gc_reads, first) or self.waits_elsewhere(die.gc_writes, first) else SINGLE
        )

    @cfunc
    def waits_elsewhere(self, queue: TransactionQueue, first: Transaction) -> bool:
        """Return whether `queue` holds work for another plane of the group of `first`, with which a command began."""
        transaction = queue.head
        while transaction is not None:
            if transaction.plane != first.plane and 0 <= transaction.plane - self.first_plane < self.group:
                return True
            transaction = transaction.next
        return False
