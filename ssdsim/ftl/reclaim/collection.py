# cython: infer_types=True
"""One collection: its victims, how far their pages have been moved, and how urgent it is."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import call_later
from ssdsim.host.request import WriteGroup

if TYPE_CHECKING:
    from ssdsim.flash.port import Dies


class Collection:
    """The collection of unit `number`, used again for each: `victim_count` blocks of `victims`, 0 between two.

    First the valid pages are moved, then the victims erased; `moving` counts the moves or erases under way. Pages are
    read row by row: those at the same place in several victims follow one another. While pages of the host wait to be
    written beside moved ones, one victim is read after the other (SPD, Algorithm 1).

    A merge of FAST is a collection without victims (`ssdsim.ftl.fast.merge`).
    """

    number: int  # of the unit
    index: int  # among those of its reclaimer: its transactions know it by that
    width: int  # planes that it takes blocks of
    plane: int  # the first of them
    idle: bool  # nothing is under way
    background: bool  # the present one is done only while the host is quiet
    erasing: bool  # all moves are done
    urgent: bool  # it has the turns of the host's writes
    critical: bool  # urgent, and it has those of the host's reads
    paused: bool  # by its pace (`ssdsim.ftl.reclaim.pace`)
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
    turn: int  # the place of the victim to be asked next in that row
    to_waste: int  # pages that copy-backs may still pass over, -1 if none is copied back
    held: list[list[int]]  # by kind: pages read that are to be placed by the row
    held_rows: list[WriteGroup]  # rows read that the row being written has no room for
    writes: list[int]  # the host's pages that wait for moved ones
    asked: bool  # the host was asked for pages
    awaited: bool  # and is to give some
    dies: Dies  # of which those from `first_die` to `end_die` are the unit's; none before flash has timing
    first_die: int
    end_die: int
    env: Any
    begin: Callable[[Any], None]

    def __init__(self, number: int, width: int, blocks: Blocks, kinds: int) -> None:
        self.number = self.index = number
        self.width = width
        self.plane = number * width
        self.blocks = blocks
        self.idle = True
        self.called = self.invited = self.background = self.erasing = self.paused = self.holding = False
        self.urgent = self.critical = self.all_read = self.asked = self.awaited = False
        self.moving = self.reading = self.placed = self.victim_count = self.to_waste = 0
        self.victims = array("q", [-1] * width)
        self.next_of = array("q", [0] * width)
        self.next_victim = self.row = self.turn = 0
        self.held = [[] for _ in range(kinds)]
        self.held_rows = []
        self.writes = []
        self.env = self.begin = self.dies = None
        self.first_die = self.end_die = 0

    def bind(self, env: Any, dies: Dies, planes_per_unit: int, begin: Callable[[Any], None]) -> None:
        """Receive the clock, the dies, and the function that begins a collection: it is called with this one."""
        self.env = env
        self.dies = dies
        self.first_die = self.plane // planes_per_unit
        self.end_die = (self.plane + self.width - 1) // planes_per_unit + 1
        self.begin = begin

    # When.

    @cfunc
    def call(self) -> None:
        """Begin at the end of this instant."""
        if not self.called:
            self.called = True
            call_later(self.env, 0, self.answer)

    def answer(self, event: Any) -> None:
        """Begin the collection that was called for."""
        self.called = False
        self.begin(self)

    @cfunc
    def may_be_called(self) -> bool:
        """Return whether nothing is under way, nor about to be."""
        return self.idle and not self.called

    @cfunc
    def set_urgency(self, urgent: bool, critical: bool) -> None:
        """Set the urgency, and update the dies, which count their urgent and critical collections."""
        if urgent == self.urgent and critical == self.critical:
            return
        for die in range(self.first_die, self.end_die):
            self.dies.urgent_planes[die] += int(urgent) - self.urgent
            self.dies.critical_planes[die] += int(critical) - self.critical
        self.urgent = urgent
        self.critical = critical

    # The valid pages.

    @cfunc
    def start_over(self) -> None:
        """Begin with the first page of the victims, which are others now."""
        self.all_read = self.asked = False
        self.row = self.turn = 0
        for place in range(self.victim_count):
            self.next_of[place] = 0

    @cfunc
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
        if self.writes:
            for place in range(self.victim_count):
                if self.blocks.next_valid(self.victims[place], self.next_of[place]) >= 0:
                    return place
            return 0
        # no page becomes valid, so that each row is passed through once
        while self.row < self.blocks.pages_per_block:
            while self.turn < self.victim_count:
                is_read: bool = self.next_of[self.turn] > self.row
                ppa = self.victims[self.turn] * self.blocks.pages_per_block + self.row
                if not is_read and self.blocks.is_valid(ppa):
                    return self.turn
                self.turn += 1
            self.turn = 0
            self.row += 1
        return 0

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
        self.turn = 0  # the victims before have no valid page in this row, or have been read beyond it
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
