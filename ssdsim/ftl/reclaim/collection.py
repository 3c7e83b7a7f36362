# cython: infer_types=True
"""One collection: its victims, and how far their pages have been moved."""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.ftl.reclaim.task import Task


class Collection(Task):
    """The collection of one unit, used again for each: `victim_count` blocks of `victims`, 0 between two.

    The valid pages of the victims are read row by row: those at the same place in several victims follow one another.
    Moves that hold pages back have a subclass with what they hold.
    """

    all_read: bool  # no valid page of the victims is left to be read
    holding: bool  # requests wait for its end
    reading: int  # of the moves, those whose page is being read
    placed: int  # and those whose program has been issued
    victims: Int64s  # the blocks being collected
    next_of: Int64s  # by victim: the page to go on at
    next_victim: int  # the place of the one that has the next page

    def __init__(self, number: int, width: int, blocks: Blocks) -> None:
        Task.__init__(self, number, width)
        self.blocks = blocks
        self.victims = array("q", [-1] * width)
        self.next_of = array("q", [0] * width)
        self.victim_count = self.next_victim = 0
        self.all_read = self.holding = False
        self.reading = self.placed = 0

    def start_over(self) -> None:
        """Have the victims, which are others now, read from their first page on."""
        self.all_read = False
        for place in range(self.victim_count):
            self.next_of[place] = 0

    def next_page(self) -> int:
        """Return the next valid page, or -1."""
        self.next_victim = 0 if self.victim_count == 1 else self.choose_victim()
        if self.victim_count:
            page = self.blocks.next_valid(self.victims[self.next_victim], self.next_of[self.next_victim])
            if page >= 0:
                self.next_of[self.next_victim] = page
                return self.victims[self.next_victim] * self.blocks.pages_per_block + page
        self.all_read = True
        return -1

    @cfunc
    def choose_victim(self) -> int:
        """Return the place of the victim to read from, any if none has a valid page left."""
        best = -1
        chosen = 0
        for place in range(self.victim_count):
            page = self.blocks.next_valid(self.victims[place], self.next_of[place])
            if page >= 0 and (best < 0 or page < best):
                best = page
                chosen = place
        return chosen

    def take_next(self) -> int:
        """Return the next valid page, which is being moved from now on, or -1."""
        ppa = self.next_page()
        if ppa >= 0:
            self.next_of[self.next_victim] += 1
        return ppa

    def is_placed(self) -> bool:
        """Return whether every valid page of the victims has been given its place, or has been moved."""
        return self.erasing or (self.placed == self.moving and self.next_page() < 0)

    def put_back(self, ppa: int) -> None:
        """Have the page that was taken last be taken again."""
        self.all_read = False
        for place in range(self.victim_count):
            if self.victims[place] == self.blocks.block_of(ppa):
                self.next_of[place] = ppa % self.blocks.pages_per_block

    def valid_pages(self) -> int:
        """Return how many pages of the victims are valid."""
        count = 0
        for place in range(self.victim_count):
            count += self.blocks.valid(self.victims[place])
        return count
