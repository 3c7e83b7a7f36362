# cython: infer_types=True
"""A collection, from its victims to their erase, and what the device asks of whoever begins it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE
from ssdsim._core.columns import Int64s
from ssdsim._core.either_kernel import call_later
from ssdsim._core.schedule import END, Routine
from ssdsim.config import SimulationConfig
from ssdsim.flash.port import Contents, InstantFlash, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.host.gate import Gate
from ssdsim.stage import TransactionOwner, WriteOwner


class Reclaimer(Routine):
    """Wins back space: what the device asks of the collector or the merges of FAST, and what both do.

    Before there is a clock, whatever is wanted is done at once.
    """

    source: int  # of its transactions
    width: int  # planes of a unit
    page_bytes: int
    may_hold: bool  # a write may have to wait although there is room (`must_wait`)
    starts_before_write: bool
    holds_cause: bool  # a write is complete only at the end of the collection that it called for
    writer: int  # the write that a page is given, or -1
    combines: bool  # the host's pages go in rows with moved ones, as long as there are enough of both
    row_begun: bool  # a row of the host's is being placed, and not its last page
    units: list[Any]  # by number: the collection there, or the first of several
    every_collection: list[Any]
    # By PPA of copies under way, which are copy-backs, and pages of which the rest is being read: the page that is
    # copied. Their data is nowhere else until they are programmed.
    copies: dict[int, int]
    reads_unprogrammed: bool  # pages are read in flash before they are programmed
    victim_pages: int  # pages of the victims
    victim_valid: int  # pages of the victims that were valid when these were chosen
    victims: dict[int, int]  # by block, until its erase is issued: the pages that were valid when it was chosen
    blocks: Blocks
    mapping: PageMapping
    is_plain: bool  # the mapping is a table, and nothing else
    frontier: WriteFrontier  # where moved pages go
    page_types: PageTypeSpecifier | None  # of moved data; None where types are not specified
    scheduler: TransactionSchedulingUnit  # without a clock for as long as no time passes
    transactions: Transactions
    instant: InstantFlash  # the flash, until there is a clock
    contents: Contents | None  # where integrity is checked
    listener: WriteOwner  # the host's writes, which wait for space
    gate: Gate | None  # what holds requests until the end of a collection, where they wait for that
    on_collected: Callable[[], None] | None  # called after each collection

    def __init__(
        self,
        source: int,
        width: int,
        mapping: PageMapping,
        frontier: WriteFrontier,
        page_types: PageTypeSpecifier | None,
        below: tuple[TransactionSchedulingUnit, InstantFlash, Contents | None],
        config: SimulationConfig,
    ) -> None:
        self.source = source
        self.width = width
        self.mapping = mapping
        self.is_plain = type(mapping) is PageMapping
        self.frontier = frontier.behind
        self.page_types = page_types
        self.scheduler, self.instant, self.contents = below
        self.blocks = frontier.blocks
        self.transactions = self.scheduler.transactions
        self.page_bytes = config.hardware.page_bytes
        self.may_hold = config.ftl.gc.holds_writes or config.ftl.gc.paced
        self.starts_before_write = config.ftl.gc.starts_before_write
        self.holds_cause = config.ftl.gc.holds_cause
        self.writer = -1
        self.combines = config.ftl.gc.combine_writes
        self.row_begun = False
        self.units = self.every_collection = []
        self.copies = {}
        self.reads_unprogrammed = config.flash.unprogrammed_read == "flash"
        self.victims = {}
        self.collections = self.page_moves = self.copies_back = self.padded_pages = 0
        self.victim_pages = self.victim_valid = 0
        self.listener = None
        self.on_collected = self.gate = None

    # When space is won back.

    def go_on(self) -> int:
        """Begin the collections that are wanted from the start, and end as a process: those of the dies have begun."""
        collection: Collection
        for collection in self.units:
            self.update_urgency(collection, -1)
            self.collect(collection)
        return END

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

    @cfunc
    def update_urgency(self, collection: Collection, level: int) -> None:
        """Update the urgency of `collection` by `level`, or the present one if that is -1: space was taken or won."""
        raise NotImplementedError

    @cfunc
    def begin(self, collection: Collection) -> bool:
        """Take up the next collection and return whether there is one."""
        raise NotImplementedError

    def collect(self, collection: Collection) -> None:
        """Begin the next collection if none is under way and there is one."""
        if collection.idle and self.begin(collection):
            collection.idle = False
            collection.resume()

    @cfunc
    def call(self, collection: Collection) -> None:
        """Begin a collection at the end of this instant."""
        if not collection.called:
            collection.called = True
            call_later(self.scheduler.env, 0, partial(self.answer, collection))

    def answer(self, collection: Collection, event: Any) -> None:
        """Begin a collection that was called for."""
        self.collect(collection)
        collection.called = False

    def collect_now(self, collection: Collection) -> None:
        """Collect until nothing more is wanted, where no time passes."""
        while self.begin(collection):
            collection.run_now()
            self.finish(collection)

    @cfunc
    def finish(self, collection: Collection) -> None:
        """End a collection, whose victims are free again."""
        collection.erasing = False
        collection.idle = True
        if self.on_collected is not None:
            self.on_collected()
        if self.scheduler.env is not None:
            self.update_urgency(collection, -1)

    # What the host's writes tell and ask.

    def began(self) -> None:
        """Count one more piece of the host's work; called where collection heeds when the host is quiet."""

    def ended(self) -> None:
        """Count a piece of the host's work as done; called where `began` is."""

    @cfunc
    def must_wait(self, plane: int, lpa: int) -> bool:
        """Return whether a write of `lpa` has to wait although there is room for it in `plane`."""
        raise NotImplementedError

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Return a plane with room for a write that finds none in `plane`, or -1."""
        return -1

    @cfunc
    def holds_back(self, transaction: int) -> bool:
        """Return whether a write that is programmed waits for the end of the collection that it called for."""
        collection: Collection = self.units[self.transactions.plane[transaction] // self.width]
        collection.cause = -1 if collection.idle and not collection.called else collection.cause  # it had no victim
        held: bool = collection.cause == transaction
        collection.holds_back = collection.holds_back or held
        return held

    # Where pages lie, and one that has moved.

    @cfunc
    def source_of(self, ppa: int) -> int:
        """Return where in flash the data of page `ppa` can be read now, or -1 if only controller memory has it."""
        if self.copies and ppa in self.copies:
            return self.copies[ppa]
        return ppa if self.reads_unprogrammed or self.blocks.is_programmed(ppa) else -1

    @cfunc
    def moved_to(self, lpa: int, old_ppa: int, ppa: int) -> None:
        """Record that `lpa` has page `ppa` in place of `old_ppa`."""
        if self.is_plain:
            self.mapping.table.swap(lpa, ppa)
        else:
            self.mapping.update(lpa, ppa)
        self.blocks.invalidate(old_ppa)
        self.page_moves += 1
        if self.contents is not None:
            self.contents.put(ppa, self.contents.get(old_ppa))


class Collection(TransactionOwner):
    """The collection of unit `number`, one after another: first the victims' valid pages move, then these are erased.

    Each step follows from the completion of the one before. How pages move is up to the subclass. A page that was read
    is a transaction, with the page that it is moved from as its `ppa`.
    """

    reclaimer: Reclaimer
    blocks: Blocks
    transactions: Transactions
    frontier: WriteFrontier  # where moved pages go
    scheduler: TransactionSchedulingUnit
    owner: int  # of its transactions
    number: int  # of the unit
    plane: int  # the first of the unit
    dies: range  # those of its planes
    idle: bool  # nothing is under way
    background: bool  # the present one is done only while the host is quiet
    erasing: bool  # all moves are done
    urgent: bool  # it has the turns of the host's writes
    critical: bool  # urgent, and it has those of the host's reads
    called: bool  # it is to begin at the end of this instant
    invited: bool  # to go along with another one
    holding: bool  # requests wait for its end
    paces: bool  # writes wait for its moves
    moving: int  # moves, and later erases, under way
    placed: int  # moves whose program has been issued
    victims: list[int]  # the blocks being collected, none between two collections; FAST's merges have none
    pages_to_read: Int64s  # of the victims, in order
    reached: int  # the place of the next of them
    cause: int  # the write that called for it, or -1
    holds_back: bool  # the cause, which is programmed, until this ends

    def __init__(self, reclaimer: Reclaimer, number: int) -> None:
        self.reclaimer = reclaimer
        self.blocks = reclaimer.blocks
        self.frontier = reclaimer.frontier
        self.scheduler = reclaimer.scheduler
        self.transactions = reclaimer.transactions
        self.owner = self.transactions.add_owner(self)
        self.number = number
        self.plane = number * reclaimer.width
        planes = self.blocks.planes // self.scheduler.dies.count
        self.dies = range(self.plane // planes, (self.plane + reclaimer.width - 1) // planes + 1)
        self.idle = True
        self.called = self.invited = self.background = self.erasing = self.holding = self.holds_back = False
        self.cause = -1
        self.urgent = self.critical = self.paces = False
        self.moving = self.placed = self.reached = 0
        self.victims = []
        self.pages_to_read = array("q")

    @cfunc
    def set_urgency(self, urgent: bool, critical: bool) -> None:
        """Set the urgency, and update the dies, which count their urgent and critical collections."""
        dies = self.scheduler.dies
        die: int
        for die in self.dies:
            dies.urgent_planes[die] += int(urgent) - self.urgent
            dies.critical_planes[die] += int(critical) - self.critical
        self.urgent = urgent
        self.critical = critical

    @cfunc
    def next_page(self) -> int:
        """Return the next page to be read, or -1; one that the host has rewritten is none."""
        while self.reached < len(self.pages_to_read):
            ppa = self.pages_to_read[self.reached]
            if self.blocks.is_valid(ppa):
                return ppa
            self.reached += 1
        return -1

    @cfunc
    def is_placed(self) -> bool:
        """Return whether every valid page of the victims has been given its place, or has been moved."""
        return self.erasing or (self.placed == self.moving and self.next_page() < 0)

    @cfunc
    def valid_pages(self) -> int:
        """Return how many pages of the victims are valid."""
        count = 0
        block: int
        for block in self.victims:
            count += self.blocks.valid(block)
        return count

    @cfunc
    def begin(self) -> None:
        """List the pages to be read, as the victims have just been chosen."""

    @cfunc
    def resume(self) -> None:
        """Take the next steps."""
        raise NotImplementedError

    @cfunc
    def run_now(self) -> None:
        """Move the pages of the victims and erase these, where no time passes."""
        raise NotImplementedError

    @cfunc
    def move(self, ppa: int, plane: int, kind: int) -> int:
        """Give the data at `ppa` a new page, in `plane` if the frontier heeds it, and return that."""
        lpa, page_type = self.blocks.spare.get(ppa), 0
        if self.reclaimer.page_types is not None:  # which is asked once a row
            page_type = self.frontier.row_type(plane // self.blocks.span, kind)
            if page_type < 0:
                page_type = self.reclaimer.page_types.of_moved_data(plane)
        new_ppa = self.frontier.allocate(plane, kind, lpa, page_type)
        self.reclaimer.moved_to(lpa, ppa, new_ppa)
        return new_ppa

    # What is issued.

    @cfunc
    def take(self, op: int, lpa: int, ppa: int) -> int:
        """Return a transaction, to be submitted."""
        self.moving += 1
        return self.transactions.take(self.reclaimer.source, self.owner, op, lpa, ppa, self.reclaimer.page_bytes)

    @cfunc
    def give_up(self, transaction: int) -> None:
        """Forget a move or an erase that is done or needless; the collection goes on after that."""
        self.moving -= 1
        self.transactions.give_back(transaction)

    @cfunc
    def erase(self, blocks: list[int]) -> None:
        """Erase blocks, whose valid pages are all elsewhere."""
        self.erasing = True
        block: int
        for block in blocks:
            valid_pages: int = self.reclaimer.victims.pop(block, -1)
            if self.scheduler.env is None:
                self.reclaimer.instant.erase(self.reclaimer.source, block)
                continue
            transaction = self.take(ERASE, -1, block * self.blocks.pages_per_block)
            self.transactions.valid_pages[transaction] = valid_pages
            self.scheduler.submit(transaction)
