# cython: infer_types=True
"""Pages move in rows of a die, along with the host's (SPD, SPD+)."""

from __future__ import annotations

from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.host.request import WriteGroup


class DieCollection(Collection):
    """A collection of a die with the pages that wait for a row, moved ones by kind and those of the host.

    While pages of the host wait, one victim is read after the other (SPD, Algorithm 1); else row after row.
    """

    pages: list[list[int]]  # by kind: read, and not yet enough for a row
    writes: list[int]  # the host's pages that wait for moved ones
    asked: bool  # the host was asked for pages
    awaited: bool  # and is to give some

    def __init__(self, number: int, width: int, blocks: Blocks, kinds: int) -> None:
        Collection.__init__(self, number, width, blocks)
        self.pages = [[] for _ in range(kinds)]
        self.writes = []
        self.asked = self.awaited = False

    def next_page(self) -> int:
        """Return the next valid page, or -1."""
        if not self.writes:
            return Collection.next_page(self)
        for place in range(self.victim_count):
            page = self.blocks.next_valid(self.victims[place], self.next_of[place])
            if page >= 0:
                self.next_victim = place
                return self.page_found(page)
        return self.page_found(-1)


class DieMoves(PageMoves):
    """Any valid pages make up rows, so that the write points of all planes stay equal (SPD's Die-GC, 4.3).

    What is left over at the end is completed with dirty pages of the die from the write buffer, for which the layer's
    rows are asked, and padded if there are none. If moves `combine` with writes (SPD+, 4.4 and Algorithm 1), pages that
    are evicted to the die meanwhile do not wait for the end of the collection: rows are then half moved and half new
    pages, as long as there are enough of both and the frontier has room for the host.

    The reserve takes moved pages alone (`RESERVED_BLOCKS`), hot and cold ones in the same rows: only the last of these
    can have a gap, so that the pages of any victim fit.
    """

    def __init__(self, combines: bool) -> None:
        PageMoves.__init__(self)
        self.combines = combines

    def collection_of(self, number: int, width: int) -> Collection:
        """Return a collection that can hold pages of each kind, and the host's."""
        return DieCollection(number, width, self.port.blocks, self.port.kinds)

    def begin(self, collection: Any) -> None:
        """Ask the host once at most."""
        die: DieCollection = collection
        die.asked = False

    def arrived(self, collection: Any, page: int) -> None:
        """Wait for enough pages to make up a row."""
        die: DieCollection = collection
        die.pages[self.port.kind_read(page)].append(page)
        self.form(die)

    @cfunc
    def form(self, die: DieCollection) -> None:
        """Write rows for as long as there is enough for one."""
        while self.form_row(die):
            pass

    @cfunc
    def form_row(self, die: DieCollection) -> bool:
        """Write a row if there is enough for one, and return whether there was."""
        for kind in range(self.port.kinds):
            new = 0 if kind + 1 == self.port.kinds else min(len(die.writes), die.width - die.width // 2)
            if new and not self.has_room_beside(die, kind):
                new = 0
            if self.waiting(die, kind) >= die.width - new:
                self.write_row(die, kind, die.width - new, new)
                return True
        return False

    def write_row(self, die: DieCollection, kind: int, moved: int, new: int) -> None:
        """Place so many moved and new pages in a row, and pad it; beside new ones the first victim's go first."""
        pages: list[int] = die.pages[kind]
        if new:
            pages.sort(key=self.plane_read)
        for _ in range(moved):
            self.port.place(die, pages.pop(0), die.plane, kind)
        for _ in range(die.width - moved - new):
            self.port.pad(die, die.plane, kind)
        if new:
            writes: list[int] = die.writes
            die.writes = writes[new:]
            self.port.rows.place_beside(writes[:new], die.plane, kind)

    def no_more(self, collection: Any) -> None:
        """Write the pages that are left over."""
        die: DieCollection = collection
        if die.awaited:
            return
        self.form(die)
        last = self.port.frontier.last_moved
        kind: int
        for kind in self.port.frontier.moved:
            if kind != last and die.pages[kind] and not self.has_room_beside(die, kind):
                die.pages[last].extend(die.pages[kind])
                die.pages[kind] = []
                self.form(die)
        for kind in range(self.port.kinds):
            while self.waiting(die, kind):
                moved = min(len(die.pages[kind]), die.width)
                new = 0
                if kind + 1 < self.port.kinds and self.has_room_beside(die, kind):
                    if self.asks(die, die.width - moved - len(die.writes)):
                        return
                    new = min(len(die.writes), die.width - moved)
                self.write_row(die, kind, moved, new)
        if die.writes:
            writes: list[int] = die.writes
            die.writes = []
            self.port.rows.take_back(writes)

    @cfunc
    def moved_now(self, collection: Collection) -> None:
        """Complete the rows begun, so that write points stay equal."""
        for kind in range(self.port.kinds):
            while self.port.frontier.rows.place(collection.plane, kind):
                self.port.pad_now(collection.plane, kind)

    def has_room_beside(self, die: DieCollection, kind: int) -> bool:
        """Return whether new pages may be written in the row for `kind`."""
        return self.port.frontier.rows.has_room_beside(die.plane, kind)

    def waiting(self, die: DieCollection, kind: int) -> int:
        """Return how many pages wait for a row; what was written just now may have made some of them old."""
        pages: list[int] = self.port.current(die, die.pages[kind])
        die.pages[kind] = pages
        return len(pages)

    @cfunc
    def asks(self, die: DieCollection, wanted: int) -> bool:
        """Have the host give up to `wanted` pages for the die, once a collection, and return whether it does."""
        if wanted <= 0 or die.asked:
            return False
        die.asked = True
        die.awaited = True  # before the pages come, which may be at once
        given = self.port.rows.ask_for(die.number, wanted)
        if not given:
            die.awaited = False
        return given

    def complete(self, collection: Any, group: WriteGroup) -> None:
        """Write the pages that are left over, now that the host's pages are there."""
        die: DieCollection = collection
        die.awaited = False
        die.writes.extend(group.members)
        self.no_more(die)

    def takes(self, collection: Any, group: WriteGroup) -> bool:
        """Take over a group if every page of it finds a valid one that has not been moved yet."""
        die: DieCollection = collection
        if not self.combines or not self.port.frontier.has_room(die.plane):
            return False
        if die.valid_pages() < len(die.writes) + len(group.members):
            return False
        die.writes.extend(group.members)
        self.form(die)
        return True

    def plane_read(self, page: int) -> int:
        """Return the plane that a page was read from."""
        return self.port.plane_read(page)
