# cython: infer_types=True
"""Garbage collection: when a unit of blocks is collected."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final, cast

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC
from ssdsim._core.columns import Int64s
from ssdsim.errors import SimulationError
from ssdsim.flash.port import TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.reclaim.interface import Collection, Reclaimer
from ssdsim.ftl.reclaim.mover import CollectionMover
from ssdsim.ftl.reclaim.unit import CollectionUnit
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup
from ssdsim.stage import WriteOwner

if TYPE_CHECKING:
    from ssdsim._core.blocks import Blocks
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig
    from ssdsim.ftl.mapping.page import PageMapping
    from ssdsim.ftl.page_type import PageTypeSpecifier


PAGES_A_WRITE: Final = 64
"""Pages of victims that pay, each time that the host's data in a plane changes: some 130 to 190 a page written.

A page counts when it takes the place of another, when it is placed and when it has been programmed. Where pages are
mapped in controller memory each collection gains a page at least, and a device that is all but full moves some tens of
pages for each of the host's.
"""

FUTILE_ROUNDS: Final = 8
"""Collection makes no progress once it has taken this many times the pages of the device beyond those that pay.

This is a leaky bucket, filled by collections and emptied by the host: a burst of collections that the host is behind
with is not held against it, one write in ten thousand pages moved is, and so is none at all.
"""

AT_ANY_LEVEL = 1 << 62
"""A threshold that is always reached."""


class Collector(Reclaimer):
    """Collects wherever the level is below the soft threshold, one victim at a time, and resumes when it falls again.

    What is collected together, and from which level on, is up to `unit`; how its pages move, to `mover`. Transactions
    of a collection go after the host's until the level falls below the hard threshold.

    Where there is a `gate`, requests wait while pages of a victim go through the controller, save in the background,
    and a collection begins at once, before more of them pass.

    A collection that a write calls for begins at the end of the same instant, when an idle die has taken that write, or
    before the write is issued, if it `starts_before_write`; never in the middle of a row that is written as a whole.
    After the erases the next follows, if it is wanted.

    Below the hard threshold a collection is urgent, and goes before the host's writes: where the scheduling policy
    would give one of these its turn. Reads that go before writes pass it as well, if it `yields_to_reads`, until the
    host's writes find no room in the plane: then it is critical, and goes before all of the host's work. So reads hold
    up a collection no longer than the write that has need of it, which waits either for its turn or for room.

    In the background, while the host is quiet (`host_is_quiet`), it also collects where `unit.wants_background`, page
    after page, and stops at once when the host is active again. It goes on in the next quiet time, or when the soft
    threshold is reached (flexFTL, 3.2). One that has itself taken the blocks that the host's writes need does not stop.
    """

    futile: Int64s  # by unit: how often it was collected since the host last wrote there
    cache: SlcCache  # in front of the frontier, or None
    at_once: bool  # a collection that a write calls for begins in the midst of that instant
    yields_to_reads: bool
    lasts: bool  # a collection that is urgent stays so to its end, and no other is
    units_per_chip: int
    unpaid: int  # pages of victims, less `PAGES_A_WRITE` for each write of the host
    unpaid_limit: int

    def __init__(
        self,
        blocks: Blocks,
        mapping: PageMapping,
        frontier: WriteFrontier,
        unit: CollectionUnit,
        mover: type[CollectionMover],
        page_types: PageTypeSpecifier | None,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        Reclaimer.__init__(self, GC, blocks, unit.width, config, hardware)
        self.cache = frontier.cache
        self.unit = unit
        self.yields_to_reads = config.yields_to_reads
        self.lasts = config.reserved_blocks > 1 and config.hard_threshold == config.soft_threshold
        self.at_once = False
        self.units_per_chip = max(hardware.dies_per_chip * hardware.planes_per_die // self.width, 1)
        self.mover: CollectionMover = mover(self, mapping, frontier, page_types, config, hardware, unit.at_once)
        self.units = [self.new_collection(number) for number in range(blocks.planes // self.width)]
        self.tasks = self.units
        self.futile = array("q", [0] * len(self.units))
        self.unpaid = 0
        self.unpaid_limit = FUTILE_ROUNDS * blocks.pages

    @cfunc
    def new_collection(self, number: int) -> Collection:
        """Return another collection of unit `number`."""
        return Collection(number, self.width, self.blocks, self.mover.kinds)

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, listener: WriteOwner, rows: RowWritePath) -> None:
        """Receive the clock, the back end and whoever waits for space; from here on collection takes its time."""
        Reclaimer.bind(self, env, scheduler, listener, rows)
        self.at_once = self.starts_before_write or self.gate is not None
        self.mover.bind(scheduler, self.mover)
        self.mover.rows = rows

    # When.

    def consider(self, plane: int) -> None:
        """Collect `plane` if that is wanted; asked when the host's data there changes."""
        self.unpaid = max(self.unpaid - PAGES_A_WRITE, 0)
        self.futile[plane // self.width] = 0
        self.reconsider(plane)

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write: a page of the mapping table was written, or became invalid.

        A collection begins now or at the end of this instant: a row that is being placed is first completed.
        """
        collection = cast(Collection, self.units[plane // self.width])
        if self.is_wanted(collection):
            if self.at_once and not self.row_begun:
                self.collect(collection)
            else:
                collection.call()

    @cfunc
    def write_done(self, plane: int) -> None:
        """Collect `plane` at once if that is wanted, as a write is done: its block may be full, and have dead pages."""
        collection = cast(Collection, self.units[plane // self.width])
        self.futile[collection.number] = 0
        if self.is_wanted(collection):
            self.collect(collection)

    @cfunc
    def is_wanted(self, collection: Collection) -> bool:
        """Return whether a collection should begin, and let one go on that has been stopped."""
        level = self.unit.level(collection.number)
        if level >= self.unit.soft:
            return False
        if self.scheduler is None:
            self.collect_now(collection)
            return False
        self.update_urgency_at(collection, level)
        if collection.background:
            collection.background = False
            self.hold_requests(collection)
            self.mover.resume(collection)
        return collection.idle and self.unit.can_gain(collection.number, level)

    @cfunc
    def update_urgency(self, collection: Collection) -> None:
        """Update the urgency of `collection` by the present level."""
        self.update_urgency_at(collection, self.unit.level(collection.number))

    @cfunc
    def update_urgency_at(self, collection: Collection, level: int) -> None:
        """Update the urgency of `collection` by `level`, the present one.

        It is critical where it yields to no reads, or the host's writes find no room.
        """
        urgent: bool = level < self.unit.hard
        if self.lasts:
            urgent = not collection.idle and (urgent or collection.urgent)
        if urgent or collection.urgent:
            critical: bool = urgent and not (self.yields_to_reads and self.unit.has_room(collection.number))
            collection.set_urgency(urgent, critical)

    @cfunc
    def invite_others(self, collection: Collection) -> None:
        """Call for the collections of the same chip that are not far from their threshold (TBM, 5.2)."""
        chip = collection.number // self.units_per_chip * self.units_per_chip
        for number in range(chip, chip + self.units_per_chip):
            other: Collection = self.units[number]
            if other is not collection and other.may_be_called() and self.unit.level(number) < self.unit.early:
                other.invited = True
                other.call()

    # What the host's writes ask.

    def holds(self, plane: int) -> bool:
        """Return whether the host's writes to `plane` wait for the end of a collection there, as it is urgent."""
        if not self.holds_writes:
            return False
        collection: Collection = self.units[plane // self.width]
        return collection.urgent and collection.victim_count > 0

    @cfunc
    def is_awaited(self, number: int) -> bool:
        """Return whether writes of the host may have to wait until the collection of a unit is over."""
        collection: Collection = self.units[number]
        return collection.urgent or not self.unit.has_room(number)

    @cfunc
    def stand_in(self, plane: int) -> int:
        """Return a plane with room that is collected along with `plane`, which has none and nothing to gain, or -1.

        Where planes are collected in parallel, pages move from one to another, and one may come to hold more valid data
        than the logical pages that fall to it.
        """
        if not self.unit.may_stand_in(plane):
            return -1
        first = plane // self.width * self.width
        for other in range(first, first + self.width):
            if self.mover.frontier.has_room(other) and not self.holds(other):
                return other
        return -1

    def takes(self, plane: int, group: WriteGroup) -> bool:
        """Return whether `group`, which the host writes to the die of `plane`, goes along with a collection there."""
        collection: Collection = self.units[plane // self.width]
        if not collection.victim_count or not self.mover.takes(collection, group):
            return False
        self.mover.resume(collection)
        return True

    def complete(self, number: int, group: WriteGroup) -> None:
        """Take over the pages of the host that collection `number` asked for, to complete a row."""
        collection: Collection = self.units[number]
        self.mover.complete(collection, group)
        self.mover.resume(collection)

    # In the background.

    def host_is_active(self) -> None:
        """Stop the collections in the background."""
        self.mover.quiet = False

    def host_is_quiet(self) -> None:
        """Go on with what was stopped, and wake the collections that there is time for now."""
        self.mover.quiet = True
        collection: Collection
        for collection in self.units:
            if collection.background:
                self.mover.resume(collection)
            elif collection.idle and self.wants_background(collection):
                collection.call()

    @cfunc
    def wants_background(self, collection: Collection) -> bool:
        """Return whether idle time is to be used: not once every block could have been collected since the last write.

        What a collection gains may be used up by its own parity or by pages of the mapping table, without end.
        """
        return self.futile[collection.number] < self.blocks.blocks_per_plane and self.unit.wants_background(
            collection.number
        )

    # From one collection to the next.

    def collect(self, collection: Collection) -> None:
        """Begin the next collection, if none is under way and there is one."""
        if collection.idle and self.begin(collection):
            self.mover.resume(collection)

    @cfunc
    def begin(self, collection: Collection) -> bool:
        """Take up the next collection and return whether there is one; raise `SimulationError` without progress."""
        if not self.choose(collection):
            return False
        self.take_up(collection)
        if self.scheduler is not None:
            for die in range(collection.first_die, collection.end_die):
                self.scheduler.dies.collection_began[die] = self.scheduler.sequence
            self.hold_requests(collection)
            if self.unit.early > self.unit.soft:
                self.invite_others(collection)
            collection.idle = False
        return True

    @cfunc
    def take_up(self, collection: Collection) -> None:
        """Take up a collection, whose victims are chosen; raise `SimulationError` without progress."""
        collection.start_over()
        self.mover.begin(collection)
        self.collections += 1
        self.victim_pages += collection.victim_count * self.blocks.pages_per_block
        self.victim_valid += collection.valid_pages()
        for place in range(collection.victim_count):
            self.victims[collection.victims[place]] = self.blocks.valid(collection.victims[place])
            if self.cache is not None:
                self.cache.chosen(collection.victims[place])
        self.futile[collection.number] += 1
        self.unpaid += collection.victim_count * self.blocks.pages_per_block
        if self.unpaid > self.unpaid_limit:
            raise self.no_progress(collection)

    @cfunc
    def hold_requests(self, collection: Collection) -> None:
        """Hold requests from now on, if they are to wait for such a collection."""
        if self.gate is None or collection.holding or collection.background:
            return
        if self.mover.takes_controller(collection):
            collection.holding = True
            self.gate.hold()

    @cfunc
    def choose(self, collection: Collection) -> bool:
        """Choose victims and return whether there are any."""
        threshold = self.unit.early if collection.invited else self.unit.soft
        collection.invited = False
        collection.victim_count = self.unit.choose(collection.number, threshold, collection.victims)
        if not collection.victim_count and self.mover.quiet and self.wants_background(collection):
            collection.victim_count = self.unit.choose(collection.number, AT_ANY_LEVEL, collection.victims)
            collection.background = collection.victim_count > 0
        return collection.victim_count > 0

    @cfunc
    def finish(self, collection: Collection) -> None:
        """Record that the victims are free again."""
        for place in range(collection.victim_count):
            self.unit.wear_leveling.block_erased(collection.victims[place])
            if self.cache is not None:
                self.cache.freed(collection.victims[place])
        collection.victim_count = 0
        collection.background = False
        if collection.holding:
            collection.holding = False
            self.gate.let_go()
        Reclaimer.finish(self, collection)

    @cfunc
    def collect_now(self, collection: Collection) -> None:
        """Collect at once, until nothing more is wanted: what happens before a back end is bound."""
        while self.begin(collection):
            self.mover.run_now(collection)
            self.finish(collection)

    def plane_with_room(self, plane: int, kind: int) -> int:
        """Return a plane with room for a page of `kind` that is restored after a loss of power, beside the reserve.

        That is `plane` or one that stands in for it. Where none has room, one collection makes some at once, of the
        least valid block: the victim policy and wear leveling might choose one that is all valid.
        """
        first = plane // self.width * self.width
        planes: list[int] = [plane, *(range(first, first + self.width) if self.unit.may_stand_in(plane) else ())]
        for each in planes:
            if self.mover.frontier.has_room_beside(each // self.blocks.span, kind):
                return each
        for each in planes:
            if self.blocks.dead_pages(each // self.blocks.span) > 0 and self.collect_least_valid(each):
                return each
        return plane

    @cfunc
    def collect_least_valid(self, plane: int) -> bool:
        """Collect the least valid block of the unit of `plane` at once, and return whether there was room to."""
        unit = plane // self.blocks.span
        victim = self.unit.least_valid(unit)
        if victim < 0 or not self.unit.fits(unit, victim):
            return False
        collection: Collection = self.units[plane // self.width]
        collection.victim_count = self.unit.take(victim, collection.victims, 0)
        self.take_up(collection)
        self.mover.run_now(collection)
        self.finish(collection)
        return True

    @cfunc
    def no_progress(self, collection: Collection) -> SimulationError:
        """Return the error for collection that does not end, or hardly lets the host get on, with what would help."""
        unit, number, pages = self.unit, collection.number, self.blocks.pages
        table = self.mover.mapping.translation_pages > 0
        causes = "; each page moved may have one of the mapping table written" if table else ""
        cache = ", ftl.mapping.cache_kib" if table else ""
        return SimulationError(
            f"garbage collection makes no progress: {self.collections} collections took {self.victim_pages} "
            f"pages, of which {self.victim_valid} were valid and had to be moved, {FUTILE_ROUNDS} times the {pages} "
            f"pages of the device beyond {PAGES_A_WRITE} for each write of the host; plane {collection.plane} has "
            f"{unit.level(number)} free of {unit.soft} wanted and {unit.dead_pages(number)} dead "
            f"pages{causes}: raise hardware.over_provisioning{cache} or lower ftl.gc.soft_threshold, or choose victims "
            "with few valid pages (ftl.gc.victim=greedy)."
        )
