# cython: infer_types=True
"""Several victims of a unit at once, as MQSim collects those of a plane."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, cast, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.flash.port import TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import PageMapping
from ssdsim.ftl.page_type.specifier import PageTypeSpecifier
from ssdsim.ftl.reclaim.collection import Collection
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.course import Course
from ssdsim.ftl.reclaim.moves.interface import PageMoves
from ssdsim.ftl.reclaim.unit import CollectionUnit
from ssdsim.ftl.rows import RowWritePath
from ssdsim.stage import WriteOwner

if TYPE_CHECKING:
    from ssdsim.config import GarbageCollectionConfig, HardwareConfig
    from ssdsim.ftl.reclaim.victims import VictimPolicy
    from ssdsim.ftl.reclaim.wear_leveling import WearLeveling


@final
class BesideOthers(CollectionUnit):
    """An (aligned) block of a unit at a time, beside others under way, of which `unmoved` pages are still to be moved.

    Those and the pages of one more find room in what is reserved, which is all that the host leaves them for certain.
    """

    unmoved: int  # valid pages of the victims under way in the unit that is asked about
    most_unmoved: int

    def __init__(
        self,
        blocks: Blocks,
        frontier: WriteFrontier,
        policy: VictimPolicy,
        wear_leveling: WearLeveling,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        CollectionUnit.__init__(self, blocks, frontier, policy, wear_leveling, config, hardware)
        self.unmoved = 0
        self.most_unmoved = frontier.reserved * frontier.unit_pages

    def level(self, number: int) -> int:
        """Return the number of free blocks: pages are in sequential order, whose room that is."""
        return self.blocks.free_blocks(number)

    def next_victim(self, unit: int, threshold: int) -> int:
        """Return the (aligned) block of `unit` to collect at levels below `threshold`, or -1."""
        if not self.unmoved:
            return CollectionUnit.next_victim(self, unit, threshold)
        level = self.level_of(unit)
        if level >= threshold or self.blocks.dead_pages(unit) == 0:
            return -1
        victim = self.selected(unit)
        if victim < 0 or (level >= self.hard and self.valid(victim) > self.most_valid):
            return -1
        pages = self.unmoved + self.valid(victim)
        return victim if pages <= self.most_unmoved and pages <= self.frontier.room_for_moves(unit) else -1


@final
class SideBySide(Collector):
    """Collects one victim more of a unit at once than blocks are reserved, each from its first read to its erase.

    Source: `Check_gc_required`, and who calls it, of MQSim's GC_and_WL_Unit and Flash_Block_Manager. One begins when a
    block has been taken, for the host's data or for moved data, and fewer than the soft threshold are free then; and,
    when another one is over, if the host's writes find no room even so. Where none is under way and the host has no
    room, one begins as soon as there is a victim.

    Where both thresholds are the same, one that is urgent when it begins is that to its end, however many blocks others
    win meanwhile. Where they differ, it is the present level that counts (`GC_is_in_urgent_mode`).
    """

    places: int  # collections of a unit at once
    free_before: Int64s  # by unit: free blocks at the last look

    def __init__(
        self,
        blocks: Blocks,
        mapping: PageMapping,
        frontier: WriteFrontier,
        unit: BesideOthers,
        moves: PageMoves,
        page_types: PageTypeSpecifier | None,
        config: GarbageCollectionConfig,
        hardware: HardwareConfig,
    ) -> None:
        Collector.__init__(self, blocks, mapping, frontier, unit, moves, page_types, config, hardware)
        self.beside = unit
        self.places = config.reserved_blocks + 1
        self.tasks = [
            moves.collection_of(number, self.width) if place else self.units[number]
            for number in range(len(self.units))
            for place in range(self.places)
        ]
        for index in range(len(self.tasks)):
            collection: Collection = self.tasks[index]
            collection.index = index
        self.course = Course(self, self.tasks, moves, self.port, self.course.moves_in_flight, self.pace, self.over)
        self.free_before = array("q", [0] * len(self.units))

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit, listener: WriteOwner, rows: RowWritePath) -> None:
        """Receive the clock, the back end and whoever waits for space."""
        Collector.bind(self, env, scheduler, listener, rows)
        collection: Collection
        for collection in self.tasks:
            collection.bind(env, scheduler.dies, self.planes_per_unit, self.collect)

    def consider(self, plane: int) -> None:
        """Have `plane` collected if that is wanted; asked when the host's data there changes."""
        self.futile[plane // self.width] = 0
        self.progress.host_wrote()
        self.look(plane // self.width, self.at_once)

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write."""
        self.look(plane // self.width, self.at_once)

    @cfunc
    def write_done(self, plane: int) -> None:
        """As `consider`, as a write is done: its block may be full, and have dead pages."""
        self.futile[plane // self.width] = 0
        if self.pace is not None:
            self.pace.page_written(self.units[plane // self.width])
        self.look(plane // self.width, self.at_once)

    @cfunc
    def step_done(self, number: int) -> None:
        """Begin another collection if the step has taken a block."""
        self.look(number, True)

    @cfunc
    def look(self, number: int, at_once: bool) -> None:
        """Begin a collection if a block has been taken since the last look, or if the host is stuck without one.

        It begins `at_once`, or at the end of this instant.
        """
        level = self.beside.level(number)
        taken: bool = level < self.free_before[number]
        self.free_before[number] = level
        if level >= self.beside.soft:
            return
        if self.scheduler is None:
            self.collect_now(self.units[number])
            return
        if taken:  # else they are as urgent as before
            self.hold_against(number, level)
        elif self.is_collected(number) or self.unit.has_room(number):
            return
        self.begin_another(number, at_once)

    @cfunc
    def hold_against(self, number: int, level: int) -> None:
        """Settle by the present level how urgent the collections of a unit are."""
        collection: Collection
        for place in range(number * self.places, (number + 1) * self.places):
            collection = self.tasks[place]
            self.urgency.hold_against(collection, level)
            if collection.paused and collection.urgent:
                self.pace.go_on(number)

    @cfunc
    def begin_another(self, number: int, at_once: bool) -> None:
        """Have one more collection begin, if there is a place for it."""
        collection: Collection
        for place in range(number * self.places, (number + 1) * self.places):
            collection = self.tasks[place]
            if collection.may_be_called():
                if at_once and not self.row_begun:
                    self.collect(collection)
                else:
                    collection.call()
                return

    @cfunc
    def is_collected(self, number: int) -> bool:
        """Return whether a collection of a unit is under way, or called for."""
        for place in range(number * self.places, (number + 1) * self.places):
            collection = cast(Collection, self.tasks[place])
            if collection.called or not collection.idle:
                return True
        return False

    def choose(self, collection: Collection) -> bool:
        """Choose a victim for which there is room beside those under way, and return whether there is any."""
        other: Collection
        self.beside.unmoved = 0
        for place in range(collection.number * self.places, (collection.number + 1) * self.places):
            other = self.tasks[place]
            self.beside.unmoved += other.valid_pages()
        return Collector.choose(self, collection)

    def collect(self, collection: Collection) -> None:
        """Begin the next collection in its place, if there is one, or go on with the one that is under way."""
        if not collection.idle:
            if self.pace is not None:
                self.course.resume(collection)
        elif self.begin(collection):
            collection.idle = False
            self.urgency.update(collection)
            self.course.resume(collection)

    def over(self, collection: Collection) -> None:
        """Be done with a collection, give the host what was won, and begin another if that is not enough for it."""
        collection.erasing = False
        collection.idle = True
        self.finish(collection)
        self.urgency.update(collection)
        if not self.urgency.lasts:
            self.hold_against(collection.number, self.unit.level(collection.number))
        self.free_before[collection.number] = self.unit.level(collection.number)
        self.space_freed_by(collection)
        if self.unit.level(collection.number) < self.unit.soft and not self.unit.has_room(collection.number):
            self.begin_another(collection.number, True)
