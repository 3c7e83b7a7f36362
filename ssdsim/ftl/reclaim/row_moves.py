# cython: infer_types=True
"""Pages move in rows: those of victims in several planes (ParaGC), of a row (TBM), or any, with the host's (SPD)."""

from __future__ import annotations

from array import array
from typing import cast

from ssdsim._core.calls import cfunc
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.moves import PageMoves
from ssdsim.host.request import WriteGroup


class HeldMoves(PageMoves):
    """Pages read are held until there are others to be placed along with; the base of moves by the row."""

    held: list[list[int]]  # by kind

    def __init__(self, collector: Collector, number: int) -> None:
        PageMoves.__init__(self, collector, number)
        self.can_stop = False
        self.held = [[] for _ in range(self.frontier.kinds + 1)]  # the last for the mapping table

    @cfunc
    def hold(self, page: int) -> int:
        """Hold a page that has been read, and return its kind."""
        kind = self.kind_of(self.transactions.ppa[page])
        self.held[kind].append(page)
        return kind

    @cfunc
    def held_of(self, kind: int) -> list[int]:
        """Return the pages of `kind` that are held, and forget those that the host has rewritten."""
        pages = self.current(self.held[kind])
        self.held[kind] = pages
        return pages


class ParallelMoves(HeldMoves):
    """The pages of victims in several planes even out the write points of these planes, and then go out by the row.

    This is ParaGC as SPD has it (5.3). A victim without a partner is moved within its plane, and so is what is left
    once a plane has nothing but its reserve: that is for the pages of its own victim, which fit (`RESERVED_BLOCKS`).
    """

    @cfunc
    def arrived(self, page: int) -> None:
        """Place a page, or wait for enough of them to make up a row."""
        self.form(self.hold(page), len(self.victims))

    @cfunc
    def no_more(self) -> None:
        """Place the pages that are left over."""
        for kind in range(len(self.held)):
            self.form(kind, 1)

    @cfunc
    def form(self, kind: int, fewest_pages: int) -> None:
        """Place pages for as long as write points differ, or there are `fewest_pages` for a row."""
        pages: list[int] = self.held_of(kind)
        planes: list[int] = sorted([self.blocks.plane_of(block) for block in self.victims])
        each: int
        while pages:
            short = [plane for plane in planes if not self.frontier.has_room_beside(plane, kind)]
            alone: bool = len(planes) == 1 or len(short) > 0
            plane = self.transactions.plane[pages[0]] if alone else self.lagging(planes, kind)
            if plane >= 0:
                self.place(pages.pop(0), plane, kind)
            elif len(pages) < fewest_pages:
                return
            else:
                for each in planes[: len(pages)]:
                    self.place(pages.pop(0), each, kind)

    @cfunc
    def lagging(self, planes: list[int], kind: int) -> int:
        """Return a plane whose write point lags behind, or -1 if all are level.

        Write points go round a block, so the level to reach is that from which the others lag behind the least.
        """
        pages, points = self.blocks.pages_per_block, cast(SequentialFrontier, self.frontier)
        reached: list[int] = [points.reached(plane, kind) for plane in planes]
        gaps: list[list[int]] = [[(level - each + pages) % pages for each in reached] for level in reached]
        behind: list[int] = [plane for gap, plane in zip(min(gaps, key=sum), planes, strict=True) if gap]
        return behind[0] if behind else -1


class RowMoves(HeldMoves):
    """Valid pages at the same place in several planes stay together (TBM, Algorithm 2).

    They are read together, and given the same place again when the row being written has enough planes left; the
    pages that have no such partner fill the row meanwhile. Super pages are such rows, always whole.
    """

    rows: list[WriteGroup]  # read, that the row being written has no room for

    def __init__(self, collector: Collector, number: int) -> None:
        HeldMoves.__init__(self, collector, number)
        self.rows = []

    @cfunc
    def start(self) -> int:
        """Issue the reads of a row."""
        pages = self.blocks.pages_per_block
        ppa = self.next_page()
        row = ppa % pages
        group = WriteGroup(0)
        read = 0
        while ppa >= 0 and ppa % pages == row:
            read = PageMoves.start(self)
            self.transactions.group[read] = group
            group.size += 1
            ppa = self.next_page()
        return read

    @cfunc
    def arrived(self, page: int) -> None:
        """Wait for the rest of the row."""
        group: WriteGroup = self.transactions.group[page]
        group.members.append(page)
        self.settle(page, group)

    @cfunc
    def dropped(self, page: int) -> None:
        """Do not wait for this one."""
        group: WriteGroup = self.transactions.group[page]
        group.size -= 1
        self.settle(page, group)

    @cfunc
    def settle(self, page: int, group: WriteGroup) -> None:
        """Place a row if `page` was the last of it to be read, and what fits behind it."""
        self.transactions.group[page] = None
        if len(group.members) < group.size or not group.size:
            return
        self.rows.append(group)
        while fitting := [row for row in self.rows if self.fits(row)]:
            self.rows.remove(fitting[0])
            self.place_row(fitting[0])

    @cfunc
    def fits(self, group: WriteGroup) -> bool:
        """Return whether the row being written has planes left for all pages of `group`."""
        if len(self.frontier.moved) > 1:  # each goes where data of its kind goes
            return True
        kind = self.kind_of(self.transactions.ppa[group.members[0]])
        return self.frontier.row_place(self.number, kind) + group.size <= self.blocks.span

    @cfunc
    def place_row(self, group: WriteGroup) -> None:
        """Place the pages of a row one after another."""
        for page in self.current(group.members):
            PageMoves.arrived(self, page)

    @cfunc
    def no_more(self) -> None:
        """Place the pages that did not fit; at the end, complete the rows begun if rows are what the host writes."""
        while self.rows:
            self.place_row(self.rows.pop(0))
        if self.frontier.by_rows and self.next_page() < 0:
            self.complete_rows()


class DieMoves(HeldMoves):
    """Any valid pages make up rows, so that the write points of all planes stay equal (SPD's Die-GC, 4.3).

    What is left over at the end is completed with dirty pages of the die from the write buffer, or padded. With
    `ftl.gc.combine_writes` (SPD+, 4.4 and Algorithm 1) pages that are evicted to the die meanwhile do not wait for the
    end: rows are half moved and half new pages, as long as there are enough of both and the frontier has room.

    The reserve takes moved pages alone (`RESERVED_BLOCKS`), hot and cold ones in the same rows: only the last of these
    can have a gap, so that the pages of any victim fit.
    """

    writes: list[int]  # the host's pages that wait for moved ones
    asked: bool  # the host was asked for pages
    awaited: bool  # and is to give some
    width: int  # pages of a row
    by_victim: bool  # pages are read victim by victim, not row by row

    def __init__(self, collector: Collector, number: int) -> None:
        HeldMoves.__init__(self, collector, number)
        self.writes = []
        self.asked = self.awaited = self.by_victim = False
        self.width = collector.width

    @cfunc
    def begin(self) -> None:
        """List the valid pages of the victims, row by row."""
        HeldMoves.begin(self)
        self.asked = self.by_victim = False

    @cfunc
    def next_page(self) -> int:
        """Return the next page; while pages of the host wait, one victim is read after the other (Algorithm 1)."""
        by_victim: bool = len(self.writes) > 0
        if by_victim != self.by_victim:
            self.by_victim = by_victim
            pages = sorted(list(self.pages_to_read)[self.reached :])
            self.pages_to_read = array("q", pages if by_victim else sorted(pages, key=self.row_of))
            self.reached = 0
        return HeldMoves.next_page(self)

    @cfunc
    def arrived(self, page: int) -> None:
        """Wait for enough pages to make up a row."""
        self.hold(page)
        self.form()

    @cfunc
    def may_join(self, kind: int) -> bool:
        """Return whether rows of `kind` may have pages of the host's: there has to be room beside the reserve."""
        return kind < self.frontier.kinds and self.frontier.has_room_beside(self.number, kind)

    @cfunc
    def form(self) -> None:
        """Write rows for as long as there is enough for one."""
        kind = 0
        while kind < len(self.held):
            new = min(len(self.writes), self.width - self.width // 2)
            if new and not self.may_join(kind):
                new = 0
            if len(self.held_of(kind)) >= self.width - new:
                self.write_row(kind, self.width - new, new)
                kind = 0  # what is left of the host's pages may go with those of another kind
            else:
                kind += 1

    @cfunc
    def write_row(self, kind: int, moved: int, new: int) -> None:
        """Place so many moved and new pages in a row, and pad it; beside new ones the first victim's go first."""
        pages: list[int] = self.held[kind]
        if new:
            pages.sort(key=self.transactions.plane.__getitem__)
        for _ in range(moved):
            self.place(pages.pop(0), self.plane, kind)
        for _ in range(self.width - moved - new):
            self.pad(kind)
        if new:
            writes: list[int] = self.writes
            self.writes = writes[new:]
            self.collector.rows.place_beside(writes[:new], self.plane, kind)

    @cfunc
    def no_more(self) -> None:
        """Write the pages that are left over, with pages of the host's, for which it is asked once."""
        if self.awaited:
            return
        self.form()
        last: int = max(self.frontier.moved)
        for kind in self.frontier.moved:
            if kind != last and self.held[kind] and not self.frontier.has_room_beside(self.number, kind):
                self.held[last].extend(self.held[kind])
                self.held[kind] = []
                self.form()
        for kind in range(len(self.held)):
            while self.held_of(kind):
                moved = min(len(self.held[kind]), self.width)
                new = 0
                if self.may_join(kind):
                    wanted = self.width - moved - len(self.writes)
                    if wanted > 0 and not self.asked:
                        self.asked = self.awaited = True  # before the pages come, which may be at once
                        evictions = self.collector.rows.evictions
                        if evictions is not None and evictions.complete_row(self.number, wanted):
                            return
                        self.awaited = False
                    new = min(len(self.writes), self.width - moved)
                self.write_row(kind, moved, new)
        if self.writes:
            writes: list[int] = self.writes
            self.writes = []
            self.collector.rows.take_back(writes)

    def complete(self, group: WriteGroup) -> None:
        """Write the pages that are left over, now that the host's pages are there."""
        self.awaited = False
        self.writes.extend(group.members)
        self.no_more()
        self.resume()

    def takes(self, group: WriteGroup) -> bool:
        """Take over a group of the host's if every page of it finds a valid one that has not been moved yet."""
        is_enough = self.valid_pages() >= len(self.writes) + len(group.members)
        if not self.victims or not is_enough or not self.frontier.has_room(self.plane):
            return False
        self.writes.extend(group.members)
        self.form()
        self.resume()
        return True
