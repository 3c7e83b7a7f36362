# cython: infer_types=True
"""Page mapping: any logical page may lie in any physical one, and the whole table in controller memory."""

from __future__ import annotations

from ssdsim._core.table import IndexTable
from ssdsim.stage import TransactionOwner


class PageMapping(TransactionOwner):
    """A table with the physical page of every logical one, whatever the controller knows of it (`MapAccess`).

    Of no paper: the scheme that all five compare with or build on. FAST, whose pages lie in their data blocks or in the
    log, has this table, too.
    """

    table: IndexTable
    logical_pages: int
    translation_pages: int  # pages of flash that the map takes, which are in `table` behind the logical ones

    def __init__(self, logical_pages: int, translation_pages: int = 0) -> None:
        self.table = IndexTable(logical_pages + translation_pages)
        self.logical_pages = logical_pages
        self.translation_pages = translation_pages

    def update(self, lpa: int, ppa: int) -> int:
        """Map `lpa`, a logical page or one of the map, to `ppa`; return where it was mapped before."""
        return self.table.swap(lpa, ppa)
