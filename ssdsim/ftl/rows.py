"""The translation layer of designs that write rows: the same page of every plane of a die at once."""

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import HOST, HOST_DATA, WRITE
    from cython.cimports.ssdsim._core.kernel import now
    from cython.cimports.ssdsim.ftl.layer import FlashTranslationLayer
    from cython.cimports.ssdsim.host.request import WriteGroup
else:
    from ssdsim._core.codes import HOST, HOST_DATA, WRITE
    from ssdsim._core.kernel import now
    from ssdsim.ftl.layer import FlashTranslationLayer
    from ssdsim.host.request import WriteGroup


class RowLayer(FlashTranslationLayer):
    """Pages of a `WriteGroup` wait for one another, and are placed in a row, which padding completes.

    With a `super_page` of more than one page (SPD, 5.3), so many consecutive logical pages always go together: those
    that a write leaves out are read first, and those that hold nothing yet are written with the rest. So a super page
    lies in a row, whole, and is trimmed only as a whole.
    """

    def __init__(self, blocks, mapping, plane_allocation, frontier, collector, page_types, hotness, config, super_page):
        FlashTranslationLayer.__init__(
            self, blocks, mapping, plane_allocation, frontier, collector, page_types, hotness, config
        )
        self.super_page = super_page

    def submit(self, request):
        """Split a write into super pages, if they are written; treat all else as ever."""
        if request.op != WRITE or self.super_page == 1 or request.group is not None:
            FlashTranslationLayer.submit(self, request)
            return
        self.specify(request)
        first = request.offset_bytes // self.page_bytes
        last = (request.offset_bytes + request.size_bytes - 1) // self.page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        for number in range(first // self.super_page, last // self.super_page + 1):
            group = WriteGroup(self.super_page)
            for lpa in range(number * self.super_page, (number + 1) * self.super_page):
                if first <= lpa <= last:
                    self.write(request, lpa, self.part_of(request, lpa), group)
                else:
                    self.fill(group, lpa)
        self.part_done(request)

    def fill(self, group, lpa):
        """Write `lpa` along with `group` as it is: nothing of it is new."""
        self.write(None, lpa, 0, group)

    def trim(self, request, lpa, size):
        """Forget `lpa` if the request covers its super page."""
        first = lpa // self.super_page * self.super_page * self.page_bytes
        last = first + self.super_page * self.page_bytes
        if request.offset_bytes <= first and last <= request.offset_bytes + request.size_bytes:
            FlashTranslationLayer.trim(self, request, lpa, size)
        else:
            self.part_done(request)

    def gather(self, transaction):
        """Take a page of a group that is ready to be placed; the last one has the group placed."""
        group = transaction.group
        group.members.append(transaction)
        self.park(transaction)
        if len(group.members) == group.size:
            group.since_ns = now(self.env)
            self.place_group(group)

    def place_group(self, group):
        """Place a group that is complete, hand it to the collector, or have it wait for room."""
        if group.collection >= 0:
            self.collector.moves.complete(group.collection, group)
            return
        first = group.members[0]
        plane = self.plane_for(first.lpa)
        if plane >= 0 and self.collector.takes(plane, group):
            return
        if plane >= 0 and not self.waiting[plane // self.span] and self.room_near(plane, self.page_of(group)) >= 0:
            self.place_row(group, plane)
        else:
            self.wait_for_room(group, plane)

    def page_of(self, waiting):
        """Return the first logical page of a row that is to be placed now, and tell the frontier of the row.

        Where a die has one plane, pages come without a group.
        """
        if not isinstance(waiting, WriteGroup):
            return FlashTranslationLayer.page_of(self, waiting)
        group = waiting
        if self.frontier.begin_row([each.lpa for each in group.members]):
            group.members.sort(key=by_lpa)
        first = group.members[0]
        return first.lpa

    def place_row(self, group, plane):
        """Place a group in a row of its own, which padding completes."""
        for _ in range(self.span - len(group.members)):
            self.version += 1
            self.writes_in_flight += 1
            if self.activity is not None:
                self.activity.began()
            transaction = self.pool.take(HOST, self, -1)
            transaction.version = self.version
            ppa = self.frontier.allocate(plane, HOST_DATA, -1, 0)
            self.blocks.invalidate(ppa)
            self.program(transaction, ppa)
            self.padded_pages += 1
        self.place_beside(group.members, plane, HOST_DATA)

    def place_beside(self, transactions, plane, purpose):
        """Place pages of groups in the row being written, all of them before anything else is placed."""
        lpas = []
        for transaction in transactions:
            group = transaction.group
            transaction.group = None
            transaction.gc_ns += now(self.env) - group.since_ns
            lpas.append(transaction.lpa)
            del self.without_room[transaction.lpa]
            self.place_in(transaction, plane, purpose)
        for lpa in lpas:
            self.advance(lpa)

    def take_back(self, transactions):
        """Place writes that the collector was handed in rows of their own; there is room for a row at a time."""
        for first in range(0, len(transactions), self.span):
            group = WriteGroup(0)
            group.members = transactions[first : first + self.span]
            group.size = len(group.members)
            transaction = transactions[first]
            waited = transaction.group
            group.since_ns = waited.since_ns
            for transaction in group.members:
                transaction.group = group
            self.place_group(group)


def by_lpa(transaction):
    """Return what puts transactions into the order of their logical pages."""
    return transaction.lpa
