# cython: infer_types=True
"""What the device asks of whatever wins back space, the collector or the merges of FAST, and what both do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import ERASE, PROGRAM
from ssdsim._core.either_kernel import call_later
from ssdsim._core.schedule import END, Routine
from ssdsim._core.table import IndexTable
from ssdsim.flash.port import Contents, InstantFlash, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.host.gate import Gate
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner, WriteOwner

if TYPE_CHECKING:
    from ssdsim.config import SimulationConfig


class Reclaimer(TransactionOwner):
    """Wins back space in units of `width` planes; before there is a clock, whatever is wanted is done at once.

    Each step follows from the completion of the one before. A page that was read is a transaction, with the page that
    it is moved from as its `ppa`.
    """

    source: int  # of its transactions
    owner: int
    width: int  # planes of a unit
    kinds: int  # of pages that are written to blocks of their own, those of the mapping table last
    page_bytes: int
    planes_per_unit: int  # of a die that works on its own
    holds_writes: bool
    may_hold: bool  # a write may have to wait although there is room (`must_wait`)
    starts_before_write: bool
    heeds_steps: bool  # each is to be told of (`step_done`)
    row_begun: bool  # a row of the host's is being placed, and not its last page
    units: list[Any]  # by number: the collection there, or the first of several
    tasks: list[Any]  # all collections, by index
    copies: dict[int, int]  # by PPA of copy-backs under way: the page that is copied
    victim_pages: int  # pages of the victims
    victim_valid: int  # pages of the victims that were valid when these were chosen
    victims: dict[int, int]  # by block, until its erase is issued: the pages that were valid when it was chosen
    blocks: Blocks
    table: IndexTable | None  # of a mapping that is nothing else
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
        self.table = mapping.table if type(mapping) is PageMapping else None
        self.frontier = frontier.behind
        self.kinds = frontier.kinds + 1
        self.page_types = page_types
        self.scheduler, self.instant, self.contents = below
        self.blocks = frontier.blocks
        self.transactions = self.scheduler.transactions
        self.owner = 0
        self.page_bytes = config.hardware.page_bytes
        self.planes_per_unit = config.hardware.planes_per_unit
        self.holds_writes = self.may_hold = config.ftl.gc.holds_writes
        self.starts_before_write = config.ftl.gc.starts_before_write
        self.row_begun = self.heeds_steps = False
        self.units = self.tasks = []
        self.copies = {}
        self.collections = self.page_moves = self.copies_back = self.padded_pages = 0
        self.victim_pages = self.victim_valid = 0
        self.victims = {}
        self.listener = None
        self.on_collected = self.gate = None

    # When space is won back.

    def begin_first(self) -> None:
        """Begin the collections wanted from the start; called in the first instant, when the dies have begun."""
        collection: Collection
        for collection in self.units:
            self.update_urgency(collection, -1)
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
        """Resume the collections that were stopped, and begin those that there is time for now."""

    @cfunc
    def call(self, collection: Collection) -> None:
        """Begin a collection at the end of this instant."""
        if not collection.called:
            collection.called = True
            call_later(self.scheduler.env, 0, partial(self.answer, collection))

    def answer(self, collection: Collection, event: Any) -> None:
        """Begin a collection that was called for."""
        collection.called = False
        self.collect(collection)

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
    def update_urgency(self, collection: Collection, level: int) -> None:
        """Update the urgency of `collection` by `level`, or the present one if that is -1: space was taken or won."""
        raise NotImplementedError

    @cfunc
    def set_urgency(self, collection: Collection, urgent: bool, critical: bool) -> None:
        """Set the urgency, and update the dies, which count their urgent and critical collections."""
        dies = self.scheduler.dies
        for die in range(collection.first_die, collection.end_die):
            dies.urgent_planes[die] += int(urgent) - collection.urgent
            dies.critical_planes[die] += int(critical) - collection.critical
        collection.urgent = urgent
        collection.critical = critical

    @cfunc
    def is_awaited(self, number: int) -> bool:
        """Return whether writes of the host may have to wait until the collection of a unit is over."""
        return True

    @cfunc
    def step_done(self, number: int) -> None:
        """React when a step of the collection of a unit is done: it may have taken a block."""

    def collect(self, collection: Any) -> None:
        """Begin the next collection if none is under way and there is one."""
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
        self.update_urgency(collection, -1)

    @cfunc
    def finish(self, collection: Any) -> None:
        """Record that the victims are free again."""
        if self.on_collected is not None:
            self.on_collected()

    @cfunc
    def space_freed_by(self, collection: Collection) -> None:
        """Tell writes that wait for the space won."""
        for unit in range(collection.plane // self.blocks.span, (collection.plane + self.width) // self.blocks.span):
            self.listener.space_freed(unit)

    # What is issued.

    @cfunc
    def take(self, collection: Collection, op: int, lpa: int, ppa: int) -> int:
        """Return a transaction of `collection`, to be submitted."""
        transactions = self.transactions
        transaction = transactions.take(self.source, self.owner, lpa)
        transactions.task[transaction] = collection.index
        transactions.op[transaction] = op
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.page_bytes
        collection.moving += 1
        return transaction

    @cfunc
    def program(self, page: int, plane: int, kind: int) -> None:
        """Issue the program of a page that was read, to its new place."""
        transactions = self.transactions
        transactions.op[page] = PROGRAM
        transactions.ppa[page] = self.move(transactions.ppa[page], plane, kind)
        self.scheduler.submit(page)

    @cfunc
    def erase(self, collection: Collection, block: int) -> None:
        """Issue the erase of a block."""
        transaction = self.take(collection, ERASE, -1, block * self.blocks.pages_per_block)
        self.transactions.valid_pages[transaction] = self.victims.pop(block, -1)
        self.scheduler.submit(transaction)

    @cfunc
    def move(self, old_ppa: int, plane: int, kind: int) -> int:
        """Give the data at `old_ppa` a new page, in `plane` if the frontier heeds it, and return it."""
        lpa = self.blocks.spare.get(old_ppa)
        page_type = 0
        if self.page_types is not None:  # which is asked once a row
            page_type = self.frontier.row_type(plane // self.blocks.span, kind)
            if page_type < 0:
                page_type = self.page_types.of_moved_data(plane)
        ppa = self.frontier.allocate(plane, kind, lpa, page_type)
        moved_to(self, lpa, old_ppa, ppa)
        return ppa


# Functions, as these are asked for each page, and cost no call so.


@inline
def moved_to(reclaimer: Reclaimer, lpa: int, old_ppa: int, ppa: int) -> None:
    """Record that `lpa` has page `ppa` in place of `old_ppa`."""
    if reclaimer.table is not None:
        reclaimer.table.swap(lpa, ppa)
    else:
        reclaimer.mapping.update(lpa, ppa)
    reclaimer.blocks.invalidate(old_ppa)
    reclaimer.page_moves += 1
    if reclaimer.contents is not None:
        reclaimer.contents.put(ppa, reclaimer.contents.get(old_ppa))


@inline
def is_current(reclaimer: Reclaimer, page: int) -> bool:
    """Return whether a page that was read still holds current data."""
    return reclaimer.blocks.is_valid(reclaimer.transactions.ppa[page])


@inline
def give_up(reclaimer: Reclaimer, collection: Collection, transaction: int) -> None:
    """Forget a move or an erase that is done or needless; the collection goes on after that."""
    collection.moving -= 1
    reclaimer.transactions.give_back(transaction)


class FirstTasks(Routine):
    """The process that begins the first collections: by then those of the dies have begun, and it ends at once."""

    def __init__(self, reclaimer: Reclaimer) -> None:
        self.reclaimer = reclaimer

    def go_on(self) -> int:
        """Begin the collections that are wanted from the start."""
        self.reclaimer.begin_first()
        return END
