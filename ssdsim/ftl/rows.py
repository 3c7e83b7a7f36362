# cython: infer_types=True
"""Writes of designs that write rows: the same page of every plane of a die at once."""

from __future__ import annotations

from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST
from ssdsim._core.kernel import now
from ssdsim.flash.port import Transaction, TransactionPool
from ssdsim.ftl.admission import Admission
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.room import Placer, WriteRoom
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.request import WriteGroup
from ssdsim.stage import Stage


class RowWrites(Placer):
    """Has pages of a `WriteGroup` wait for one another, and places them in a row, which padding completes.

    Is given writes whose turn it is (`ssdsim.ftl.layer`), each of which has a group, and owes them what `PageWrites`
    does, by way of it. The collector may take a group over, to write its pages beside moved ones; it then has them
    placed (`place_beside`) or hands them back (`take_back`). It may also `ask_for` pages to complete a row of its own,
    which `buffer` evicts, if there is one; those come as a group with the number of the collection.

    With a `super_page` of more than one page (SPD, 5.3), so many consecutive logical pages always go together: those
    that a write leaves out are read first, and those that hold nothing yet are written with the rest. So a super page
    lies in a row, whole, and is trimmed only as a whole.
    """

    super_page: int  # logical pages that are always written together
    span: int  # pages of a row: the planes of a unit
    frontier: WriteFrontier
    collector: Reclaimer
    buffer: Any  # that writes come from (`ssdsim.buffer.write_buffer`), or None
    env: Any
    pool: TransactionPool
    layer: Stage

    def __init__(
        self, super_page: int, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites
    ) -> None:
        self.super_page = super_page
        self.span = room.span
        self.frontier = room.frontier
        self.collector = room.collector
        self.admission = admission
        self.reads = reads
        self.room = room
        self.writes = writes
        self.buffer = None
        self.env = self.pool = self.layer = None

    def bind(self, env: Any, pool: TransactionPool, layer: Stage) -> None:
        """Receive the clock, the transactions and who asks for writes, before the first timed request."""
        self.env = env
        self.pool = pool
        self.layer = layer

    def gather(self, transaction: Transaction) -> None:
        """Take a page of a group that is ready to be placed; the last one has the group placed."""
        group: WriteGroup = transaction.group
        group.members.append(transaction)
        if len(group.members) == group.size:
            group.since_ns = now(self.env)
            self.place_group(group)

    @cfunc
    def place_group(self, group: WriteGroup) -> None:
        """Place a group that is complete, hand it to the collector, or have it wait for room."""
        if group.collection >= 0:
            transaction: Transaction
            for transaction in group.members:
                transaction.asked = True
            self.collector.complete(group.collection, group)
            return
        first: Transaction = group.members[0]
        plane = self.room.plane_for(first.lpa)
        if plane >= 0 and self.collector.takes(plane, group):
            return
        target = self.room.find(group, plane)
        if target >= 0:
            self.place_waiting(group, target)
        else:
            self.room.wait(group, plane)

    def page_of(self, waiting: Any) -> int:
        """Return the first logical page of a row that is to be placed now, and tell the frontier of the row."""
        group: WriteGroup = waiting
        announced = self.frontier.announced
        if announced is not None and announced.begin([each.lpa for each in group.members]):
            group.members.sort(key=by_lpa)
        first: Transaction = group.members[0]
        return first.lpa

    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a group in a row of its own, which padding completes.

        The row is of the kind of its first page of data, and of the type wanted by the first page that is new.
        """
        group: WriteGroup = waiting
        place = 0
        first: Transaction = group.members[0]
        while first.request is None:
            place += 1
            first = group.members[place]
        first.kind = self.frontier.kind_of(first)
        wanted = self.writes.type_wanted(first, plane)
        for each in group.members:
            transaction: Transaction = each
            if transaction.request is None:
                transaction.page_type = wanted
        for _ in range(self.span - len(group.members)):
            version = self.admission.began()
            transaction = self.pool.take(HOST, self.layer, -1)
            transaction.version = version
            transaction.kind = first.kind
            transaction.page_type = wanted
            self.writes.pad(transaction, plane)
        self.place_beside(group.members, plane, first.kind)

    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a row that has waited for a die, or hand it to the collector."""
        group: WriteGroup = waiting
        for each in group.members:
            transaction: Transaction = each
            transaction.line_ns = now(self.env) - group.since_ns
        group.since_ns = now(self.env)
        if not self.collector.takes(plane, group):
            self.place_waiting(group, plane)

    # What goes to and comes from the collector.

    def place_beside(self, transactions: list[Transaction], plane: int, kind: int) -> None:
        """Place pages of groups in the row being written for `kind`, all of them before anything else is placed."""
        lpas: list[int] = []
        transaction: Transaction
        for transaction in transactions:
            group = transaction.group
            transaction.group = None
            waited_ns: int = now(self.env) - group.since_ns
            transaction.gc_ns += waited_ns
            transaction.urgent_gc_ns += waited_ns
            lpas.append(transaction.lpa)
            self.reads.let_go(transaction)
            transaction.kind = kind
            self.collector.row_begun = len(lpas) < len(transactions)
            self.writes.place(transaction, plane)
        for lpa in lpas:
            self.layer.write_placed(lpa)

    def take_back(self, transactions: list[Transaction]) -> None:
        """Place writes that the collector was handed in rows of their own; there is room for a row at a time."""
        for first in range(0, len(transactions), self.span):
            group: WriteGroup = WriteGroup(0)
            group.members = transactions[first : first + self.span]
            group.size = len(group.members)
            transaction: Transaction = transactions[first]
            waited = transaction.group
            group.since_ns = waited.since_ns
            for transaction in group.members:
                transaction.group = group
            self.place_group(group)

    def ask_for(self, die: int, page_limit: int) -> bool:
        """Have up to `page_limit` pages of `die` evicted for a row of a collection; return whether there are any."""
        return self.buffer is not None and self.buffer.complete_row(die, page_limit)


def by_lpa(transaction: Transaction) -> int:
    """Return the sort key of a transaction: its logical page."""
    return transaction.lpa
