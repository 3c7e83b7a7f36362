# cython: infer_types=True
"""The cached mapping table of DFTL: which entries of the mapping table are in controller memory."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from ssdsim._core.bitmap import Bitmap
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int32s
from ssdsim._core.linked_lists import LinkedLists

ABSENT: Final = 0  # for what stands in no list
PROBATIONARY: Final = 1  # lists that entries stand in, by the time when they were used last
PROTECTED: Final = 2
LEAVING: Final = 3  # and further ones: a list for each translation page


@final
class MappingCache:
    """Entries by logical page, kept by segmented LRU.

    A new entry is probationary; used again, it is protected, until more than `protected_capacity` others have been used
    since. The one to be evicted is the probationary one unused for longest, or else such a protected one. `capacity` is
    for the caller to heed: `used` may exceed it. Positions are not checked: the caller owes logical pages in range, and
    entries that are held where an entry is meant.
    """

    used: int
    staying: int  # of those used, entries that are not leaving
    protected: int
    place: Int32s  # by LPA: the list of `order` that its entry stands in
    order: LinkedLists
    dirty: Bitmap  # by translation page: entries that flash does not know of yet

    def __init__(self, capacity: int, protected_capacity: int, logical_pages: int, entries_per_page: int) -> None:
        self.capacity = capacity
        self.protected_capacity = protected_capacity
        self.logical_pages = logical_pages
        self.entries_per_page = entries_per_page
        self.used = self.staying = self.protected = 0
        translation_pages = logical_pages // entries_per_page + 1
        memory: Any = np.zeros(logical_pages, np.int32)  # which is taken as it is written to
        self.place = memory
        self.order = LinkedLists(LEAVING + translation_pages, logical_pages)
        self.dirty = Bitmap(translation_pages, entries_per_page)

    def holds(self, lpa: int) -> bool:
        """Return whether the entry of `lpa` is held."""
        return self.place[lpa] != ABSENT

    def touch(self, lpa: int) -> bool:
        """Mark the entry of `lpa` as just used, and return whether the cache holds it."""
        place: int = self.place[lpa]
        # where there is room for all entries none is ever evicted, and their order is of no use
        if place != ABSENT and place < LEAVING and self.capacity < self.logical_pages:
            self.move(lpa, PROTECTED)
            if self.protected > self.protected_capacity:
                self.move(self.order.head(PROTECTED), PROBATIONARY)
        return place != ABSENT

    def insert(self, lpa: int) -> None:
        """Hold an entry for `lpa`, which has none."""
        self.move(lpa, PROBATIONARY)
        self.used += 1
        self.staying += 1

    def change(self, lpa: int) -> None:
        """Mark the entry of `lpa` as dirty."""
        self.dirty.add(lpa // self.entries_per_page, lpa % self.entries_per_page)

    def is_dirty(self, lpa: int) -> bool:
        """Return whether flash does not know of the entry of `lpa` yet."""
        return self.dirty.has(lpa // self.entries_per_page, lpa % self.entries_per_page)

    def victim(self) -> int:
        """Return the logical page whose entry is to be evicted next, or -1 if all are leaving."""
        lpa: int = self.order.head(PROBATIONARY)
        return lpa if lpa >= 0 else self.order.head(PROTECTED)

    def leave(self, lpa: int) -> bool:
        """Evict the victim `lpa` when its translation page is written; return whether no other of that waits."""
        number: int = LEAVING + lpa // self.entries_per_page
        is_first: bool = self.order.head(number) < 0
        self.move(lpa, number)
        self.staying -= 1
        return is_first

    def end_leaving(self, page: int) -> None:
        """Give up the leaving entries of translation page `page`; those that are dirty again stay, as probationary."""
        lpa: int = self.order.head(LEAVING + page)
        while lpa >= 0:
            self.staying += 1
            if self.is_dirty(lpa):
                self.move(lpa, PROBATIONARY)
            else:
                self.remove(lpa)
            lpa = self.order.head(LEAVING + page)

    def remove(self, lpa: int) -> None:
        """Give up the entry of `lpa`, which is clean."""
        self.move(lpa, ABSENT)
        self.staying -= 1
        self.used -= 1

    @cfunc
    def move(self, lpa: int, number: int) -> None:
        """Put an entry at the end of list `number`, out of the one that it is in."""
        before: int = self.place[lpa]
        if before != ABSENT:
            self.order.remove(before, lpa)
        if number != ABSENT:
            self.order.append(number, lpa)
        self.place[lpa] = number
        self.protected += (number == PROTECTED) - (before == PROTECTED)
