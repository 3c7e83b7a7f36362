# cython: infer_types=True
"""DFTL: the mapping table lies in flash, page by page, and the entries in demand are cached."""

from __future__ import annotations

from collections import deque
from math import ceil
from typing import TYPE_CHECKING, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM
from ssdsim._core.inlined import now
from ssdsim._core.mapping_cache import ABSENT, MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping.access import MapAccess, TablePages
from ssdsim.ftl.mapping.page import TableMapping, entry_bytes
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import MappingConfig


CACHE_ENTRY_BYTES = 8
"""Bytes of a cached entry: a logical and a physical page number."""


def entries_per_page(page_bytes: int, physical_pages: int) -> int:
    """Return how many entries a translation page has."""
    return page_bytes // entry_bytes(physical_pages)


def entries_cached(config: MappingConfig) -> int:
    """Return how many entries the cache that a `MappingConfig` describes has room for."""
    return max(int(config.cache_kib * 1024 / CACHE_ENTRY_BYTES), 1)


class DemandMapping(TableMapping):
    """Demand-based selective caching of the mapping table (Gupta et al., as PCFTL has it in 2.1 and SPD in 6.5(3)).

    `table` is what the translation pages in flash say, each of `entries_per_page` entries, and behind that the global
    translation directory (GTD): where these pages lie. The cache has the entries in use, and all that flash does not
    know of yet. This class answers what is asked; `TranslationPages` brings what it takes to answer from flash.
    """

    entries_per_page: int

    def __init__(self, logical_pages: int, physical_pages: int, page_bytes: int, config: MappingConfig) -> None:
        self.entries_per_page = entries_per_page(page_bytes, physical_pages)
        TableMapping.__init__(self, logical_pages, physical_pages, ceil(logical_pages / self.entries_per_page))
        capacity = entries_cached(config)
        protected = int(config.protected_share * capacity)
        self.cache = MappingCache(capacity, protected, logical_pages, self.entries_per_page)

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

    def update(self, lpa: int, ppa: int) -> int:
        """Map a logical page to `ppa`, or to nothing if that is -1, or a translation page; return where it lay before.

        The entry of a page that garbage collection moves is cached if it was not, probationary as any other: until it
        is evicted others of its translation page join it (batched updates), without which each page moved would have
        one of the mapping table written, and collection feed itself.
        """
        if lpa >= self.logical_pages:
            return self.move_table_page(lpa, ppa)
        if not self.cache.holds(lpa):
            self.cache.insert(lpa, self.table.get(lpa))
        return self.cache.change(lpa, ppa)

    def current(self) -> IndexTable:
        """Return a table of where everything lies now."""
        return self.cache.overlay(self.table)

    @cfunc
    def table_page_written(self, page: int) -> None:
        """Put the dirty entries of translation page `page` into the table, as it has been written with them."""
        self.cache.write_back(page, self.table)


@final
class TranslationPages(MapAccess):
    """Reads and writes the pages of the mapping table that lie in flash, for `DemandMapping`.

    What needs an entry that is not cached waits (`fetch`): for a slot, and for the read of the entry's translation page
    if there is one in flash. A slot is won by evicting an entry; for one that is dirty its translation page is read,
    unless none is in flash, and written to a new place with all of its dirty entries (batched updates). A translation
    page is written once at a time.

    Garbage collection never waits for any of this. The entries of pages that it moved are cached beyond the capacity
    for as long as their translation pages take to be written, and whatever needs a slot waits until they are.

    Where the frontier fills rows of all planes of a die for writes by the row, so many translation pages are written
    together, those of the next entries to be evicted.
    """

    mapping: DemandMapping
    cache: MappingCache
    table: IndexTable  # what flash says, and behind that where translation pages lie
    entries_per_page: int
    waiting: dict[int, list[int]]  # by logical page whose entry is waited for: the transactions that do
    without_slot: deque[int]  # those logical pages that wait for a slot
    loading: int  # slots that are given to entries on their way
    reading: dict[int, list[int]]  # by translation page being read: the logical pages that it is read for
    returned: int  # entries that had to be cached again, each of which another makes room for

    def __init__(self, mapping: DemandMapping, pages: TablePages) -> None:
        MapAccess.__init__(self, pages)
        self.mapping = mapping
        self.cache = self.mapping.cache
        self.table = self.mapping.table
        self.entries_per_page = self.mapping.entries_per_page
        self.waiting = {}
        self.without_slot = deque()
        self.loading = 0
        self.reading = {}
        self.shrinking = False
        self.returned = 0

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        waiting = [f"{len(self.waiting)} logical pages wait for their mapping"] if self.waiting else []
        return waiting + MapAccess.what_waits(self)

    # Entries.

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Count a use of the entry of `lpa`, and return whether it is at hand: cached, or nowhere in flash."""
        if self.cache.touch(lpa):
            self.counts.hits += 1
            return True
        self.counts.misses += 1
        if (
            self.pages.lies(lpa // self.entries_per_page) >= 0
            or self.cache.used + self.loading >= self.cache.capacity
            or lpa in self.waiting
        ):
            return False
        self.cache.insert(lpa, self.table.get(lpa))
        return True

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Have `transaction`, whose entry is not at hand, handed back to its owner (`translated`) when it is."""
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        lpa = self.transactions.lpa[transaction]
        if lpa in self.waiting:
            self.waiting[lpa].append(transaction)
            return
        self.waiting[lpa] = [transaction]
        self.without_slot.append(lpa)
        self.make_room()

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
        ppa = self.pages.source_of(page)
        if ppa < 0:
            self.loaded(lpa)
        elif page in self.reading:
            self.reading[page].append(lpa)
        else:
            self.reading[page] = [lpa]
            self.pages.read(page, ppa, None)

    def loaded(self, lpa: int) -> None:
        """Cache the entry of `lpa`, unless collection has by now, and hand back who waits for it."""
        self.loading -= 1
        if not self.cache.holds(lpa):
            self.cache.insert(lpa, self.table.get(lpa))
        transactions = self.transactions
        transaction: int
        for transaction in self.waiting.pop(lpa):
            transactions.mapping_ns[transaction] += now(self.scheduler.env) - transactions.queued_ns[transaction]
            owner: TransactionOwner = transactions.owners[transactions.owner[transaction]]
            owner.translated(transaction)

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` as `DemandMapping.update` does; after a wait its entry may have to be cached again (`settle`)."""
        self.returned += not self.cache.holds(lpa)
        return self.mapping.update(lpa, ppa)

    @cfunc
    def settle(self) -> None:
        """Evict an entry for each that had to be cached again."""
        while self.returned:
            self.returned -= 1
            if self.scheduler.env is not None:
                self.evict()

    # Evictions.

    def evict(self) -> bool:
        """Begin to evict the next entry, and others that fill up its row; return whether there was one.

        One whose translation page is being written leaves along with that, or stays if it has changed since.
        """
        lpa = self.cache.victim()
        if lpa >= 0 and not self.cache.is_dirty(lpa):
            self.cache.remove(lpa)
            return True
        row = WriteGroup(0)
        found = False
        while len(row.members) < self.pages.row and lpa >= 0 and self.cache.is_dirty(lpa):
            found = True
            if self.cache.leave(lpa):
                row.members.append(lpa // self.entries_per_page)
            elif not row.members:
                return True
            lpa = self.cache.victim()
        self.pages.read_row(row)
        return found

    def done(self, transaction: int) -> None:
        """Go on with entries whose translation page has been read, or written."""
        transactions = self.transactions
        page = transactions.lpa[transaction] - self.pages.first
        row: WriteGroup = transactions.group[transaction]
        transactions.group[transaction] = None
        if transactions.op[transaction] == PROGRAM:
            if page >= 0:
                self.written(page)
            self.collector.reconsider(transactions.plane[transaction])
        elif row is not None:
            row.size -= 1
            if not row.size:
                self.pages.row_read(row)
        else:
            lpa: int
            for lpa in self.reading.pop(page):
                self.loaded(lpa)
            self.make_room()
        transactions.give_back(transaction)

    def written(self, page: int) -> None:
        """Give up the entries that `page` was written for, but those that have changed again meanwhile."""
        self.cache.end_leaving(page)
        self.make_room()

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Write the rows that have waited for room, and evict the entries that the collection of `unit` has changed."""
        self.pages.write_waiting()
        self.make_room()

    # Where no time passes.

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Have the entry of `lpa` cached, at the cost of reads and writes that take no time.

        Entries above the capacity are evicted; collections that this leads to leave theirs to it.
        """
        if not self.knows(lpa, changes):
            self.counts.reads += self.pages.lies(lpa // self.entries_per_page) >= 0
            self.cache.insert(lpa, self.mapping.lookup(lpa))
        if self.shrinking:
            return
        self.shrinking = True
        while self.cache.used > self.cache.capacity:
            victim = self.cache.victim()
            if self.cache.is_dirty(victim):
                page = victim // self.entries_per_page
                self.counts.reads += self.pages.lies(page) >= 0
                plane: int
                for plane in self.pages.write_now([page]):
                    self.collector.reconsider(plane)
            else:
                self.cache.remove(victim)
        self.shrinking = False

    def fill_now(self) -> int:
        """Write the translation pages of all that the mapping's table was filled with, and return how many.

        If all of it fits the cache, none is: nothing is ever evicted then, and entries are at hand
        without a read. What there is no room for is kept in the cache until there is.
        """
        pages, mapping, row = self.pages, self.mapping, self.pages.row
        if mapping.logical_pages <= mapping.cache.capacity:
            return 0
        mapping.count_by_unit(pages.blocks.units, mapping.unit_pages)  # power may have been lost
        filled = np.flatnonzero(mapping.table.to_numpy()[: mapping.logical_pages] >= 0)
        numbers = np.unique(filled // mapping.entries_per_page).tolist()
        done = 0
        while done < len(numbers) and pages.plane_with_room(numbers[done : done + row]) >= 0:
            pages.write_now(numbers[done : done + row])
            done += row
        for lpa in filled[np.isin(filled // mapping.entries_per_page, numbers[done:])].tolist():
            mapping.update(lpa, mapping.lookup(lpa))
        return min(done, len(numbers))
