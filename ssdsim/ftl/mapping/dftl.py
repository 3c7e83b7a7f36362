# cython: infer_types=True
"""DFTL: the mapping table lies in flash, page by page, and the entries in demand are cached."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ssdsim._core.calls import cfunc
from ssdsim._core.mapping_cache import ABSENT, MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping.page import TableMapping, entry_bytes

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
    know of yet. This class answers what is asked; what it takes until it may be asked is the business of
    `TranslationPages` (`ssdsim.ftl.mapping.translation`).
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
