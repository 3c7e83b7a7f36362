# cython: infer_types=True
"""Page mapping: any logical page may lie in any physical one, and the whole table in controller memory."""

from __future__ import annotations

from array import array

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable


class PageMapping:
    """A table with the physical page of every logical one; also the base of the other schemes.

    Of no paper: the scheme that all five compare with or build on.

    Schemes that keep parts of their table in flash have `translation_pages`, which are looked up and updated behind the
    logical ones: number `logical_pages` + n is that of translation page n, in spare areas, too.
    """

    def __init__(self, logical_pages: int, physical_pages: int, translation_pages: int = 0) -> None:
        self.table = IndexTable(logical_pages + translation_pages)
        self.logical_pages = logical_pages
        self.translation_pages = translation_pages

    def lookup(self, lpa: int) -> int:
        """Return the PPA of `lpa`, or -1 if it holds nothing."""
        return self.table.get(lpa)

    def holds(self, lpa: int) -> bool:
        """Return whether the place of `lpa` is known without a look into flash."""
        return True

    @cfunc
    def expect(self, lpa: int) -> None:
        """Be told that `lpa` will be asked for soon; changes nothing but the time that takes."""
        self.table.prefetch(lpa)

    def update(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it was mapped before."""
        return self.table.swap(lpa, ppa)

    def current(self) -> IndexTable:
        """Return a table of where everything lies now; it must not be changed."""
        return self.table


class TableMapping(PageMapping):
    """A mapping of which pages lie in flash; it knows how many of these lie in each unit of blocks."""

    unit_pages: int
    pages_in_unit: Int64s  # by unit: translation pages that lie there

    def count_by_unit(self, units: int, unit_pages: int) -> None:
        """Count from here on how many translation pages lie in each unit of so many pages."""
        self.unit_pages = unit_pages
        self.pages_in_unit = array("q", [0] * units)
        for page in range(self.logical_pages, self.logical_pages + self.translation_pages):
            ppa = self.table.get(page)
            if ppa >= 0:
                self.pages_in_unit[ppa // unit_pages] += 1

    @cfunc
    def move_table_page(self, lpa: int, ppa: int) -> int:
        """Record that a translation page lies at `ppa` from now on, and return where it lay before."""
        self.pages_in_unit[ppa // self.unit_pages] += 1
        before = self.table.swap(lpa, ppa)
        if before >= 0:
            self.pages_in_unit[before // self.unit_pages] -= 1
        return before

    @cfunc
    def table_page_written(self, page: int) -> None:
        """React when translation page `page` has been given a new place, with all that is known by now."""


def entry_bytes(pages: int) -> int:
    """Return the bytes that the number of one of so many pages takes, 4 at least."""
    return max(4, (pages.bit_length() + 7) // 8)
