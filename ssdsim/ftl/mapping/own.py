# cython: infer_types=True
"""Mappings of the user's own: what they derive from, and what has the device wait for what they ask for."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.table import IndexTable
from ssdsim.device_view import Policy
from ssdsim.errors import PolicyError
from ssdsim.ftl.mapping.access import MapAccess


class Mapping(Policy):
    """Models the controller's knowledge of the map: the pages that it reads to find a logical page, and its memory.

    The device itself always knows where each page lies (`table.get(lpa)`, -1 for nowhere); what is modelled here is the
    controller's knowledge of that. Before a logical page is read, written or trimmed, the pages of flash in
    `pages_first` are read, one after another: pages of the map, or a page at a wrong guess.

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

    entry_bytes: int  # of the table

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


@final
class OwnMapping(MapAccess):
    """Has the device wait for what a `Mapping` of the user's own asks for, and tells it what changes."""

    own: Any  # the `Mapping`
    pages_to_read: list[Any]  # those that `knows` has found, last first

    def __init__(self, own: Mapping, logical_pages: int) -> None:
        MapAccess.__init__(self, logical_pages, own.table_pages())
        self.own = own
        self.pages_to_read = []
        own.bind(self.table)

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Return whether the mapping asks for no page to be read first; raise `PolicyError` for one that is not."""
        pages: list[Any] = self.own.pages_first(lpa, self.table.get(lpa), changes)
        for page in pages:
            if not 0 <= page < self.blocks.pages:
                raise PolicyError(
                    f"ftl.mapping.scheme: {type(self.own).__name__}.pages_first asks for page {page} of "
                    f"{self.blocks.pages}."
                )
        self.pages_to_read = pages[::-1]
        self.counts.hits += not pages
        self.counts.misses += len(pages) > 0
        if self.scheduler.env is None:
            self.counts.reads += len(pages)
        return not pages

    @cfunc
    def look_up(self, transaction: int) -> None:
        """Read the pages that `knows` has found, one after another."""
        self.arrived(-1, [transaction, *self.pages_to_read])

    @cfunc
    def arrived(self, page: int, reader: Any) -> None:
        """Read the next page for `reader`, the last of it, or hand back the transaction that it begins with."""
        lookup: list[int] = reader
        if len(lookup) > 1:
            ppa = lookup.pop()
            self.issue(READ, ppa, -1, lookup)
        else:
            self.hand_back(lookup[0])

    @cfunc
    def changed(self, lpa: int, ppa: int, by_host: bool) -> None:
        """Tell the mapping, and write what that asks for; what collection changes is written when it has won room."""
        self.own.update(lpa, ppa)
        if by_host:
            self.settle()

    @cfunc
    def settle(self) -> None:
        """Write the pages of the map that are to be written."""
        page: int
        for page in self.own.pages_to_write():
            self.write([page])

    def restore(self) -> None:
        """Let the mapping learn what the device holds, and write the pages of the map that this gives."""
        self.own.restored()
        self.settle()
