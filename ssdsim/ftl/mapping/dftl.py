# cython: infer_types=True
"""DFTL: the mapping table lies in flash, page by page, and the entries in demand are cached."""

from __future__ import annotations

from array import array
from math import ceil
from typing import TYPE_CHECKING

from ssdsim._core.columns import Int64s
from ssdsim._core.mapping_cache import ABSENT, MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.ftl.mapping.page import PageMapping, entry_bytes

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


class DemandMapping(PageMapping):
    """Demand-based selective caching of the mapping table (Gupta et al., as PCFTL has it in 2.1 and SPD in 6.5(3)).

    `table` is what the translation pages in flash say, each of `entries_per_page` entries, and behind that the global
    translation directory (GTD): where these pages lie. The cache has the entries in use, and all that flash does not
    know of yet. This class answers what is asked; what it takes until it may be asked is the business of
    `TranslationPages` (`ssdsim.ftl.mapping.translation`).
    """

    entries_per_page: int
    unit_pages: int
    pages_in_unit: Int64s  # by unit: translation pages that lie there

    def __init__(self, logical_pages: int, physical_pages: int, page_bytes: int, config: MappingConfig) -> None:
        self.entries_per_page = entries_per_page(page_bytes, physical_pages)
        PageMapping.__init__(self, logical_pages, physical_pages, ceil(logical_pages / self.entries_per_page))
        capacity = entries_cached(config)
        protected = int(config.protected_share * capacity)
        self.cache = MappingCache(capacity, protected, logical_pages, self.entries_per_page)

    def count_by_unit(self, units: int, unit_pages: int) -> None:
        """Count from here on how many translation pages lie in each unit of so many pages (`lying`)."""
        self.unit_pages = unit_pages
        self.pages_in_unit = array("q", [0] * units)
        for page in range(self.logical_pages, self.logical_pages + self.translation_pages):
            ppa = self.table.get(page)
            if ppa >= 0:
                self.pages_in_unit[ppa // unit_pages] += 1

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
            self.pages_in_unit[ppa // self.unit_pages] += 1
            before = self.table.swap(lpa, ppa)
            if before >= 0:
                self.pages_in_unit[before // self.unit_pages] -= 1
            return before
        if not self.cache.holds(lpa):
            self.cache.insert(lpa, self.table.get(lpa))
        return self.cache.change(lpa, ppa)

    def current(self) -> IndexTable:
        """Return a table of where everything lies now."""
        return self.cache.overlay(self.table)
