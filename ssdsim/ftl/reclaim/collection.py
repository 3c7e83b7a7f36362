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

    Pages of the victims are known by their position: the page times the number of victims, plus which of them, so that
    pages at the same place in several victims follow one another. Moves that hold pages back have a subclass with what
    they hold.
    """

    next_position: int  # to go on at in the victims
    holding: bool  # requests wait for its end
    reading: int  # of the moves, those whose page is being read
    placed: int  # and those whose program has been issued
    futile: int  # how often the unit was collected since the host last wrote there
    victims: Int64s  # the blocks being collected

    def __init__(self, number: int, width: int, blocks: Blocks) -> None:
        Task.__init__(self, number, width)
        self.blocks = blocks
        self.victims = array("q", [-1] * width)
        self.victim_count = 0
        self.holding = False
        self.next_position = 0
        self.reading = self.placed = self.futile = 0

    def left(self) -> int:
        """Return the position of the next valid page, or -1."""
        count = self.victim_count
        at = self.next_position
        if count == 1:  # as it is mostly
            return self.blocks.next_valid(self.victims[0], at)
        best = -1
        for place in range(count):
            page = self.blocks.next_valid(self.victims[place], at // count + (place < at % count))
            if page >= 0 and (best < 0 or page * count + place < best):
                best = page * count + place
        return best

    @cfunc
    def read_to(self, position: int) -> None:
        """Record that the page at `position`, which was the next, is being read."""
        self.next_position = position + 1

    @cfunc
    def take_next(self) -> int:
        """Return the next valid page, which is being moved from now on, or -1."""
        if self.victim_count != 1:
            position = self.left()
        else:  # as it is mostly
            position = self.blocks.next_valid(self.victims[0], self.next_position)
        if position < 0:
            return -1
        self.next_position = position + 1
        if self.victim_count != 1:
            return self.ppa_at(position)
        return self.victims[0] * self.blocks.pages_per_block + position

    @cfunc
    def block_at(self, position: int) -> int:
        """Return the victim that the page at `position` lies in."""
        return self.victims[0 if self.victim_count == 1 else position % self.victim_count]

    def ppa_at(self, position: int) -> int:
        """Return the page at `position`."""
        if self.victim_count == 1:
            return self.victims[0] * self.blocks.pages_per_block + position
        return self.block_at(position) * self.blocks.pages_per_block + position // self.victim_count

    def valid_pages(self) -> int:
        """Return how many pages of the victims are valid."""
        count = 0
        for place in range(self.victim_count):
            count += self.blocks.valid(self.victims[place])
        return count
