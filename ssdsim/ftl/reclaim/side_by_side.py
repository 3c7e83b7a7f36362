# cython: infer_types=True
"""Several victims of a unit at once, as MQSim collects those of a plane."""

from __future__ import annotations

from array import array
from typing import Any, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.ftl.reclaim.collector import Collector
from ssdsim.ftl.reclaim.interface import Collection
from ssdsim.ftl.reclaim.unit import CollectionUnit, free_space


@final
class BesideOthers(CollectionUnit):
    """An (aligned) block of a unit at a time, beside others under way, of which `unmoved` pages are still to be moved.

    Those and the pages of one more find room in what is reserved, which is all that the host leaves them for certain.
    """

    unmoved: int  # valid pages of the victims under way in the unit that is asked about

    def level(self, number: int) -> int:
        """Return the number of free blocks: pages are in sequential order, whose room that is."""
        return self.blocks.free_blocks(number)

    def next_victim(self, unit: int, threshold: int) -> int:
        """Return the (aligned) block of `unit` to collect at levels below `threshold`, or -1."""
        if not self.unmoved:
            return CollectionUnit.next_victim(self, unit, threshold)
        level = free_space(self, unit)
        if level >= threshold or self.blocks.dead_pages(unit) == 0:
            return -1
        victim = self.selected(unit)
        if victim < 0 or (level >= self.hard and self.blocks.valid_in(victim) > self.most_valid):
            return -1
        reserve = self.frontier.reserved * self.frontier.unit_pages
        room = min(reserve, self.frontier.room_for_moves(unit))
        return victim if self.unmoved + self.blocks.valid_in(victim) <= room else -1


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

    beside: BesideOthers  # the unit
    places: int  # collections of a unit at once
    free_before: Int64s  # by unit: free blocks at the last look

    def __init__(self, *parts: Any) -> None:
        Collector.__init__(self, *parts)
        self.beside = cast(BesideOthers, self.unit)
        self.beside.unmoved = 0
        self.places = self.beside.frontier.reserved + 1
        self.tasks = [
            self.new_collection(number) if place else self.units[number]
            for number in range(len(self.units))
            for place in range(self.places)
        ]
        for index, collection in enumerate(self.tasks):
            collection.index = index
        self.free_before = array("q", [0] * len(self.units))

    @cfunc
    def reconsider(self, plane: int) -> None:
        """As `consider`, where the host did not write."""
        self.look(plane // self.width, self.at_once)

    @cfunc
    def write_done(self, plane: int) -> None:
        """As `consider`, as a write is done: its block may be full, and have dead pages."""
        self.futile[plane // self.width] = 0
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
            self.update_all_at(number, level)
        elif self.is_collected(number) or self.unit.has_room(number):
            return
        self.begin_another(number, at_once)

    @cfunc
    def update_all_at(self, number: int, level: int) -> None:
        """Update the urgency of the collections of a unit by `level`, the present one."""
        collection: Collection
        for place in range(number * self.places, (number + 1) * self.places):
            collection = self.tasks[place]
            self.update_urgency_at(collection, level)

    @cfunc
    def begin_another(self, number: int, at_once: bool) -> None:
        """Begin one more collection, if there is a place for it."""
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

    @cfunc
    def choose(self, collection: Collection) -> bool:
        """Choose a victim for which there is room beside those under way, and return whether there is any."""
        other: Collection
        self.beside.unmoved = 0
        for place in range(collection.number * self.places, (collection.number + 1) * self.places):
            other = self.tasks[place]
            self.beside.unmoved += other.valid_pages()
        return Collector.choose(self, collection)

    @cfunc
    def begin(self, collection: Collection) -> bool:
        """Take up the next collection and return whether there is one."""
        if not Collector.begin(self, collection):
            return False
        if self.scheduler is not None:
            self.update_urgency(collection)
        return True

    @cfunc
    def over(self, collection: Collection) -> None:
        """End a collection, give the host the space won, and begin another if that is not enough for it."""
        self.end(collection)
        level = self.unit.level(collection.number)
        if not self.lasts:
            self.update_all_at(collection.number, level)
        self.free_before[collection.number] = level
        self.space_freed_by(collection)
        if self.unit.level(collection.number) < self.unit.soft and not self.unit.has_room(collection.number):
            self.begin_another(collection.number, True)
