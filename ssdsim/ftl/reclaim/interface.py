# cython: infer_types=True
"""What the rest of the device asks of whatever wins back space: the garbage collector, or the merges of FAST."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.kernel import END, Routine
from ssdsim.flash.port import Contents, InstantFlash, TransactionSchedulingUnit
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.pace import Pace
from ssdsim.host.gate import Gate
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner, WriteOwner

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig


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
    pace: Pace | None  # of collections that are not urgent; None where they go as fast as they can
    on_collected: Callable[[], None] | None  # called after each collection

    def __init__(
        self, source: int, blocks: Blocks, width: int, config: GarbageCollectionConfig, hardware: HardwareConfig
    ) -> None:
        self.source = source
        self.blocks = blocks
        self.width = width
        self.page_bytes = hardware.page_bytes
        self.planes_per_unit = hardware.planes_per_unit
        self.holds_writes = config.holds_writes
        self.starts_before_write = config.starts_before_write
        self.row_begun = False
        self.units = self.tasks = []
        self.copies = {}
        self.collections = self.page_moves = self.copies_back = self.padded_pages = 0
        self.victim_pages = self.victim_valid = 0
        self.victims = {}
        self.contents = self.instant = self.scheduler = self.listener = None
        self.on_collected = self.gate = self.pace = None

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
