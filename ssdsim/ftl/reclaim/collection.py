# cython: infer_types=True
"""One collection: its victims, which of their pages come next, and how far it is."""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.host.request import WriteGroup


class Collection:
    """The collection of unit `number`, used again for each: `victim_count` blocks of `victims`, 0 between two.

    First the valid pages are moved, then the victims erased. A merge of FAST is a collection without victims.
    """

    number: int  # of the unit
    index: int  # among those of its reclaimer: its transactions know it by that
    width: int  # planes that it takes blocks of
    plane: int  # the first of them
    first_die: int  # the dies of those planes
    end_die: int
    idle: bool  # nothing is under way
    background: bool  # the present one is done only while the host is quiet
    erasing: bool  # all moves are done
    urgent: bool  # it has the turns of the host's writes
    critical: bool  # urgent, and it has those of the host's reads
    called: bool  # it is to begin at the end of this instant
    invited: bool  # to go along with another one
    holding: bool  # requests wait for its end
    moving: int  # moves, and later erases, under way
    reading: int  # of the moves, those whose page is being read
    placed: int  # and those whose program has been issued
    all_read: bool  # no valid page of the victims is left to be read
    victims: Int64s  # the blocks being collected
    next_of: Int64s  # by victim: the page to go on at
    next_victim: int  # the place of the one that has the next page
    row: int  # the row being read
    to_waste: int  # pages that copy-backs may still pass over, -1 if none is copied back
    held: list[list[int]]  # by kind: pages read that are to be placed by the row
    held_rows: list[WriteGroup]  # rows read that the row being written has no room for
    writes: list[int]  # the host's pages that wait for moved ones
    asked: bool  # the host was asked for pages
    awaited: bool  # and is to give some

    def __init__(self, number: int, index: int, width: int, blocks: Blocks, kinds: int, planes_per_unit: int) -> None:
        self.number = number
        self.index = index
        self.width = width
        self.plane = number * width
        self.first_die = self.plane // planes_per_unit
        self.end_die = (self.plane + width - 1) // planes_per_unit + 1
        self.blocks = blocks
        self.idle = True
        self.called = self.invited = self.background = self.erasing = self.holding = False
        self.urgent = self.critical = self.all_read = self.asked = self.awaited = False
        self.moving = self.reading = self.placed = self.victim_count = self.to_waste = 0
        self.victims = array("q", [-1] * width)
        self.next_of = array("q", [0] * width)
        self.next_victim = self.row = 0
        self.held = [[] for _ in range(kinds)]
        self.held_rows = []
        self.writes = []

    @cfunc
    def start_over(self) -> None:
        """Begin with the first page of the victims, which are others now."""
        self.all_read = self.asked = False
        self.row = 0
        for place in range(self.victim_count):
            self.next_of[place] = 0

    @cfunc
    def next_page(self) -> int:
        """Return the next valid page, or -1.

        Pages are read row by row: those at the same place in several victims follow one another. While pages of the
        host wait to be written beside moved ones, one victim is read after the other (SPD, Algorithm 1).
        """
        best = 0
        first = self.blocks.next_valid(self.victims[0], self.next_of[0]) if self.victim_count else -1
        for place in range(1, self.victim_count):
            if first >= 0 and (first == self.row or self.writes):  # no page of an earlier row becomes valid
                break
            page = self.blocks.next_valid(self.victims[place], self.next_of[place])
            if page >= 0 and (first < 0 or page < first):
                first = page
                best = place
        if first < 0:
            self.all_read = True
            return -1
        self.next_victim = best
        self.row = self.next_of[best] = first
        return self.victims[best] * self.blocks.pages_per_block + first

    @cfunc
    def take_next(self) -> int:
        """Return the next valid page, which is being moved from now on, or -1."""
        ppa = self.next_page()
        if ppa >= 0:
            self.next_of[self.next_victim] += 1
        return ppa

    @cfunc
    def is_placed(self) -> bool:
        """Return whether every valid page of the victims has been given its place, or has been moved."""
        return self.erasing or (self.placed == self.moving and self.next_page() < 0)

    @cfunc
    def put_back(self, ppa: int) -> None:
        """Put back the page that was taken last, to be taken again."""
        self.all_read = False
        self.row = ppa % self.blocks.pages_per_block
        for place in range(self.victim_count):
            if self.victims[place] == self.blocks.block_of(ppa):
                self.next_of[place] = self.row

    @cfunc
    def valid_pages(self) -> int:
        """Return how many pages of the victims are valid."""
        count = 0
        for place in range(self.victim_count):
            count += self.blocks.valid(self.victims[place])
        return count
