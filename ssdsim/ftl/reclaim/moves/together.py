# cython: infer_types=True
"""Pages move together: those of victims in several planes (ParaGC), or those that lie in a row (TBM)."""

from __future__ import annotations

from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.host.request import WriteGroup


class ParallelCollection(Collection):
    """A collection with the pages that wait to be placed by the row, by kind."""

    pages: list[list[int]]  # by kind: read, and waiting to be placed by the row

    def __init__(self, number: int, width: int, blocks: Blocks, kinds: int) -> None:
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

    def collection_of(self, number: int, width: int) -> Collection:
        """Return a collection that can hold pages of each kind."""
        return ParallelCollection(number, width, self.port.blocks, self.port.kinds)

    def arrived(self, collection: Any, page: int) -> None:
        """Place a page, or wait for enough of them to make up a row."""
        parallel: ParallelCollection = collection
        kind = self.port.kind_read(page)
        if parallel.victim_count == 1:
            self.port.place(parallel, page, self.port.plane_read(page), kind)
            return
        pages: list[int] = parallel.pages[kind]
        pages.append(page)
        self.form(parallel, kind, parallel.victim_count)

    def no_more(self, collection: Any) -> None:
        """Place the pages that are left over."""
        for kind in range(self.port.kinds):
            self.form(collection, kind, 1)

    @cfunc
    def form(self, collection: ParallelCollection, kind: int, fewest_pages: int) -> None:
        """Place pages for as long as write points differ, or there are `fewest_pages` for a row."""
        pages: list[int] = self.port.current(collection, collection.pages[kind])
        collection.pages[kind] = pages
        while pages:
            if self.is_short(collection, kind):
                page: int = pages.pop(0)
                self.port.place(collection, page, self.port.plane_read(page), kind)
                continue
            plane = self.lagging(collection, kind)
            if plane < 0:
                if len(pages) < fewest_pages:
                    return
                for each in self.planes(collection)[: len(pages)]:
                    self.port.place(collection, pages.pop(0), each, kind)
            else:
                self.port.place(collection, pages.pop(0), plane, kind)

    def planes(self, collection: Collection) -> list[int]:
        """Return the victims' planes, lowest first."""
        blocks = self.port.blocks
        return sorted([blocks.plane_of(collection.victims[place]) for place in range(collection.victim_count)])

    def is_short(self, collection: Collection, kind: int) -> bool:
        """Return whether one of those planes has nothing but its reserve for `kind`."""
        points = self.port.frontier.points
        return len([plane for plane in self.planes(collection) if not points.has_room_beside(plane, kind)]) > 0

    @cfunc
    def lagging(self, collection: Collection, kind: int) -> int:
        """Return a plane whose write point lags behind, or -1 if all that have room are level.

        Write points go round a block, so the level to reach is that from which the others lag behind the least.
        """
        pages = self.port.blocks.pages_per_block
        planes: list[int] = self.planes(collection)
        points: list[int] = [self.port.frontier.points.reached(each, kind) for each in planes]
        shortest: int = -1
        lagging: int = -1
        level: int
        for level in points:
            distance: int = 0
            behind: int = -1
            for number in range(len(points)):
                gap: int = (level - points[number] + pages) % pages
                distance += gap
                if gap and behind < 0:
                    behind = planes[number]
            if shortest < 0 or distance < shortest:
                shortest = distance
                lagging = behind
        return lagging


class RowCollection(Collection):
    """A collection with the rows that have been read and wait for room, oldest first."""

    held: list[WriteGroup]  # rows read that the row being written has no room for

    def __init__(self, number: int, width: int, blocks: Blocks) -> None:
        Collection.__init__(self, number, width, blocks)
        self.held = []


class RowMoves(PageMoves):
    """Valid pages at the same place in several planes stay together (TBM, Algorithm 2).

    They are read together, and given the same place again when the row being written has enough planes left; the
    pages that have no such partner fill the row meanwhile. Super pages are such rows, always whole.
    """

    def collection_of(self, number: int, width: int) -> Collection:
        """Return a collection that can hold rows."""
        return RowCollection(number, width, self.port.blocks)

    def start(self, collection: Collection) -> bool:
        """Issue the reads of a row."""
        pages = self.port.blocks.pages_per_block
        ppa = collection.next_page()
        if ppa < 0:
            return False
        group = WriteGroup(0)
        row = ppa % pages
        reads: list[int] = []
        while ppa >= 0 and ppa % pages == row:
            read: int = self.port.read(collection)
            self.port.transactions.group[read] = group
            group.size += 1
            reads.append(read)
            ppa = collection.next_page()
        for read in reads:
            self.port.submit(read)
        return True

    def arrived(self, collection: Any, page: int) -> None:
        """Wait for the rest of the row."""
        group = self.port.row_of(page)
        group.members.append(page)
        self.settle(collection, group)

    def dropped(self, collection: Any, page: int) -> None:
        """Do not wait for this one."""
        group = self.port.row_of(page)
        group.size -= 1
        self.settle(collection, group)

    def settle(self, collection: RowCollection, group: WriteGroup) -> None:
        """Place a row that has been read, and what fits behind it."""
        if len(group.members) < group.size or not group.size:
            return
        held: list[WriteGroup] = collection.held
        held.append(group)
        at = 0
        while at < len(held):
            if self.fits(collection, held[at]):
                self.place(collection, held.pop(at))
                at = 0
            else:
                at += 1

    def fits(self, collection: Collection, group: WriteGroup) -> bool:
        """Return whether the row being written has planes left for all pages of `group`."""
        if len(self.port.frontier.moved) > 1:  # each goes where data of its kind goes
            return True
        kind = self.port.kind_read(group.members[0])
        return self.port.frontier.rows.place(collection.plane, kind) + group.size <= self.port.blocks.span

    def place(self, collection: Collection, group: WriteGroup) -> None:
        """Place the pages of a row one after another."""
        page: int
        for page in self.port.current(collection, group.members):
            self.port.place(collection, page, self.port.plane_read(page), self.port.kind_read(page))

    def no_more(self, collection: Any) -> None:
        """Place the pages that did not fit; at the end, complete the rows begun if rows are what the host writes."""
        rows: RowCollection = collection
        held: list[WriteGroup] = rows.held
        while held:
            self.place(rows, held.pop(0))
        if not self.port.frontier.rows.are_whole or rows.next_page() >= 0:
            return
        for kind in range(self.port.kinds):
            while self.port.frontier.rows.place(rows.plane, kind):
                self.port.pad(rows, rows.plane, kind)
