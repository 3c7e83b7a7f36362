# cython: infer_types=True
"""Writes of designs that write rows: the same page of every plane of a die at once."""

from __future__ import annotations

from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST
from ssdsim._core.kernel import now
from ssdsim.flash.port import Transactions
from ssdsim.ftl.admission import Admission
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.room import Placer, WriteRoom
from ssdsim.ftl.writes import PageWrites
from ssdsim.host.request import WriteGroup
from ssdsim.stage import WriteOwner


class RowWrites(Placer):
    """Has pages of a `WriteGroup` wait for one another, and places them in a row, which padding completes.

    Is given writes whose turn it is (`ssdsim.ftl.layer`), each of which has a group, and owes them what `PageWrites`
    does, by way of it. The collector may take a group over, to write its pages beside moved ones; it then has them
    placed (`place_beside`) or hands them back (`take_back`). It may also `ask_for` pages to complete a row of its own,
    which `evictions` send, if there are any; those come as a group with the number of the collection.

    With a `super_page` of more than one page (SPD, 5.3), so many consecutive logical pages always go together: those
    that a write leaves out are read first, and those that hold nothing yet are written with the rest. So a super page
    lies in a row, whole, and is trimmed only as a whole.
    """

    super_page: int  # logical pages that are always written together
    span: int  # pages of a row: the planes of a unit
    frontier: WriteFrontier
    collector: Reclaimer
    evictions: Any  # from the write buffer (`ssdsim.buffer.evictions`), if there is one; else None
    transactions: Transactions
    owner: int  # of the transactions: that of the writes
    order: WriteOwner

    def __init__(
        self, super_page: int, admission: Admission, reads: ReadPath, room: WriteRoom, writes: PageWrites
    ) -> None:
        self.super_page = super_page
        self.span = room.span
        self.frontier = room.frontier
        self.collector = room.collector
        self.admission = admission
        self.reads = reads
        self.transactions = reads.transactions
        self.room = room
        self.writes = writes
        self.evictions = None
        self.order = None
        self.owner = 0

    def bind(self, order: WriteOwner, owner: int) -> None:
        """Receive the owner of the writes, which knows this (a circle), and its number."""
        self.order = order
        self.owner = owner

    def gather(self, transaction: int) -> None:
        """Take a page of a group that is ready to be placed; the last one has the group placed."""
        group: WriteGroup = self.transactions.group[transaction]
        group.members.append(transaction)
        if len(group.members) == group.size:
            group.since_ns = now(self.reads.scheduler.env)
            self.place_group(group)

    @cfunc
    def place_group(self, group: WriteGroup) -> None:
        """Place a group that is complete, hand it to the collector, or have it wait for room."""
        if group.collection >= 0:
            transaction: int
            for transaction in group.members:
                self.transactions.asked[transaction] = True
            self.collector.complete(group.collection, group)
            return
        plane = self.room.plane_for(self.lpa_of(group.members[0]), self.stream_of(group))
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
        if announced is not None and announced.begin([self.lpa_of(each) for each in group.members]):
            group.members.sort(key=self.lpa_of)
        return self.lpa_of(group.members[0])

    def stream_of(self, waiting: Any) -> int:
        """Return the stream of the first page of a row that has one, or -1."""
        group: WriteGroup = waiting
        transaction: int
        for transaction in group.members:
            if self.transactions.stream[transaction] >= 0:
                return self.transactions.stream[transaction]
        return -1

    def lpa_of(self, transaction: int) -> int:
        """Return the logical page of a transaction."""
        return self.transactions.lpa[transaction]

    def place_waiting(self, waiting: Any, plane: int) -> None:
        """Place a group in a row of its own, which padding completes.

        The row is of the kind of its first page of data, and of the type wanted by the first page that is new.
        """
        group: WriteGroup = waiting
        transactions = self.transactions
        place = 0
        while transactions.request[group.members[place]] is None:
            place += 1
        first: int = group.members[place]
        kind = self.writes.kind_of(first)
        wanted = self.writes.type_wanted(transactions.request[first], kind, plane)
        transaction: int
        for transaction in group.members:
            if transactions.request[transaction] is None:
                transactions.page_type[transaction] = wanted
        for _ in range(self.span - len(group.members)):
            transaction = transactions.take(HOST, self.owner, -1)
            transactions.version[transaction] = self.admission.began()
            transactions.kind[transaction] = kind
            transactions.page_type[transaction] = wanted
            self.writes.pad(transaction, plane)
        self.place_beside(group.members, plane, kind)

    def dispatch(self, waiting: Any, plane: int) -> None:
        """Place a row that has waited for a die, or hand it to the collector."""
        group: WriteGroup = waiting
        transaction: int
        for transaction in group.members:
            self.transactions.line_ns[transaction] = now(self.reads.scheduler.env) - group.since_ns
        group.since_ns = now(self.reads.scheduler.env)
        if not self.collector.takes(plane, group):
            self.place_waiting(group, plane)

    # What goes to and comes from the collector.

    def place_beside(self, writes: list[int], plane: int, kind: int) -> None:
        """Place pages of groups in the row being written for `kind`, all of them before anything else is placed."""
        lpas: list[int] = []
        transactions = self.transactions
        transaction: int
        for transaction in writes:
            group: WriteGroup = transactions.group[transaction]
            transactions.group[transaction] = None
            waited_ns: int = now(self.reads.scheduler.env) - group.since_ns
            transactions.gc_ns[transaction] += waited_ns
            transactions.urgent_gc_ns[transaction] += waited_ns
            lpas.append(transactions.lpa[transaction])
            self.reads.let_go(transactions.lpa[transaction])
            transactions.kind[transaction] = kind
            self.collector.row_begun = len(lpas) < len(writes)
            self.writes.place(transaction, plane)
        for lpa in lpas:
            self.order.write_placed(lpa)

    def take_back(self, writes: list[int]) -> None:
        """Place writes that the collector was handed in rows of their own; there is room for a row at a time."""
        for first in range(0, len(writes), self.span):
            group: WriteGroup = WriteGroup(0)
            group.members = writes[first : first + self.span]
            group.size = len(group.members)
            waited: WriteGroup = self.transactions.group[writes[first]]
            group.since_ns = waited.since_ns
            for each in group.members:
                self.transactions.group[each] = group
            self.place_group(group)

    def ask_for(self, die: int, page_limit: int) -> bool:
        """Have up to `page_limit` pages of `die` evicted for a row of a collection; return whether there are any."""
        return self.evictions is not None and self.evictions.complete_row(die, page_limit)
