# cython: infer_types=True
"""Pages move in rows: those of victims in several planes (ParaGC), of a row (TBM), or any, with the host's (SPD)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.moves import PageMoves
from ssdsim.host.request import WriteGroup

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


class ParallelMoves(PageMoves):
    """The pages of victims in several planes even out the write points of these planes, and then go out by the row.

    ParaGC as SPD has it (5.3): pages are moved to the planes that lag behind until all stand at the same page; from
    then on, as the controller holds the pages read, one is written to each plane at a time. A victim without a partner
    is moved within its plane, and so is what is left once a plane has nothing but its reserve: that is for the pages of
    its own victim, which fit (`RESERVED_BLOCKS`).
    """

    role = "points"

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Place a page, or wait for enough of them to make up a row."""
        kind = self.kind_of_read(page)
        if collection.victim_count == 1:
            self.place(collection, page, self.plane_of_read(page), kind)
            return
        collection.held[kind].append(page)
        self.form(collection, kind, collection.victim_count)

    @cfunc
    def no_more(self, collection: Collection) -> None:
        """Place the pages that are left over."""
        for kind in range(self.kinds):
            self.form(collection, kind, 1)

    @cfunc
    def form(self, collection: Collection, kind: int, fewest_pages: int) -> None:
        """Place pages for as long as write points differ, or there are `fewest_pages` for a row."""
        pages: list[int] = self.current(collection, collection.held[kind])
        collection.held[kind] = pages
        while pages:
            plane = self.plane_of_read(pages[0]) if self.is_short(collection, kind) else self.lagging(collection, kind)
            if plane >= 0:
                self.place(collection, pages.pop(0), plane, kind)
                continue
            if len(pages) < fewest_pages:
                return
            for each in self.planes(collection)[: len(pages)]:
                self.place(collection, pages.pop(0), each, kind)

    @cfunc
    def planes(self, collection: Collection) -> list[int]:
        """Return the victims' planes, lowest first."""
        blocks = self.blocks
        return sorted([blocks.plane_of(collection.victims[place]) for place in range(collection.victim_count)])

    @cfunc
    def is_short(self, collection: Collection, kind: int) -> bool:
        """Return whether one of those planes has nothing but its reserve for `kind`."""
        frontier = self.frontier
        return len([plane for plane in self.planes(collection) if not frontier.has_room_beside(plane, kind)]) > 0

    @cfunc
    def lagging(self, collection: Collection, kind: int) -> int:
        """Return a plane whose write point lags behind, or -1 if all that have room are level.

        Write points go round a block, so the level to reach is that from which the others lag behind the least.
        """
        pages = self.blocks.pages_per_block
        planes: list[int] = self.planes(collection)
        frontier = cast(SequentialFrontier, self.frontier.points)
        points: list[int] = [frontier.reached(each, kind) for each in planes]
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


class WholeRowMoves(PageMoves):
    """Completes rows with pages that hold nothing; the base of moves that leave no row begun."""

    @cfunc
    def pad(self, collection: Collection, kind: int) -> None:
        """Program a page that holds nothing, to complete a row."""
        ppa = self.frontier.allocate(collection.plane, kind, -1, 0)
        self.blocks.invalidate(ppa)
        self.reclaimer.padded_pages += 1
        if self.scheduler.env is None:
            self.reclaimer.instant.program(self.reclaimer.source, ppa)
            return
        collection.placed += 1
        self.scheduler.submit(self.reclaimer.take(collection, PROGRAM, -1, ppa))
        self.reclaimer.update_urgency(collection, -1)

    @cfunc
    def complete_rows(self, collection: Collection) -> None:
        """Pad the rows begun, so that write points stay equal."""
        for kind in range(self.kinds):
            while self.frontier.row_place(collection.number, kind):
                self.pad(collection, kind)


class RowMoves(WholeRowMoves):
    """Valid pages at the same place in several planes stay together (TBM, Algorithm 2).

    They are read together, and given the same place again when the row being written has enough planes left; the
    pages that have no such partner fill the row meanwhile. Super pages are such rows, always whole.
    """

    @cfunc
    def start(self, collection: Collection) -> bool:
        """Issue the reads of a row."""
        pages = self.blocks.pages_per_block
        ppa = collection.next_page()
        if ppa < 0:
            return False
        group = WriteGroup(0)
        row = ppa % pages
        reads: list[int] = []
        while ppa >= 0 and ppa % pages == row:
            read: int = self.read(collection)
            self.transactions.group[read] = group
            group.size += 1
            reads.append(read)
            ppa = collection.next_page()
        for read in reads:
            self.scheduler.submit(read)
        return True

    @cfunc
    def arrived(self, collection: Collection, page: int) -> None:
        """Wait for the rest of the row."""
        group = self.row_read(page)
        group.members.append(page)
        self.settle(collection, group)

    @cfunc
    def dropped(self, collection: Collection, page: int) -> None:
        """Do not wait for this one."""
        group = self.row_read(page)
        group.size -= 1
        self.settle(collection, group)

    @cfunc
    def row_read(self, page: int) -> WriteGroup:
        """Return the row that a page was read with, and forget it."""
        group: WriteGroup = self.transactions.group[page]
        self.transactions.group[page] = None
        return group

    @cfunc
    def settle(self, collection: Collection, group: WriteGroup) -> None:
        """Place a row that has been read, and what fits behind it."""
        if len(group.members) < group.size or not group.size:
            return
        held: list[WriteGroup] = collection.held_rows
        held.append(group)
        at = 0
        while at < len(held):
            if self.fits(collection, held[at]):
                self.place_row(collection, held.pop(at))
                at = 0
            else:
                at += 1

    @cfunc
    def fits(self, collection: Collection, group: WriteGroup) -> bool:
        """Return whether the row being written has planes left for all pages of `group`."""
        if len(self.frontier.moved) > 1:  # each goes where data of its kind goes
            return True
        kind = self.kind_of_read(group.members[0])
        return self.frontier.row_place(collection.number, kind) + group.size <= self.blocks.span

    @cfunc
    def place_row(self, collection: Collection, group: WriteGroup) -> None:
        """Place the pages of a row one after another."""
        page: int
        for page in self.current(collection, group.members):
            self.place(collection, page, self.plane_of_read(page), self.kind_of_read(page))

    @cfunc
    def no_more(self, collection: Collection) -> None:
        """Place the pages that did not fit; at the end, complete the rows begun if rows are what the host writes."""
        held: list[WriteGroup] = collection.held_rows
        while held:
            self.place_row(collection, held.pop(0))
        if self.frontier.by_rows and collection.next_page() < 0:
            self.complete_rows(collection)


class DieMoves(WholeRowMoves):
    """Any valid pages make up rows, so that the write points of all planes stay equal (SPD's Die-GC, 4.3).

    What is left over at the end is completed with dirty pages of the die from the write buffer, for which the layer's
    rows are asked, and padded if there are none. If moves `combine` with writes (SPD+, 4.4 and Algorithm 1), pages that
    are evicted to the die meanwhile do not wait for the end of the collection: rows are then half moved and half new
    pages, as long as there are enough of both and the frontier has room for the host.

    The reserve takes moved pages alone (`RESERVED_BLOCKS`), hot and cold ones in the same rows: only the last of these
    can have a gap, so that the pages of any victim fit.
    """

    combines: bool

    def __init__(self, reclaimer: Reclaimer, config: SimulationConfig, victims_at_once: int) -> None:
        PageMoves.__init__(self, reclaimer, config, victims_at_once)
        self.combines = config.ftl.gc.combine_writes

    @cfunc
    def arrived(self, die: Collection, page: int) -> None:
        """Wait for enough pages to make up a row."""
        die.held[self.kind_of_read(page)].append(page)
        self.form(die)

    @cfunc
    def form(self, die: Collection) -> None:
        """Write rows for as long as there is enough for one."""
        kind = 0
        while kind < self.kinds:
            new = 0 if kind + 1 == self.kinds else min(len(die.writes), die.width - die.width // 2)
            if new and not self.frontier.has_room_beside(die.number, kind):
                new = 0
            if self.waiting(die, kind) >= die.width - new:
                self.write_row(die, kind, die.width - new, new)
                kind = 0  # what is left of the host's pages may go with those of another kind
            else:
                kind += 1

    @cfunc
    def write_row(self, die: Collection, kind: int, moved: int, new: int) -> None:
        """Place so many moved and new pages in a row, and pad it; beside new ones the first victim's go first."""
        pages: list[int] = die.held[kind]
        if new:
            pages.sort(key=self.plane_of_read)
        for _ in range(moved):
            self.place(die, pages.pop(0), die.plane, kind)
        for _ in range(die.width - moved - new):
            self.pad(die, kind)
        if new:
            writes: list[int] = die.writes
            die.writes = writes[new:]
            self.rows.place_beside(writes[:new], die.plane, kind)

    @cfunc
    def no_more(self, die: Collection) -> None:
        """Write the pages that are left over."""
        if die.awaited:
            return
        self.form(die)
        last: int = max(self.frontier.moved)
        kind: int
        for kind in self.frontier.moved:
            if kind != last and die.held[kind] and not self.frontier.has_room_beside(die.number, kind):
                die.held[last].extend(die.held[kind])
                die.held[kind] = []
                self.form(die)
        for kind in range(self.kinds):
            while self.waiting(die, kind):
                moved = min(len(die.held[kind]), die.width)
                new = 0
                if kind + 1 < self.kinds and self.frontier.has_room_beside(die.number, kind):
                    if self.asks(die, die.width - moved - len(die.writes)):
                        return
                    new = min(len(die.writes), die.width - moved)
                self.write_row(die, kind, moved, new)
        if die.writes:
            writes: list[int] = die.writes
            die.writes = []
            self.rows.take_back(writes)

    @cfunc
    def moved_now(self, die: Collection) -> None:
        """Complete the rows begun."""
        self.complete_rows(die)

    @cfunc
    def waiting(self, die: Collection, kind: int) -> int:
        """Return how many pages wait for a row; what was written just now may have made some of them old."""
        pages: list[int] = self.current(die, die.held[kind])
        die.held[kind] = pages
        return len(pages)

    @cfunc
    def asks(self, die: Collection, wanted: int) -> bool:
        """Ask the host for up to `wanted` pages for the die, once a collection, and return whether it gives any."""
        if wanted <= 0 or die.asked:
            return False
        die.asked = True
        die.awaited = True  # before the pages come, which may be at once
        given = self.rows.ask_for(die.number, wanted)
        if not given:
            die.awaited = False
        return given

    @cfunc
    def complete(self, die: Collection, group: WriteGroup) -> None:
        """Write the pages that are left over, now that the host's pages are there."""
        die.awaited = False
        die.writes.extend(group.members)
        self.no_more(die)

    @cfunc
    def takes(self, die: Collection, group: WriteGroup) -> bool:
        """Take over a group if every page of it finds a valid one that has not been moved yet."""
        if not self.combines or not self.frontier.has_room(die.plane):
            return False
        if die.valid_pages() < len(die.writes) + len(group.members):
            return False
        die.writes.extend(group.members)
        self.form(die)
        return True
