"""Pages that lie in a row stay together (TBM)."""

from cython.cimports.ssdsim.ftl.reclaim.collection import Collection
from cython.cimports.ssdsim.ftl.reclaim.moves.interface import PageMoves
from cython.cimports.ssdsim.host.request import WriteGroup


class RowCollection(Collection):
    """A collection with the rows that have been read and wait for room, oldest first."""

    def __init__(self, number, width, blocks):
        Collection.__init__(self, number, width, blocks)
        self.held = []


class RowMoves(PageMoves):
    """Valid pages at the same place in several planes stay together (TBM, Algorithm 2).

    They are read together, and given the same place again when the row being written has enough planes left; the
    pages that have no such partner fill the row meanwhile. Super pages are such rows, always whole.
    """

    def collection_of(self, number, width):
        """Return a collection that can hold rows."""
        return RowCollection(number, width, self.port.blocks)

    def start(self, collection):
        """Issue the reads of a row."""
        position = collection.left()
        if position < 0:
            return False
        span = self.port.blocks.span
        group = WriteGroup(0)
        page = position // span
        reads = []
        while position >= 0 and position // span == page:
            read = self.port.read(collection, position)
            read.group = group
            group.size += 1
            reads.append(read)
            position = collection.left()
        for read in reads:
            self.port.submit(read)
        return True

    def arrived(self, collection, page):
        """Wait for the rest of the row."""
        group = page.group
        page.group = None
        group.members.append(page)
        self.settle(collection, group)

    def dropped(self, collection, page):
        """Do not wait for this one."""
        group = page.group
        page.group = None
        group.size -= 1
        self.settle(collection, group)

    def settle(self, collection, group):
        """Place a row that has been read, and what fits behind it."""
        if len(group.members) < group.size or not group.size:
            return
        held = collection.held
        held.append(group)
        at = 0
        while at < len(held):
            if self.fits(collection, held[at]):
                self.place(collection, held.pop(at))
                at = 0
            else:
                at += 1

    def fits(self, collection, group):
        """Return whether the row being written has planes left for all pages of `group`."""
        if len(self.port.frontier.moved) > 1:  # each goes where data of its kind goes
            return True
        kind = self.port.kind_of(group.members[0])
        return self.port.frontier.rows.place(collection.plane, kind) + group.size <= self.port.blocks.span

    def place(self, collection, group):
        """Place the pages of a row one after another."""
        for page in self.port.current(collection, group.members):
            self.port.place(collection, page, page.plane, self.port.kind_of(page))

    def no_more(self, collection):
        """Place the pages that did not fit; at the end, complete the rows begun if rows are what the host writes."""
        rows = collection
        held = rows.held
        while held:
            self.place(collection, held.pop(0))
        if not self.port.frontier.rows.are_whole or collection.left() >= 0:
            return
        for kind in range(self.port.kinds):
            while self.port.frontier.rows.place(collection.plane, kind):
                self.port.pad(collection, collection.plane, kind)
