# cython: infer_types=True
"""Where the plane allocation puts the pages of a device that is filled at memory speed."""

from __future__ import annotations

from typing import Final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.writes import WritePath

AHEAD: Final = 16
"""How many pages before it is placed a page's entry is called into the processor's cache."""


class Room(WriteFrontier):
    """What a plane allocation sees of a device that is being filled: room for a plane's share of the logical pages.

    A place is a plane, or `together` of them, by number. `left` says how many more pages each takes.
    """

    left: Int64s  # by place: the pages that it still takes
    together: int  # planes of a place

    def __init__(self, left: Int64s, together: int) -> None:
        self.left = left
        self.together = together

    def has_room(self, plane: int) -> bool:
        """Return whether fewer pages than its share have been placed in `plane`."""
        return self.left[plane // self.together] > 0

    def place_all(self, writes: WritePath, order: IndexTable) -> IndexTable:
        """Return where each page goes if all are written once, in the order of the numbers in `order`.

        `together` consecutive ones are placed as one, and asked about by the first of them. The plane allocation is
        asked again, by way of `writes`, where a place has no room, until it names one that has or names one again;
        what it finds no room for goes anywhere.
        """
        place = IndexTable(order.size)
        for i in range(order.size):
            number = order.get(i)
            if i + AHEAD < order.size:
                place.prefetch(order.get(i + AHEAD))
            first = -1  # a plane named again means that the policy has no other to offer
            while True:
                plane = writes.plane_for(number * self.together, -1)
                if plane < 0 or plane == first:
                    break
                if self.has_room(plane):
                    self.put(place, number, plane // self.together)
                    break
                if first < 0:
                    first = plane
        # All fit: places together have room for exactly as many pages as there are.
        spare_place = 0
        for number in range(order.size):
            if place.get(number) < 0:
                while self.left[spare_place] == 0:
                    spare_place += 1
                self.put(place, number, spare_place)
        return place

    @cfunc
    def put(self, place: IndexTable, number: int, index: int) -> None:
        """Put page `number` at the place of this `index`."""
        place.set(number, index)
        self.left[index] -= 1
