"""Pages of victims in several planes are moved in parallel (ParaGC)."""

from cython.cimports.ssdsim.ftl.reclaim.collection import Collection
from cython.cimports.ssdsim.ftl.reclaim.moves.interface import PageMoves


class ParallelCollection(Collection):
    """A collection with the pages that wait to be placed by the row, by kind."""

    def __init__(self, number, width, blocks, kinds):
        Collection.__init__(self, number, width, blocks)
        self.pages = [[] for _ in range(kinds)]


class ParallelMoves(PageMoves):
    """The pages of victims in several planes even out the write points of these planes, and then go out by the row.

    ParaGC as SPD has it (5.3): pages are moved to the planes that lag behind until all stand at the same page; from
    then on, as the controller holds the pages read, one is written to each plane at a time. A victim without a partner
    is moved within its plane, and so is what is left once a plane has nothing but its reserve: that is for the pages of
    its own victim, which fit (`RESERVED_BLOCKS`).
    """

    role = "points"

    def collection_of(self, number, width):
        """Return a collection that can hold pages of each kind."""
        return ParallelCollection(number, width, self.port.blocks, self.port.kinds)

    def arrived(self, collection, page):
        """Place a page, or wait for enough of them to make up a row."""
        parallel = collection
        kind = self.port.kind_of(page)
        if parallel.victim_count == 1:
            self.port.place(parallel, page, page.plane, kind)
            return
        pages = parallel.pages[kind]
        pages.append(page)
        self.form(parallel, kind, parallel.victim_count)

    def no_more(self, collection):
        """Place the pages that are left over."""
        for kind in range(self.port.kinds):
            self.form(collection, kind, 1)

    def form(self, collection, kind, fewest_pages):
        """Place pages for as long as write points differ, or there are `fewest_pages` for a row."""
        pages = self.port.current(collection, collection.pages[kind])
        collection.pages[kind] = pages
        while pages:
            if self.is_short(collection, kind):
                page = pages.pop(0)
                self.port.place(collection, page, page.plane, kind)
                continue
            plane = self.lagging(collection, kind)
            if plane < 0:
                if len(pages) < fewest_pages:
                    return
                for each in self.planes(collection)[: len(pages)]:
                    self.port.place(collection, pages.pop(0), each, kind)
            else:
                self.port.place(collection, pages.pop(0), plane, kind)

    def planes(self, collection):
        """Return the victims' planes, lowest first."""
        blocks = self.port.blocks
        return sorted([blocks.plane_of(collection.victims[place]) for place in range(collection.victim_count)])

    def is_short(self, collection, kind):
        """Return whether one of those planes has nothing but its reserve for `kind`."""
        points = self.port.frontier.points
        return len([plane for plane in self.planes(collection) if not points.has_room_beside(plane, kind)]) > 0

    def lagging(self, collection, kind):
        """Return a plane whose write point lags behind, or -1 if all that have room are level.

        Write points go round a block, so the level to reach is that from which the others lag behind the least.
        """
        pages = self.port.blocks.pages_per_block
        planes = self.planes(collection)
        points = [self.port.frontier.points.reached(each, kind) for each in planes]
        shortest = -1
        lagging = -1
        for level in points:
            distance = 0
            behind = -1
            for number in range(len(points)):
                gap = (level - points[number] + pages) % pages
                distance += gap
                if gap and behind < 0:
                    behind = planes[number]
            if shortest < 0 or distance < shortest:
                shortest = distance
                lagging = behind
        return lagging
