# cython: infer_types=True
"""What the device asks of whatever wins back space, the collector or the merges of FAST, and one collection of it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import END, Routine, call_later
from ssdsim.flash.port import Contents, InstantFlash, TransactionSchedulingUnit
from ssdsim.host.gate import Gate
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner, WriteOwner

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig
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
        self.called = self.invited = self.background = self.erasing = self.holding = False
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


class Reclaimer(TransactionOwner):
    """Wins back space in units of `width` planes.

    Before `bind` no time passes: whatever is wanted is done at once. After it, `begin_first` is called once,
    and each step follows from the completion of the one before. `listener` is told by `space_freed` when
    there is room for writes that wait, and takes part in rows that are written for both
    (`ssdsim.ftl.reclaim.row_moves`).

    Where requests wait for the end of a collection, `gate` is what holds them, else None.

    Counted are `collections` and the pages of what they took, page moves, those of them that the chip copied back, and
    pages padded. `victims` has the pages that were valid in each block that has been chosen and whose erase is to come.
    """

    source: int  # of its transactions
    width: int  # planes of a unit
    page_bytes: int
    planes_per_unit: int  # of a die that works on its own
    holds_writes: bool
    may_hold: bool  # a write may have to wait although there is room (`must_wait`)
    starts_before_write: bool
    row_begun: bool  # a row of the host's is being placed, and not its last page
    units: list[Any]  # by number: the collection there, or the first of several
    tasks: list[Any]  # all collections, by index
    copies: dict[int, int]  # by PPA of copy-backs under way: the page that is copied
    victim_pages: int  # pages of the victims
    victim_valid: int  # pages of the victims that were valid when these were chosen
    victims: dict[int, int]  # by block, until its erase is issued: the pages that were valid then
    contents: Contents | None  # where integrity is checked
    instant: InstantFlash  # the flash, until there is a clock
    scheduler: TransactionSchedulingUnit  # None until there is a clock
    listener: WriteOwner
    gate: Gate | None
    on_collected: Callable[[], None] | None  # called after each collection

    def __init__(
        self, source: int, blocks: Blocks, width: int, config: GarbageCollectionConfig, hardware: HardwareConfig
    ) -> None:
        self.source = source
        self.blocks = blocks
        self.width = width
        self.page_bytes = hardware.page_bytes
        self.planes_per_unit = hardware.planes_per_unit
        self.holds_writes = self.may_hold = config.holds_writes
        self.starts_before_write = config.starts_before_write
        self.row_begun = False
        self.units = self.tasks = []
        self.copies = {}
        self.collections = self.page_moves = self.copies_back = self.padded_pages = 0
        self.victim_pages = self.victim_valid = 0
        self.victims = {}
        self.contents = self.instant = self.scheduler = self.listener = None
        self.on_collected = self.gate = None

    def follow(self, instant: InstantFlash, contents: Contents | None) -> None:
        """Receive the flash for as long as no time passes, and what the pages hold, where that is known."""
        self.instant = instant
        self.contents = contents

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, listener: WriteOwner, rows: Any) -> None:
        """Receive the clock, the back end and whoever waits for space; from here on all takes its time."""
        self.scheduler = scheduler
        self.listener = listener
        collection: Collection
        for collection in self.tasks:
            collection.bind(env, scheduler.dies, self.planes_per_unit, self.collect)

    # When space is won back.

    def begin_first(self) -> None:
        """Begin the collections wanted from the start; called in the first instant, when the dies have begun."""
        collection: Collection
        for collection in self.units:
            self.update_urgency(collection)
            self.collect(collection)

    def consider(self, plane: int) -> None:
        """Win back space in `plane` if that is wanted; asked when the host's data there changes."""
        raise NotImplementedError

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write: a page of the mapping table was written, or became invalid."""
        raise NotImplementedError

    @cfunc
    def write_done(self, plane: int) -> None:
        """Begin at once if that is wanted, as a write to `plane` is done."""
        raise NotImplementedError

    def host_is_active(self) -> None:
        """Stop the collections in the background."""

    def host_is_quiet(self) -> None:
        """Go on with what was stopped, and begin what there is time for now."""

    # What the host's writes ask.

    def holds(self, plane: int) -> bool:
        """Return whether the host's writes to `plane` wait for the end of what is under way there."""
        return False

    @cfunc
    def must_wait(self, plane: int, lpa: int) -> bool:
        """Return whether a write of `lpa` has to wait although there is room for it in `plane`."""
        return self.holds(plane)

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Return a plane with room for a write that finds none in `plane`, or -1."""
        return -1

    def takes(self, plane: int, group: WriteGroup) -> bool:
        """Return whether `group`, which the host writes to the die of `plane`, goes along with moved pages there."""
        return False

    def complete(self, number: int, group: WriteGroup) -> None:
        """Take over the pages of the host that unit `number` asked for, to complete a row."""
        raise NotImplementedError

    # From one step to the next.

    @cfunc
    def update_urgency(self, collection: Collection) -> None:
        """Update the urgency of `collection`; asked whenever space has been taken or won."""
        raise NotImplementedError

    @cfunc
    def is_awaited(self, number: int) -> bool:
        """Return whether writes of the host may have to wait until the collection of a unit is over."""
        return True

    @cfunc
    def step_done(self, number: int) -> None:
        """React when a step of the collection of a unit is done: it may have taken a block."""

    def collect(self, collection: Any) -> None:
        """Begin the next collection, if there is one, or go on with the one that is under way."""
        raise NotImplementedError

    @cfunc
    def over(self, collection: Collection) -> None:
        """End a collection, and begin the next: before the host is given the space won if that is urgent."""
        self.end(collection)
        if collection.urgent:
            self.collect(collection)
        self.space_freed_by(collection)
        self.collect(collection)
        if self.gate is not None:
            self.gate.open()

    @cfunc
    def end(self, collection: Collection) -> None:
        """End a collection: all of its erases are done."""
        collection.erasing = False
        collection.idle = True
        self.finish(collection)
        self.update_urgency(collection)

    @cfunc
    def finish(self, collection: Any) -> None:
        """Record that the victims are free again."""
        if self.on_collected is not None:
            self.on_collected()

    @cfunc
    def space_freed_by(self, collection: Collection) -> None:
        """Tell writes that wait for the space to go on."""
        for unit in range(collection.plane // self.blocks.span, (collection.plane + self.width) // self.blocks.span):
            self.listener.space_freed(unit)


class FirstTasks(Routine):
    """The process that begins the first collections: by then those of the dies have begun, and it ends at once."""

    def __init__(self, reclaimer: Reclaimer) -> None:
        self.reclaimer = reclaimer

    def go_on(self) -> int:
        """Begin the collections that are wanted from the start."""
        self.reclaimer.begin_first()
        return END
