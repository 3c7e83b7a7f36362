# cython: infer_types=True
"""DFTL: the mapping table lies in flash, page by page, and the entries in demand are cached."""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import Any, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.mapping_cache import MappingCache
from ssdsim.config import HardwareConfig, MappingConfig
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.host.request import WriteGroup

CACHE_ENTRY_BYTES = 8
"""Bytes of a cached entry: a logical and a physical page number."""


def entry_bytes(pages: int) -> int:
    """Return the bytes that the number of one of so many pages takes, 4 at least."""
    return max(4, (pages.bit_length() + 7) // 8)


@final
class DemandMapping(MapAccess):
    """Demand-based selective caching of the mapping table (Gupta et al., as PCFTL has it in 2.1 and SPD in 6.5(3)).

    The table lies in flash in translation pages, each of `entries_per_page` entries. The cache has the entries in use,
    and all that flash does not know of yet: they are dirty.

    What needs an entry that is not cached waits for a slot, and for the read of the entry's translation page if there
    is one in flash. A slot is won by evicting an entry; for one that is dirty its translation page is read, unless none
    is in flash, and written to a new place with all of its dirty entries (batched updates). Garbage collection waits
    for none of this: the entries of pages that it moved are cached beyond the capacity until they have been written.
    """

    waiting: dict[int, list[int]]  # by logical page whose entry is waited for: the transactions that do
    without_slot: deque[int]  # those logical pages that wait for a slot
    loading: int  # slots that are given to entries on their way
    reading: dict[int, list[int]]  # by translation page being read: the logical pages that it is read for

    def __init__(self, hardware: HardwareConfig, config: MappingConfig) -> None:
        """Begin with an empty cache; without translation pages if it has room for all entries."""
        pages, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
        capacity = max(int(config.cache_kib * 1024 / CACHE_ENTRY_BYTES), 1)
        self.entries_per_page: int = hardware.page_bytes // entry_bytes(pages)
        MapAccess.__init__(self, logical, 0 if capacity >= logical else ceil(logical / self.entries_per_page))
        self.cache = MappingCache(capacity, int(config.protected_share * capacity), logical, self.entries_per_page)
        self.waiting = {}
        self.without_slot = deque()
        self.loading = 0
        self.reading = {}

    # Entries.

    @cfunc
    def changed(self, lpa: int, ppa: int, by_host: bool) -> None:
        """Cache the entry of `lpa`, and mark it as dirty.

        That of a page that collection moves is probationary as any other: until it is evicted others of its translation
        page join it (batched updates), or each page moved would have one of the mapping table written. One of the
        host's may have left while its write waited for room: then another goes.
        """
        is_back = not self.cache.holds(lpa)
        if is_back:
            self.cache.insert(lpa)
        self.cache.change(lpa)
        if is_back and by_host and self.scheduler.env is not None:
            self.evict()

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Count a use of the entry of `lpa`, and return whether it is at hand: cached, or nowhere in flash."""
        page, takes_time = lpa // self.entries_per_page, self.scheduler.env is not None
        if self.cache.touch(lpa):
            self.hits += 1
        else:
            self.misses += 1
            in_flash: bool = self.place_of(page) >= 0
            is_full: bool = self.cache.used + self.loading >= self.cache.capacity
            if takes_time and (in_flash or is_full or lpa in self.waiting):
                return False
            self.reads += in_flash
            self.cache.insert(lpa)
        if not takes_time:
            self.settle()
        return True

    @cfunc
    def holds(self, lpa: int) -> bool:
        """Return whether the entry of `lpa` is cached, or would be at once, as there is room for all of them."""
        return self.cache.holds(lpa) or not self.translation_pages

    @cfunc
    def look_up(self, transaction: int) -> None:
        """Queue `transaction` until its entry is at hand."""
        lpa = self.transactions.lpa[transaction]
        if lpa in self.waiting:
            self.waiting[lpa].append(transaction)
            return
        self.waiting[lpa] = [transaction]
        self.without_slot.append(lpa)
        self.settle()

    @cfunc
    def settle(self) -> None:
        """Hand out slots, and evict entries for those who wait for one and for those above the capacity."""
        while True:
            if self.without_slot and self.cache.used + self.loading < self.cache.capacity:
                self.loading += 1
                self.load(self.without_slot.popleft())
                continue
            used = self.cache.staying + self.loading + len(self.without_slot)  # once all that are leaving have left
            if used <= self.cache.capacity or not self.evict():
                return

    @cfunc
    def load(self, lpa: int) -> None:
        """Read the translation page of an entry, or wait for its read, if it is in flash."""
        page = lpa // self.entries_per_page
        ppa = self.source_of(page)
        if ppa < 0:
            self.loaded(lpa)
        elif page in self.reading:
            self.reading[page].append(lpa)
        else:
            self.reading[page] = [lpa]
            self.issue(READ, ppa, page, None)

    @cfunc
    def source_of(self, page: int) -> int:
        """Return where in flash a translation page can be read now, or -1 if it cannot or need not be."""
        ppa = self.place_of(page)
        return self.collector.source_of(ppa) if ppa >= 0 else -1

    def loaded(self, lpa: int) -> None:
        """Cache the entry of `lpa`, unless collection has by now, and hand back who waits for it."""
        self.loading -= 1
        if not self.cache.holds(lpa):
            self.cache.insert(lpa)
        for transaction in self.waiting.pop(lpa):
            self.hand_back(transaction)

    # Evictions.

    def evict(self) -> bool:
        """Begin to evict the next entry, and others that fill up its row; return whether there was one.

        One whose translation page is being written leaves along with that, or stays if it has changed since. Pages of
        the row that are in flash are read first, for what does not change in them.
        """
        lpa = self.cache.victim()
        if lpa >= 0 and not self.cache.is_dirty(lpa):
            self.cache.remove(lpa)
            return True
        row = WriteGroup(0)  # its size is how many pages are to be read
        found = False
        while len(row.members) < self.row and lpa >= 0 and self.cache.is_dirty(lpa):
            found = True
            if self.cache.leave(lpa):
                row.members.append(lpa // self.entries_per_page)
            elif not row.members:
                return True
            lpa = self.cache.victim()
        pages: list[int] = [page for page in row.members if self.source_of(page) >= 0]
        row.size = len(pages)
        for page in pages:
            self.issue(READ, self.source_of(page), page, row)
        if row.members and not pages:
            self.write(row.members)
        return found

    @cfunc
    def arrived(self, page: int, reader: Any) -> None:
        """Write the row that a translation page was read for, after the last such read, or load the entries in it."""
        if reader is not None:
            row: WriteGroup = reader
            row.size -= 1
            if not row.size:
                self.write(row.members)
            return
        for lpa in self.reading.pop(page):
            self.loaded(lpa)
        self.settle()

    @cfunc
    def written(self, page: int, is_programmed: bool) -> None:
        """Mark the dirty entries of `page` as clean, and in the end give up those that left, but for changed ones."""
        if not is_programmed:
            self.cache.dirty.clear(page)
            return
        self.cache.end_leaving(page)
        if self.scheduler.env is not None:
            self.settle()

    def restore(self) -> None:
        """Write the translation pages of all that the table was filled with.

        What there is no room for is kept in the cache until there is. Without translation pages nothing is ever
        evicted, and entries are at hand without a read.
        """
        if not self.translation_pages:
            return
        filled = np.flatnonzero(self.table.to_numpy(0, self.logical_pages) >= 0)
        numbers = np.unique(filled // self.entries_per_page).tolist()
        done = 0
        while done < len(numbers) and self.plane_with_room(numbers[done : done + self.row]) >= 0:
            row = numbers[done : done + self.row]
            self.write_to(self.plane_with_room(row), row)
            done += self.row
        for lpa in filled[np.isin(filled // self.entries_per_page, numbers[done:])].tolist():
            self.changed(lpa, self.table.get(lpa), False)
