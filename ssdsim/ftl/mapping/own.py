# cython: infer_types=True
"""Mappings of the user's own: what they derive from, and what has the device wait for what they ask for."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MAPPING, PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.table import IndexTable
from ssdsim.device_view import Policy
from ssdsim.errors import PolicyError
from ssdsim.ftl.mapping.access import MapAccess, TablePages
from ssdsim.ftl.mapping.page import TableMapping
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner


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
    """The whole table in controller memory, of so many bytes an entry; what a mapping of one's own begins with."""

    entry_bytes: int

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
class OwnMapping(TableMapping):
    """The true map of a device, which tells a `Mapping` of the user's own what changes."""

    own: Any  # the `Mapping`

    def __init__(self, own: Mapping, logical_pages: int, physical_pages: int) -> None:
        TableMapping.__init__(self, logical_pages, physical_pages, own.table_pages())
        self.own = own
        own.bind(self.table)

    def update(self, lpa: int, ppa: int) -> int:
        """Map a logical page to `ppa`, or to nothing if that is -1, or a page of the map; return where it was."""
        if lpa >= self.logical_pages:
            return self.move_table_page(lpa, ppa)
        before = self.table.swap(lpa, ppa)
        self.own.update(lpa, ppa)
        return before


@final
class OwnAccess(MapAccess):
    """Reads the pages that a `Mapping` of the user's own asks for, and writes its pages of the map."""

    own: Any  # the `Mapping`
    mapping: OwnMapping
    pages_to_read: list[Any]  # those that `knows` has found, last first

    def __init__(self, mapping: OwnMapping, pages: TablePages) -> None:
        MapAccess.__init__(self, pages)
        self.own = mapping.own
        self.mapping = mapping
        self.pages_to_read = []

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Return whether the mapping asks for no page to be read first; raise `PolicyError` for one that is not."""
        pages: list[Any] = self.own.pages_first(lpa, self.mapping.lookup(lpa), changes)
        for page in pages:
            if not 0 <= page < self.scheduler.blocks.pages:
                raise PolicyError(
                    f"ftl.mapping.scheme: {type(self.own).__name__}.pages_first asks for page {page} of "
                    f"{self.scheduler.blocks.pages}."
                )
        self.pages_to_read = pages[::-1]
        self.counts.hits += not pages
        self.counts.misses += len(pages) > 0
        return not pages

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Read the pages that `knows` has found."""
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        self.read_next([transaction, *self.pages_to_read])

    def read_next(self, lookup: list[int]) -> None:
        """Read the next page of a `lookup`, the last of it, or hand back the transaction that it begins with."""
        transactions = self.transactions
        if len(lookup) > 1:
            self.counts.reads += 1
            read = transactions.take(MAPPING, self.pages.owner, -1)
            transactions.op[read] = READ
            transactions.ppa[read] = lookup.pop()
            transactions.bytes[read] = self.collector.page_bytes
            transactions.group[read] = lookup
            self.scheduler.submit(read)
            return
        waiting: int = lookup[0]
        transactions.mapping_ns[waiting] += now(self.scheduler.env) - transactions.queued_ns[waiting]
        owner: TransactionOwner = transactions.owners[transactions.owner[waiting]]
        owner.translated(waiting)

    def done(self, transaction: int) -> None:
        """Go on with a lookup whose page has been read; have the plane collected that a page of the map went to."""
        transactions = self.transactions
        lookup = transactions.group[transaction]
        transactions.group[transaction] = None
        if transactions.op[transaction] == PROGRAM:
            self.collector.reconsider(transactions.plane[transaction])
        transactions.give_back(transaction)
        if lookup is not None:
            self.read_next(lookup)

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, for the host, and return where it lay before."""
        return self.mapping.update(lpa, ppa)

    @cfunc
    def settle(self) -> None:
        """Write the pages of the map that are to be written."""
        page: int
        for page in self.own.pages_to_write():
            if self.scheduler.env is None:
                plane: int
                for plane in self.pages.write_now([page]):
                    self.collector.reconsider(plane)
            else:
                row = WriteGroup(0)
                row.members.append(page)
                self.pages.row_read(row)

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Write the pages of the map that have waited for room, and those that moved pages have changed."""
        self.pages.write_waiting()
        self.settle()

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Count the pages that would be read."""
        if not self.knows(lpa, changes):
            self.counts.reads += len(self.pages_to_read)

    def fill_now(self) -> int:
        """Let the mapping learn what the device holds, and write the pages of the map that this gives."""
        self.mapping.count_by_unit(self.scheduler.blocks.units, self.mapping.unit_pages)  # power may have been lost
        self.own.restored()
        writes = self.counts.writes
        self.settle()
        written: int = self.counts.writes - writes
        return written
