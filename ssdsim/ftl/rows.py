# cython: infer_types=True
"""The way of writes of designs that write rows: the same page of every plane of a die at once."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import HOST, PROGRAM
from ssdsim._core.either_kernel import now
from ssdsim.ftl.writes import WritePath
from ssdsim.host.request import Request, WriteGroup


@final
class RowWritePath(WritePath):
    """Places the pages of a `WriteGroup` together, in a row that padding completes.

    The collector may take a group over, to write its pages beside moved ones; it then has them placed (`place_beside`)
    or hands them back (`take_back`). Pages evicted to complete its own row come as a group with its number. A
    `super_page` of more than one page (SPD, 5.3) lies in a row, whole: pages that a write leaves out are read first.
    """

    @cfunc
    def place(self, transaction: int) -> bool:
        """Keep a page until its group is complete; the last one has the group placed, and no page is placed alone."""
        self.park(transaction)
        group: WriteGroup = self.transactions.group[transaction]
        group.members.append(transaction)
        if len(group.members) == group.size:
            group.since_ns = now(self.scheduler.env)
            self.place_group(group)
        return False

    @cfunc
    def place_group(self, group: WriteGroup) -> None:
        """Place a group that is complete, hand it to the collector, or queue it for room by its first new page."""
        transactions = self.transactions
        if group.collection >= 0:
            for transaction in group.members:
                transactions.asked[transaction] = True
            self.collector.units[group.collection].complete(group)
            return
        first: int
        for first in group.members:
            if transactions.request[first] is not None:
                break
        lpa, stream = transactions.lpa[group.members[0]], transactions.stream[first]
        self.allocated = target = -1
        if not (self.has_lines and self.line_for(lpa, stream)):
            self.allocated = self.plane_for(lpa, stream)
        if self.is_taken(group, self.allocated):
            return
        if self.allocated >= 0 and not self.waiting[self.allocated // self.span]:
            target = self.plane_with_room(self.allocated, self.page_of(first))
        if target >= 0:
            self.place_row(first, target)
        else:
            self.wait_for_room(first)

    @cfunc
    def is_taken(self, group: WriteGroup, plane: int) -> bool:
        """Return whether the collection in `plane`, if that is one, writes a group along with moved pages."""
        return plane >= 0 and self.collector.combines and self.collector.units[plane // self.span].takes(group)

    @cfunc
    def page_of(self, transaction: int) -> int:
        """Return the first logical page of a row that is to be placed now, and tell the frontier of the row."""
        group: WriteGroup = self.transactions.group[transaction]
        announced = self.frontier.announced
        if announced is not None and announced.begin_row([self.transactions.lpa[each] for each in group.members]):
            group.members.sort(key=self.transactions.lpa.__getitem__)
        return self.transactions.lpa[group.members[0]]

    @cfunc
    def place_waiting(self, first: int, plane: int) -> None:
        """Place a row that has waited for room, or for a die: then the collector may still take it."""
        if self.has_lines:
            group: WriteGroup = self.transactions.group[first]
            transaction: int
            for transaction in group.members:
                self.transactions.line_ns[transaction] = now(self.scheduler.env) - group.since_ns
            group.since_ns = now(self.scheduler.env)
            if self.is_taken(group, plane):
                return
        self.place_row(first, plane)

    @cfunc
    def place_row(self, first: int, plane: int) -> None:
        """Place a group in a row of its own, which padding completes; of the kind and type that its `first` has."""
        transactions = self.transactions
        group: WriteGroup = transactions.group[first]
        kind = self.frontier.host_kind
        if kind < 0:
            kind = self.frontier.kind_of(transactions.lpa[first], HOST, transactions.stream[first], -1)
        request: Request = transactions.request[first]
        wanted = request.page_type if request.page_type >= 0 else self.type_by_page(request, kind, plane)
        transaction: int
        for transaction in group.members:
            if transactions.request[transaction] is None:
                transactions.page_type[transaction] = wanted
        for _ in range(self.span - len(group.members)):
            self.pad(plane, kind, wanted)
        self.place_beside(group.members, plane, kind)

    @cfunc
    def pad(self, plane: int, kind: int, page_type: int) -> None:
        """Program a page of `plane` with nothing, to complete a row of the host's: of its kind and type."""
        transactions = self.transactions
        ppa = self.frontier.allocate(plane, kind, -1, page_type)
        transaction = transactions.take(HOST, self.owner, PROGRAM, -1, ppa, self.page_bytes)
        self.blocks.invalidate(ppa)
        self.padded_pages += 1
        self.version += 1
        self.writes_in_flight += 1
        if self.activity is not None:
            self.activity.began()
        transactions.version[transaction] = self.version
        transactions.kind[transaction] = kind
        transactions.page_type[transaction] = page_type
        self.scheduler.submit(transaction)

    # What goes to and comes from the collector.

    def place_beside(self, writes: list[int], plane: int, kind: int) -> None:
        """Place pages of groups in the row being written for `kind`, all of them before anything else is placed."""
        lpas: list[int] = []
        transactions = self.transactions
        transaction: int
        for transaction in writes:
            group: WriteGroup = transactions.group[transaction]
            transactions.group[transaction] = None
            waited_ns: int = now(self.scheduler.env) - group.since_ns
            transactions.gc_ns[transaction] += waited_ns
            transactions.urgent_gc_ns[transaction] += waited_ns
            lpas.append(transactions.lpa[transaction])
            del self.reads.in_memory[transactions.lpa[transaction]]
            self.collector.row_begun = len(lpas) < len(writes)
            self.give_page(transaction, plane, kind)
        for lpa in lpas:
            self.write_placed(lpa)

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
