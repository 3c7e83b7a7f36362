# cython: infer_types=True
"""Several victims of a unit at once, as MQSim collects those of a plane."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.columns import Int64s
from ssdsim.ftl.reclaim.collector import AT_ANY_LEVEL, Collector
from ssdsim.ftl.reclaim.interface import Collection
from ssdsim.ftl.reclaim.moves import PageMoves


@final
class SteppedMoves(PageMoves):
    """Has the collector look for room after each page read, whose program may have taken a block."""

    def done(self, transaction: int) -> None:
        """Take the next steps."""
        was_read: bool = self.transactions.op[transaction] == READ
        PageMoves.done(self, transaction)
        if was_read:
            self.collector.look(self.number, True)


@final
class SideBySide(Collector):
    """Collects one victim more of a unit at once than blocks are reserved, each from its first read to its erase.

    Source: `Check_gc_required`, and who calls it, of MQSim's GC_and_WL_Unit and Flash_Block_Manager. One begins when a
    block has been taken, for whatever data, and fewer than the soft threshold are free then; and where the host has no
    room when another one is over, or has a victim first. Where both thresholds are the same, one that is urgent when it
    begins is that to its end; where they differ, the present level counts (`GC_is_in_urgent_mode`).
    """

    free_before: Int64s  # by unit: free blocks at the last look
    under_way: Int64s  # by unit: collections
    of_unit: list[list[Collection]]

    def __init__(self, unit: Any, moves: Any, *parts: Any) -> None:
        Collector.__init__(self, unit, SteppedMoves, *parts)
        self.enough = AT_ANY_LEVEL  # as each block taken matters
        self.free_before = array("q", [0] * len(self.units))
        self.under_way = array("q", [0] * len(self.units))
        places, every = len(self.every_collection) // len(self.units), self.every_collection
        self.of_unit = [every[first : first + places] for first in range(0, len(every), places)]

    @cfunc
    def look(self, number: int, at_once: bool) -> None:
        """Begin a collection if a block has been taken since the last look, or if the host is stuck without one."""
        level = self.blocks.free_blocks(number)  # which thresholds are of here
        taken: bool = level < self.free_before[number]
        self.free_before[number] = level
        if level >= self.unit.soft:
            return
        if self.scheduler.env is None:
            self.collect_now(self.units[number])
            return
        if not taken and (self.under_way[number] or self.unit.has_room(number)):
            return
        if taken:  # else they are as urgent as before
            for each in self.of_unit[number]:
                self.update_urgency(each, level)
        elif [each for each in self.of_unit[number] if each.called]:
            return
        self.begin_another(number, at_once)

    @cfunc
    def begin_another(self, number: int, at_once: bool) -> None:
        """Begin one more collection, if there is a place for it."""
        collection: Collection
        for collection in self.of_unit[number]:
            if collection.idle and not collection.called:
                self.begin_or_call(collection, at_once)
                return

    @cfunc
    def begin(self, collection: Collection) -> bool:
        """Choose a victim for which there is room beside those under way, and return whether there is any."""
        other: Collection
        self.unit.unmoved = 0
        for other in self.of_unit[collection.number]:
            self.unit.unmoved += other.valid_pages()
        if not Collector.begin(self, collection):
            return False
        if self.scheduler.env is not None:
            self.under_way[collection.number] += 1
            collection.idle = False
            self.update_urgency(collection, -1)
        return True

    @cfunc
    def over(self, collection: Collection) -> None:
        """End a collection, give the host the space won, and begin another if that is not enough for it."""
        number = collection.number
        self.under_way[number] -= 1
        self.finish(collection)
        level = self.unit.level(number)
        for each in [] if self.lasts else self.of_unit[number]:
            self.update_urgency(each, level)
        self.free_before[number] = level
        self.listener.space_freed(number)
        if self.unit.level(number) < self.unit.soft and not self.unit.has_room(number):
            self.begin_another(number, True)
