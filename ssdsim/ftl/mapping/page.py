# cython: infer_types=True
"""Page mapping: where each logical page lies, and what mappings of the user's own derive from."""

from __future__ import annotations

from ssdsim._core.table import IndexTable
from ssdsim.device_view import Policy
from ssdsim.stage import TransactionOwner


class PageMapping(TransactionOwner):
    """A table with the physical page of every logical one, whatever the controller knows of it (`MapAccess`).

    Of no paper: the scheme that all five compare with or build on. FAST, whose pages lie in their data blocks or in the
    log, has this table, too.
    """

    translation_pages: int  # pages of flash that the map takes, which are in `table` behind the logical ones

    def __init__(self, logical_pages: int, translation_pages: int = 0) -> None:
        self.table = IndexTable(logical_pages + translation_pages)
        self.logical_pages = logical_pages
        self.translation_pages = translation_pages

    def update(self, lpa: int, ppa: int) -> int:
        """Map `lpa`, a logical page or one of the map, to `ppa`; return where it was mapped before."""
        return self.table.swap(lpa, ppa)


class Mapping(Policy):
    """Models the controller's knowledge of the map: the pages that it reads to find a logical page, and its memory.

    The device itself always knows where each page lies (`table.get(lpa)`, -1 for nowhere). Before a logical page is
    read, written or trimmed, the pages of flash in `pages_first` are read, one after another: pages of the map, or a
    page at a wrong guess; but none of a block that holds no data and is to be erased, as the controller knows that.

    Part of the map may lie in flash, in as many pages as `table_pages` says. The device places, moves and counts them
    as it does those of DFTL, and writes those that `pages_to_write` names after each change of the map;
    `table.get(logical pages + number)` says where one lies, -1 if it was never written.
    """

    table: IndexTable  # where each logical page lies, and behind them each page of the map; not to be changed

    owed = ("pages_first(lpa, ppa, changes) -> a list", "update(lpa, ppa)")
    optional = (
        "table_pages() -> a whole number",
        "pages_to_write() -> a list",
        "memory_bytes() -> a whole number",
        "counts() -> a dictionary",
        "restored()",
    )

    def bind(self, table: IndexTable) -> None:
        """Receive the true map, once, before the run."""
        self.table = table

    def pages_first(self, lpa: int, ppa: int, changes: bool) -> list[int]:
        """Return the physical pages to be read before `lpa`, at `ppa` or -1, is read, or written if it `changes`."""
        raise NotImplementedError

    def update(self, lpa: int, ppa: int) -> None:
        """React when `lpa` is given page `ppa`, by the host or as it is moved, or none (-1) by a trim."""
        raise NotImplementedError

    def table_pages(self) -> int:
        """Return how many pages of the map lie in flash at most; asked before `bind`."""
        return 0

    def pages_to_write(self) -> list[int]:
        """Return the numbers of the pages of the map that are to be written to flash now."""
        return []

    def memory_bytes(self) -> int:
        """Return the controller memory that the map takes now; it stands in the results."""
        return 0

    def counts(self) -> dict[str, int]:
        """Return counts of one's own, which only grow; they stand in the results."""
        return {}

    def restored(self) -> None:
        """Learn the whole `table`, after a fill of the device or a loss of power."""


class WholeTable(Mapping):
    """The whole table in controller memory, of no paper: what a mapping of one's own begins with."""

    def __init__(self, entry_bytes: int = 4) -> None:
        self.entry_bytes = entry_bytes

    def pages_first(self, lpa: int, ppa: int, changes: bool) -> list[int]:
        """Return no page: every place is known."""
        return []

    def update(self, lpa: int, ppa: int) -> None:
        """Change nothing beside the true map."""

    def memory_bytes(self) -> int:
        """Return the size of the table."""
        return self.table.size * self.entry_bytes
