# cython: infer_types=True
"""Page mapping: any logical page may lie in any physical one, and the whole table in controller memory."""

from __future__ import annotations

from ssdsim._core.calls import cfunc
from ssdsim._core.table import IndexTable
from ssdsim.stage import TransactionOwner


class PageMapping(TransactionOwner):
    """A table with the physical page of every logical one; also the base of the other schemes.

    Of no paper: the scheme that all five compare with or build on. It has no transactions; maps that lie in flash do.
    """

    table: IndexTable
    logical_pages: int
    translation_pages: int  # pages of flash that the map takes, which are in `table` behind the logical ones

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
        """Prefetch the entry of `lpa`, which will be asked for soon; nothing but time depends on it."""
        self.table.prefetch(lpa)

    def update(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it was mapped before."""
        return self.table.swap(lpa, ppa)

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Do the same for a write or trim of the host."""
        return self.update(lpa, ppa)

    def current(self) -> IndexTable:
        """Return a table of where everything lies now; it must not be changed."""
        return self.table
