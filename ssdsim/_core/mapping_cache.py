# cython: infer_types=True
"""The cached mapping table of DFTL: which entries of the mapping table are in controller memory."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from ssdsim._core.bitmap import Bitmap
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int32s, Int64s
from ssdsim._core.linked_lists import LinkedLists
from ssdsim._core.table import IndexTable

PROBATIONARY: Final = 0  # lists that slots stand in, by the time when they were used last
PROTECTED: Final = 1
EMPTY: Final = 2
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
    slots: int  # that have ever been used; of these the ones that are not stand in `EMPTY`
    staying: int  # of those used, entries that are not leaving
    protected: int
    slot_of: IndexTable  # by LPA
    lpas: Int64s  # by slot
    dirty: Bitmap  # by translation page: entries that flash does not know of yet
    place: Int32s  # by slot: the list of `order` that it stands in
    order: LinkedLists

    def __init__(self, capacity: int, protected_capacity: int, logical_pages: int, entries_per_page: int) -> None:
        self.capacity = capacity
        self.protected_capacity = protected_capacity
        self.entries_per_page = entries_per_page
        self.used = 0
        self.slots = 0
        self.staying = 0
        self.protected = 0
        translation_pages = logical_pages // entries_per_page + 1
        self.slot_of = IndexTable(logical_pages)
        # a slot for each logical page, as `used` may exceed the capacity: memory is taken as it is written to
        memory: tuple[Any, ...] = tuple(np.zeros(logical_pages, kind) for kind in ("i8", "i4"))
        self.lpas, self.place = memory
        self.dirty = Bitmap(translation_pages, entries_per_page)
        self.order = LinkedLists(LEAVING + translation_pages, logical_pages)

    def holds(self, lpa: int) -> bool:
        """Return whether the entry of `lpa` is held."""
        return self.slot_of.get(lpa) >= 0

    def touch(self, lpa: int) -> bool:
        """Mark the entry of `lpa` as just used, and return whether the cache holds it."""
        slot: int = self.slot_of.get(lpa)
        if slot < 0:
            return False
        # where there is room for all entries none is ever evicted, and their order is of no use
        if self.place[slot] < LEAVING and self.capacity < self.slot_of.size:
            self.move(slot, PROTECTED)
            if self.protected > self.protected_capacity:
                self.move(self.order.head(PROTECTED), PROBATIONARY)
        return True

    def insert(self, lpa: int) -> None:
        """Hold an entry for `lpa`, which has none."""
        slot: int = self.order.head(EMPTY)
        if slot < 0:
            slot = self.slots
            self.slots += 1
            self.order.append(EMPTY, slot)
            self.place[slot] = EMPTY
        self.lpas[slot] = lpa
        self.slot_of.set(lpa, slot)
        self.move(slot, PROBATIONARY)
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
        slot: int = self.order.head(PROBATIONARY)
        if slot < 0:
            slot = self.order.head(PROTECTED)
        return -1 if slot < 0 else self.lpas[slot]

    def leave(self, lpa: int) -> bool:
        """Evict the victim `lpa` when its translation page is written; return whether no other of that waits."""
        number: int = LEAVING + lpa // self.entries_per_page
        is_first: bool = self.order.head(number) < 0
        self.move(self.slot_of.get(lpa), number)
        self.staying -= 1
        return is_first

    def end_leaving(self, page: int) -> None:
        """Give up the leaving entries of translation page `page`; those that are dirty again stay, as probationary."""
        slot: int = self.order.head(LEAVING + page)
        while slot >= 0:
            if self.is_dirty(self.lpas[slot]):
                self.staying += 1
                self.move(slot, PROBATIONARY)
            else:
                self.release(slot)
            slot = self.order.head(LEAVING + page)

    def remove(self, lpa: int) -> None:
        """Give up the entry of `lpa`, which is clean and not leaving."""
        self.staying -= 1
        self.release(self.slot_of.get(lpa))

    @cfunc
    def release(self, slot: int) -> None:
        """Give up an entry."""
        self.slot_of.set(self.lpas[slot], -1)
        self.move(slot, EMPTY)
        self.used -= 1

    def write_back(self, page: int) -> None:
        """Mark all dirty entries of translation page `page` as clean."""
        self.dirty.clear(page)

    @cfunc
    def move(self, slot: int, number: int) -> None:
        """Put a slot at the end of list `number`, out of the one that it is in."""
        before: int = self.place[slot]
        self.order.remove(before, slot)
        self.order.append(number, slot)
        self.place[slot] = number
        self.protected += (number == PROTECTED) - (before == PROTECTED)
