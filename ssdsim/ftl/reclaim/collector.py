# cython: infer_types=True
"""Garbage collection: when a unit of blocks is collected."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import GC
from ssdsim._core.columns import Int64s
from ssdsim.flash.port import TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.frontier.slc_cache import SlcCache
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.course import Course
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.ftl.reclaim.pace import Pace
from ssdsim.ftl.reclaim.port import MovePort
from ssdsim.ftl.reclaim.progress import Progress, no_progress
from ssdsim.ftl.reclaim.unit import CollectionUnit
from ssdsim.ftl.reclaim.urgency import UrgencyByLevel
from ssdsim.ftl.rows import RowWritePath
from ssdsim.host.request import WriteGroup
from ssdsim.stage import WriteOwner

if TYPE_CHECKING:
    from ssdsim._core.blocks import Blocks
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig
    from ssdsim.ftl.mapping.page import PageMapping
    from ssdsim.ftl.page_type.specifier import PageTypeSpecifier


AT_ANY_LEVEL = 1 << 62
"""A threshold that is always reached."""


class Collector(Reclaimer):
    """Collects wherever the level is below the soft threshold, one victim at a time, and resumes when it falls again.

    What is collected together, and from which level on, is up to `unit`, the course of a collection to `Course`, and
    where its pages go to `moves`. Its transactions go after the host's until the level falls below the hard threshold.

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

    units: list[Collection]  # by number: the collection there, or the first of several
    tasks: list[Collection]  # all of them
    futile: Int64s  # by unit: how often it was collected since the host last wrote there
    cache: SlcCache  # in front of the frontier, or None
    at_once: bool  # what a write calls for begins in its midst
    planes_per_unit: int
    units_per_chip: int
    pace: Pace | None  # of collections that are not urgent; None where they go as fast as they can
    scheduler: TransactionSchedulingUnit
    listener: WriteOwner

    def __init__(
        self,
        blocks: Blocks,
        mapping: PageMapping,
        frontier: WriteFrontier,
        unit: CollectionUnit,
        moves: PageMoves,
        page_types: PageTypeSpecifier | None,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        Reclaimer.__init__(self, GC, blocks, unit.width, config, hardware)
        self.frontier = frontier
        self.cache = frontier.cache
        self.unit = unit
        self.moves = moves
        lasts: bool = config.reserved_blocks > 1 and config.hard_threshold == config.soft_threshold
        self.urgency = UrgencyByLevel(unit, config.yields_to_reads, lasts)
        self.port = MovePort(self, mapping, frontier, page_types, self.urgency)
        self.progress = Progress(blocks.pages)
        self.planes_per_unit = hardware.planes_per_unit
        self.units_per_chip = max(hardware.dies_per_chip * hardware.planes_per_die // self.width, 1)
        moves.bind(self.port)
        self.units = [moves.collection_of(number, self.width) for number in range(blocks.planes // self.width)]
        at_once = 2 * hardware.pages_programmed * unit.at_once  # two programs a plane
        in_flight = max(config.moves_in_flight, at_once if unit.at_once > 1 else 1)
        self.at_once = False
        self.tasks = self.units
        self.futile = array("q", [0] * len(self.units))
        self.pace = Pace(config, len(self.units)) if config.pauses_for or config.moves_per_write else None
        fewest = 1
        if hardware.pages_programmed > 1:  # a wordline of each kind can be filled at once
            fewest = (frontier.kinds + 1) * hardware.pages_open(blocks.span, frontier.by_rows)
        self.course = Course(self, self.tasks, moves, self.port, max(in_flight, fewest), self.pace, self.over)
        self.course.fewest_moves = fewest
        self.scheduler = self.listener = None

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, listener: WriteOwner, rows: RowWritePath) -> None:
        """Receive the clock, the back end and whoever waits for space; from here on collection takes its time."""
        self.scheduler = scheduler
        self.listener = listener
        self.at_once = self.starts_before_write or self.gate is not None
        self.port.bind(scheduler, self.course, rows)
        collection: Collection
        for collection in self.units:
            collection.bind(env, scheduler.dies, self.planes_per_unit, self.collect)

    def of(self, plane: int) -> Collection:
        """Return the collection of `plane`."""
        return self.units[plane // self.width]

    # When.

    def begin_first(self) -> None:
        """Begin the collections that are wanted from the start."""
        collection: Collection
        for collection in self.units:
            self.urgency.update(collection)
            self.collect(collection)

    def consider(self, plane: int) -> None:
        """Have `plane` collected if that is wanted; asked when the host's data there changes."""
        collection = self.of(plane)
        self.futile[collection.number] = 0
        self.progress.host_wrote()
        if self.is_wanted(collection):
            self.answer(collection)

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write: a page of the mapping table was written, or became invalid."""
        collection = self.of(plane)
        if self.is_wanted(collection):
            self.answer(collection)

    def answer(self, collection: Collection) -> None:
        """Collect, now or at the end of this instant: a row that is being placed is first completed."""
        if self.at_once and not self.row_begun:
            self.collect(collection)
        else:
            collection.call()

    @cfunc
    def write_done(self, plane: int) -> None:
        """Collect `plane` at once if that is wanted, as a write is done: its block may be full, and have dead pages."""
        collection = self.of(plane)
        self.futile[collection.number] = 0
        if self.pace is not None:
            self.pace.page_written(collection)
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
        self.urgency.hold_against(collection, level)
        if collection.paused and collection.urgent:
            self.pace.go_on(collection.number)
        if collection.background:
            collection.background = False
            self.hold_requests(collection)
            self.course.resume(collection)
        return collection.idle and self.unit.can_gain(collection.number, level)

    @cfunc
    def invite(self, collection: Collection) -> None:
        """Call for the collections of the same chip that are not far from their threshold (TBM, 5.2)."""
        chip = collection.number // self.units_per_chip * self.units_per_chip
        for number in range(chip, chip + self.units_per_chip):
            other: Collection = self.units[number]
            if other is not collection and other.may_be_called() and self.unit.level(number) < self.unit.early:
                other.invited = True
                other.call()

    def holds(self, plane: int) -> bool:
        """Return whether the host's writes to `plane` wait for the end of a collection there, as it is urgent."""
        if not self.holds_writes:
            return False
        collection = self.of(plane)
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
            if self.frontier.has_room(other) and not self.holds(other):
                return other
        return -1

    def takes(self, plane: int, group: WriteGroup) -> bool:
        """Return whether `group`, which the host writes to the die of `plane`, goes along with a collection there."""
        collection = self.of(plane)
        if not collection.victim_count or not self.moves.takes(collection, group):
            return False
        self.course.resume(collection)
        return True

    def complete(self, number: int, group: WriteGroup) -> None:
        """Take over the pages of the host that collection `number` asked for, to complete a row."""
        collection: Collection = self.units[number]
        self.moves.complete(collection, group)
        self.course.resume(collection)

    # In the background.

    def host_is_active(self) -> None:
        """Stop the collections in the background."""
        self.course.quiet = False
        if self.pace is not None and self.pace.pauses_for == "requests":
            self.pace.host_is_active()

    def host_is_quiet(self) -> None:
        """Go on with what was stopped, and wake the collections that there is time for now."""
        self.course.quiet = True
        if self.pace is not None and self.pace.pauses_for == "requests":
            self.pace.host_is_quiet()
        collection: Collection
        for collection in self.units:
            if collection.background:
                self.course.resume(collection)
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
        """Begin the next collection, if there is one, or go on with the one that is under way."""
        if not collection.idle:
            if self.pace is not None:
                self.course.resume(collection)
        elif self.begin(collection):
            collection.idle = False
            self.course.resume(collection)

    def begin(self, collection: Collection) -> bool:
        """Take up the next collection and return whether there is one; raise `SimulationError` without progress."""
        if not self.choose(collection):
            return False
        self.take_up(collection)
        if self.scheduler is not None:
            self.urgency.began(collection, self.scheduler.sequence)
            self.hold_requests(collection)
            if self.unit.early > self.unit.soft:
                self.invite(collection)
        return True

    def take_up(self, collection: Collection) -> None:
        """Take up a collection, whose victims are chosen; raise `SimulationError` without progress."""
        collection.start_over()
        self.moves.begin(collection)
        self.collections += 1
        self.victim_pages += collection.victim_count * self.blocks.pages_per_block
        self.victim_valid += collection.valid_pages()
        for place in range(collection.victim_count):
            self.victims[collection.victims[place]] = self.blocks.valid(collection.victims[place])
            if self.cache is not None:
                self.cache.chosen(collection.victims[place])
        self.futile[collection.number] += 1
        if not self.progress.is_made(collection.victim_count * self.blocks.pages_per_block):
            raise no_progress(self, collection)

    @cfunc
    def hold_requests(self, collection: Collection) -> None:
        """Have requests wait from now on, if they are to wait for such a collection."""
        if self.gate is None or collection.holding or collection.background:
            return
        if self.moves.takes_controller(collection):
            collection.holding = True
            self.gate.hold()

    def choose(self, collection: Collection) -> bool:
        """Choose victims and return whether there are any."""
        threshold = self.unit.early if collection.invited else self.unit.soft
        collection.invited = False
        collection.victim_count = self.unit.choose(collection.number, threshold, collection.victims)
        if not collection.victim_count and self.course.quiet and self.wants_background(collection):
            collection.victim_count = self.unit.choose(collection.number, AT_ANY_LEVEL, collection.victims)
            collection.background = collection.victim_count > 0
        return collection.victim_count > 0

    def over(self, collection: Collection) -> None:
        """Be done with a collection, and begin the next: before the host is given what was won if that is urgent."""
        collection.erasing = False
        collection.idle = True
        self.finish(collection)
        self.urgency.update(collection)
        if collection.urgent:
            self.collect(collection)
        self.space_freed_by(collection)
        self.collect(collection)
        if self.gate is not None:
            self.gate.open()

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
        if self.on_collected is not None:
            self.on_collected()

    @cfunc
    def space_freed_by(self, collection: Collection) -> None:
        """Let writes that wait for the space go on."""
        for unit in range(collection.plane // self.blocks.span, (collection.plane + self.width) // self.blocks.span):
            self.listener.space_freed(unit)

    @cfunc
    def collect_now(self, collection: Collection) -> None:
        """Collect at once, until nothing more is wanted: what happens before a back end is bound."""
        while self.begin(collection):
            self.run_now(collection)

    def run_now(self, collection: Collection) -> None:
        """Do at once what has been taken up."""
        self.course.run_now(collection)
        self.finish(collection)

    def plane_with_room(self, plane: int, kind: int) -> int:
        """Return a plane with room for a page of `kind` that is restored after a loss of power, beside the reserve.

        That is `plane` or one that stands in for it. Where none has room, one collection makes some at once, of the
        least valid block: the victim policy and wear leveling might choose one that is all valid.
        """
        first = plane // self.width * self.width
        planes: list[int] = [plane, *(range(first, first + self.width) if self.unit.may_stand_in(plane) else ())]
        for each in planes:
            if self.frontier.has_room_beside(each // self.blocks.span, kind):
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
        collection: Collection = self.of(plane)
        collection.victim_count = self.unit.take(victim, collection.victims, 0)
        self.take_up(collection)
        self.run_now(collection)
        return True
