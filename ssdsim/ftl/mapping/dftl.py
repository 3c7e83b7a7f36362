# cython: infer_types=True
"""DFTL: the mapping table lies in flash, page by page, and the entries in demand are cached."""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.inlined import now
from ssdsim._core.mapping_cache import ABSENT, MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.host.request import WriteGroup

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig, MappingConfig


CACHE_ENTRY_BYTES = 8
"""Bytes of a cached entry: a logical and a physical page number."""


def entry_bytes(pages: int) -> int:
    """Return the bytes that the number of one of so many pages takes, 4 at least."""
    return max(4, (pages.bit_length() + 7) // 8)


def entries_per_page(page_bytes: int, physical_pages: int) -> int:
    """Return how many entries a translation page has."""
    return page_bytes // entry_bytes(physical_pages)


def entries_cached(config: MappingConfig) -> int:
    """Return how many entries the cache that a `MappingConfig` describes has room for."""
    return max(int(config.cache_kib * 1024 / CACHE_ENTRY_BYTES), 1)


def pages_of_table(hardware: HardwareConfig, config: MappingConfig) -> int:
    """Return how many pages of flash the table takes: none if the cache has room for all entries."""
    if entries_cached(config) >= hardware.logical_pages:
        return 0
    entries = entries_per_page(hardware.page_bytes, hardware.planes * hardware.pages_per_plane)
    return ceil(hardware.logical_pages / entries)


@final
class DemandMapping(MapAccess):
    """Demand-based selective caching of the mapping table (Gupta et al., as PCFTL has it in 2.1 and SPD in 6.5(3)).

    `table` is what the translation pages in flash say, each of `entries_per_page` entries, and behind that the global
    translation directory (GTD): where these pages lie. The cache has the entries in use, and all that flash does not
    know of yet.

    What needs an entry that is not cached waits (`fetch`): for a slot, and for the read of the entry's translation page
    if there is one in flash. A slot is won by evicting an entry; for one that is dirty its translation page is read,
    unless none is in flash, and written to a new place with all of its dirty entries (batched updates). A translation
    page is written once at a time.

    Garbage collection never waits for any of this. The entries of pages that it moved are cached beyond the capacity
    for as long as their translation pages take to be written, and whatever needs a slot waits until they are.

    Where the frontier fills rows of all planes of a die for writes by the row, so many translation pages are written
    together, those of the next entries to be evicted.
    """

    entries_per_page: int
    cache: MappingCache
    waiting: dict[int, list[int]]  # by logical page whose entry is waited for: the transactions that do
    without_slot: deque[int]  # those logical pages that wait for a slot
    loading: int  # slots that are given to entries on their way
    reading: dict[int, list[int]]  # by translation page being read: the logical pages that it is read for
    returned: int  # entries that had to be cached again, each of which another makes room for
    shrinking: bool  # entries are being evicted where no time passes

    def __init__(self, logical_pages: int, physical_pages: int, page_bytes: int, config: MappingConfig) -> None:
        self.entries_per_page = entries_per_page(page_bytes, physical_pages)
        MapAccess.__init__(self, logical_pages, physical_pages, ceil(logical_pages / self.entries_per_page))
        capacity = entries_cached(config)
        protected = int(config.protected_share * capacity)
        self.cache = MappingCache(capacity, protected, logical_pages, self.entries_per_page)
        self.waiting = {}
        self.without_slot = deque()
        self.loading = self.returned = 0
        self.reading = {}
        self.shrinking = False

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        waiting = [f"{len(self.waiting)} logical pages wait for their mapping"] if self.waiting else []
        return waiting + MapAccess.what_waits(self)

    # Entries.

    def lookup(self, lpa: int) -> int:
        """Return where a logical page, or behind them a translation page, lies, or -1."""
        if lpa < self.logical_pages:
            ppa = self.cache.find(lpa)
            if ppa != ABSENT:
                return ppa
        return self.table.get(lpa)

    def holds(self, lpa: int) -> bool:
        """Return whether the entry of `lpa` is cached, or would be at once, as there is room for all of them."""
        return self.cache.holds(lpa) or self.cache.capacity >= self.logical_pages

    def current(self) -> IndexTable:
        """Return a table of where everything lies now."""
        return self.cache.overlay(self.table)

    def update(self, lpa: int, ppa: int) -> int:
        """Map a logical page to `ppa`, or to nothing if that is -1, or a translation page; return where it lay before.

        The entry of a page that garbage collection moves is cached if it was not, probationary as any other: until it
        is evicted others of its translation page join it (batched updates), without which each page moved would have
        one of the mapping table written, and collection feed itself.
        """
        if lpa >= self.logical_pages:
            return MapAccess.update(self, lpa, ppa)
        if not self.cache.holds(lpa):
            self.cache.insert(lpa, self.table.get(lpa))
        return self.cache.change(lpa, ppa)

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` for the host; after a wait its entry may have to be cached again, and another goes (`settle`)."""
        self.returned += not self.cache.holds(lpa)
        return self.update(lpa, ppa)

    @cfunc
    def settle(self) -> None:
        """Evict an entry for each that had to be cached again."""
        while self.returned:
            self.returned -= 1
            if self.scheduler.env is not None:
                self.evict()

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Count a use of the entry of `lpa`, and return whether it is at hand: cached, or nowhere in flash."""
        if self.cache.touch(lpa):
            self.counts.hits += 1
            return True
        self.counts.misses += 1
        if (
            self.place_of(lpa // self.entries_per_page) >= 0
            or self.cache.used + self.loading >= self.cache.capacity
            or lpa in self.waiting
        ):
            return False
        self.cache.insert(lpa, self.table.get(lpa))
        return True

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Queue `transaction` until its entry is at hand."""
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        lpa = self.transactions.lpa[transaction]
        if lpa in self.waiting:
            self.waiting[lpa].append(transaction)
            return
        self.waiting[lpa] = [transaction]
        self.without_slot.append(lpa)
        self.make_room()

    @cfunc
    def make_room(self) -> None:
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
        return self.sources.source_of(ppa) if ppa >= 0 else -1

    def loaded(self, lpa: int) -> None:
        """Cache the entry of `lpa`, unless collection has by now, and hand back who waits for it."""
        self.loading -= 1
        if not self.cache.holds(lpa):
            self.cache.insert(lpa, self.table.get(lpa))
        transaction: int
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
        page: int
        for page in row.members:
            ppa = self.source_of(page)
            if ppa >= 0:
                row.size += 1
                self.issue(READ, ppa, page, row)
        if row.members and not row.size:
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
        lpa: int
        for lpa in self.reading.pop(page):
            self.loaded(lpa)
        self.make_room()

    @cfunc
    def placed(self, page: int) -> None:
        """Put the dirty entries of translation page `page` into the table, as it is written with them."""
        self.cache.write_back(page, self.table)

    @cfunc
    def written(self, page: int) -> None:
        """Give up the entries that `page` was written for, but those that have changed again meanwhile."""
        self.cache.end_leaving(page)
        self.make_room()

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Write the rows that have waited for room, and evict the entries that the collection of `unit` has changed."""
        MapAccess.space_freed(self, unit)
        self.make_room()

    # Where no time passes.

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Cache the entry of `lpa`, at the cost of reads and writes that take no time.

        Entries above the capacity are evicted; collections that this leads to leave theirs to it.
        """
        if not self.knows(lpa, changes):
            self.counts.reads += self.place_of(lpa // self.entries_per_page) >= 0
            self.cache.insert(lpa, self.lookup(lpa))
        if self.shrinking:
            return
        self.shrinking = True
        while self.cache.used > self.cache.capacity:
            victim = self.cache.victim()
            if self.cache.is_dirty(victim):
                page = victim // self.entries_per_page
                self.counts.reads += self.place_of(page) >= 0
                self.write([page])
            else:
                self.cache.remove(victim)
        self.shrinking = False

    def restore(self) -> None:
        """Write the translation pages of all that the table was filled with.

        If all of it fits the cache, none is: nothing is ever evicted then, and entries are at hand without a read. What
        there is no room for is kept in the cache until there is.
        """
        if self.logical_pages <= self.cache.capacity:
            return
        filled = np.flatnonzero(self.table.to_numpy()[: self.logical_pages] >= 0)
        numbers = np.unique(filled // self.entries_per_page).tolist()
        done = 0
        while done < len(numbers) and self.plane_with_room(numbers[done : done + self.row]) >= 0:
            row = numbers[done : done + self.row]
            self.write_to(self.plane_with_room(row), row)
            done += self.row
        for lpa in filled[np.isin(filled // self.entries_per_page, numbers[done:])].tolist():
            self.update(lpa, self.lookup(lpa))
