"""The cached mapping table of DFTL: the entries of the mapping table that are in controller memory."""

cimport cython

import numpy as np

from ssdsim.errors import SimulationError

cdef enum:     # segments
    PROBATIONARY, PROTECTED, LEAVING

ABSENT = -2
"""What `find` returns for a logical page whose entry is not held."""

cdef int64_t NOT_HELD = ABSENT
cdef int32_t MOST_SLOTS = 1 << 30   # twice as many would not fit 32 bits


@cython.final
cdef class MappingCache:
    """Entries by logical page, kept by segmented LRU, with the dirty ones also listed by translation page.

    A new entry is probationary; used again, it is protected, until more than `protected_capacity` others have been used
    since. The one to be evicted is the probationary one unused for longest, or else such a protected one. `capacity` is
    for the caller to heed: `used` may exceed it. Positions are not checked: the caller owes logical pages in range, and
    entries that are held where an entry is meant.
    """

    def __cinit__(self, int64_t capacity, int64_t protected_capacity, int64_t logical_pages, int64_t entries_per_page):
        self.capacity, self.protected_capacity = capacity, protected_capacity
        self.entries_per_page = entries_per_page
        self.slot_of = IndexTable(logical_pages, 1 << 31)
        self.dirty_of = IndexTable(logical_pages // entries_per_page + 1, 1 << 31)
        self.leaving_of = IndexTable(logical_pages // entries_per_page + 1, 1 << 31)
        self.slots, self.free = 0, -1
        self.head[0] = self.head[1] = self.tail[0] = self.tail[1] = -1
        self.grow()

    cdef grow(self):
        """Make room for more entries."""
        cdef int32_t slot, before = self.slots
        cdef unsigned char[::1] memory
        if before >= MOST_SLOTS:
            raise SimulationError(f"more than {before} mapping entries are cached at a time; lower ftl.mapping.cache_kib.")
        storage = np.zeros(max(2 * before, 64) * sizeof(Entry), np.uint8)
        if before:
            storage[: before * sizeof(Entry)] = self.storage
        memory = self.storage = storage
        self.entry = <Entry*>&memory[0]
        self.slots = max(2 * before, 64)
        for slot in range(self.slots - 1, before - 1, -1):
            self.entry[slot].next = self.free
            self.free = slot

    cpdef bint holds(self, int64_t lpa) noexcept:
        """Return whether the entry of `lpa` is held."""
        return self.slot_of.get(lpa) >= 0

    cpdef int64_t find(self, int64_t lpa) noexcept:
        """Return the PPA that the entry of `lpa` has, -1 if that is none, or `ABSENT` without an entry."""
        cdef int64_t slot = self.slot_of.get(lpa)
        return NOT_HELD if slot < 0 else self.entry[slot].ppa

    cpdef bint touch(self, int64_t lpa) noexcept:
        """Mark the entry of `lpa` as just used, and return whether the cache holds it."""
        cdef int64_t slot = self.slot_of.get(lpa)
        if slot < 0:
            return False
        # where there is room for all entries none is ever evicted, and their order is of no use
        if self.entry[slot].segment != LEAVING and self.capacity < self.slot_of.size:
            self.unlink(<int32_t>slot)
            self.link(<int32_t>slot, PROTECTED, False)
            self.demote()
        return True

    cpdef insert(self, int64_t lpa, int64_t ppa, bint cold=False):
        """Hold an entry for `lpa`, which has none; a cold one is the next to be evicted."""
        cdef int32_t slot
        if self.free < 0:
            self.grow()
        slot = self.free
        self.free = self.entry[slot].next
        self.entry[slot].lpa, self.entry[slot].ppa, self.entry[slot].dirty = lpa, ppa, False
        self.slot_of.set(lpa, slot)
        self.link(slot, PROBATIONARY, cold)
        self.used += 1
        self.staying += 1

    cpdef int64_t change(self, int64_t lpa, int64_t ppa) noexcept:
        """Have the entry of `lpa` name `ppa` and be dirty; return what it named."""
        cdef int32_t slot = <int32_t>self.slot_of.get(lpa), first
        cdef int64_t before = self.entry[slot].ppa
        self.entry[slot].ppa = ppa
        if not self.entry[slot].dirty:
            first = <int32_t>self.dirty_of.swap(lpa // self.entries_per_page, slot)
            self.entry[slot].dirty = True
            self.entry[slot].next_dirty, self.entry[slot].previous_dirty = first, -1
            if first >= 0:
                self.entry[first].previous_dirty = slot
        return before

    cpdef bint is_dirty(self, int64_t lpa) noexcept:
        """Return whether flash does not know of the entry of `lpa` yet."""
        return self.entry[self.slot_of.get(lpa)].dirty

    cpdef int64_t victim(self) noexcept:
        """Return the logical page whose entry is to be evicted next, or -1 if all are leaving."""
        cdef int32_t slot = self.tail[PROBATIONARY] if self.tail[PROBATIONARY] >= 0 else self.tail[PROTECTED]
        return -1 if slot < 0 else self.entry[slot].lpa

    cpdef bint leave(self, int64_t lpa) noexcept:
        """Have the victim `lpa` leave when its translation page is written; return whether no other of that does."""
        cdef int32_t slot = <int32_t>self.slot_of.get(lpa)
        cdef int32_t last = <int32_t>self.leaving_of.swap(lpa // self.entries_per_page, slot)
        self.unlink(slot)
        self.staying -= 1
        self.entry[slot].segment = LEAVING
        self.entry[slot].next = slot
        if last >= 0:
            self.entry[slot].next = self.entry[last].next
            self.entry[last].next = slot
        return last < 0

    cpdef void end_leaving(self, int64_t page) noexcept:
        """Give up the leaving entries of translation page `page`; those that are dirty again stay, as probationary."""
        cdef int32_t last = <int32_t>self.leaving_of.swap(page, -1), slot, following
        if last < 0:
            return
        following = self.entry[last].next
        while True:
            slot = following
            following = self.entry[slot].next
            if self.entry[slot].dirty:
                self.staying += 1
                self.link(slot, PROBATIONARY, False)
            else:
                self.release(slot)
            if slot == last:
                return

    cpdef void remove(self, int64_t lpa) noexcept:
        """Give up the entry of `lpa`, which is clean and not leaving."""
        cdef int32_t slot = <int32_t>self.slot_of.get(lpa)
        self.unlink(slot)
        self.staying -= 1
        self.release(slot)

    cdef void release(self, int32_t slot) noexcept:
        """Give up an entry that stands in no segment."""
        self.slot_of.set(self.entry[slot].lpa, -1)
        self.entry[slot].next = self.free
        self.free = slot
        self.used -= 1

    cpdef int64_t write_back(self, int64_t page, IndexTable table) noexcept:
        """Enter all dirty entries of translation page `page` in `table`, make them clean, and return how many."""
        cdef int64_t count = 0
        cdef int32_t slot = <int32_t>self.dirty_of.get(page)
        while slot >= 0:
            table.set(self.entry[slot].lpa, self.entry[slot].ppa)
            self.make_clean(slot)
            count += 1
            slot = <int32_t>self.dirty_of.get(page)
        return count

    cpdef IndexTable overlay(self, IndexTable table):
        """Return a copy of `table` that says what the entries say."""
        cdef IndexTable copy = IndexTable(table.size, table.limit)
        cdef int64_t at, slot
        for at in range(table.size):
            copy.set(at, table.get(at))
        for at in range(self.slot_of.size):
            slot = self.slot_of.get(at)
            if slot >= 0:
                copy.set(at, self.entry[slot].ppa)
        return copy

    cdef void make_clean(self, int32_t slot) noexcept:
        cdef int32_t following = self.entry[slot].next_dirty, before = self.entry[slot].previous_dirty
        if before < 0:
            self.dirty_of.set(self.entry[slot].lpa // self.entries_per_page, following)
        else:
            self.entry[before].next_dirty = following
        if following >= 0:
            self.entry[following].previous_dirty = before
        self.entry[slot].dirty = False

    cdef void link(self, int32_t slot, int segment, bint last) noexcept:
        """Put an entry at the head of a segment, or at its tail if it is the `last`."""
        cdef int32_t following = -1 if last else self.head[segment]
        cdef int32_t before = self.tail[segment] if last else -1
        self.entry[slot].segment = segment
        self.entry[slot].next, self.entry[slot].previous = following, before
        if before < 0:
            self.head[segment] = slot
        else:
            self.entry[before].next = slot
        if following < 0:
            self.tail[segment] = slot
        else:
            self.entry[following].previous = slot
        self.length[segment] += 1

    cdef void unlink(self, int32_t slot) noexcept:
        cdef int segment = self.entry[slot].segment
        cdef int32_t following = self.entry[slot].next, before = self.entry[slot].previous
        if before < 0:
            self.head[segment] = following
        else:
            self.entry[before].next = following
        if following < 0:
            self.tail[segment] = before
        else:
            self.entry[following].previous = before
        self.length[segment] -= 1

    cdef void demote(self) noexcept:
        """Have the protected segment keep to its capacity."""
        cdef int32_t slot
        while self.length[PROTECTED] > self.protected_capacity:
            slot = self.tail[PROTECTED]
            self.unlink(slot)
            self.link(slot, PROBATIONARY, False)
