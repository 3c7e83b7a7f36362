# cython: infer_types=True
"""Access to a mapping table in flash: where its pages lie, how they are read and written, and who waits for them."""

from __future__ import annotations

from array import array
from collections import deque
from math import ceil
from typing import TYPE_CHECKING, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MAPPING, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.table import IndexTable
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.page import TableMapping
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.sources import PageSources
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


def most_in_one_of(places: int, pages: int) -> int:
    """Return how many of so many translation pages may lie in one of so many planes or dies: a quarter above the mean.

    Without a limit one of them could fill up with what is hardly ever written; without slack none could ever move.
    """
    return ceil(1.25 * pages / places)


def blocks_of_table(hardware: HardwareConfig, pages: int, by_rows: bool) -> float:
    """Return the blocks of a plane that so many translation pages take, and one more to be filled, if there are any."""
    share = most_in_one_of(hardware.planes, pages) + by_rows  # a row lies in one die
    return share / hardware.block_pages + 1 if pages else 0.0


@final
class TableCounts:
    """Counts of accesses to the mapping table: of its entries, and of its pages in flash."""

    def __init__(self) -> None:
        self.hits = self.misses = self.reads = self.writes = self.padded_pages = 0


@final
class TablePages:
    """Reads translation pages, and writes `row` of them together, padding if there are too few (SPD, 6.5(3)).

    All planes are written to in turn, and none is given more than its share of the table where that is spread evenly.
    The pages of a row that are in flash are read first, for what does not change in them. Rows for which no plane has
    room wait until collection has won some. Before there is a clock no time passes.
    """

    table: IndexTable  # where logical pages lie, and behind them translation pages
    first: int  # the number of translation page 0 among logical pages
    stripe: Int64s  # the (first) planes of all units, in the order in which they are written to
    row: int  # translation pages that are written together
    page_limit: int  # of translation pages in a unit
    transactions: Transactions
    owner: int  # of the transactions, which the access to the mapping sets
    without_room: deque[WriteGroup]  # rows that wait for room

    def __init__(
        self,
        mapping: TableMapping,
        frontier: WriteFrontier,
        collector: Reclaimer,
        sources: PageSources,
        scheduler: TransactionSchedulingUnit,
        contents: Contents | None,
        stripe: list[int],
        row: int,
        spread_evenly: bool,
    ) -> None:
        self.mapping = mapping
        self.table = mapping.table
        self.first = mapping.logical_pages
        self.frontier = frontier
        self.collector = collector
        self.sources = sources
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.blocks: Blocks = scheduler.blocks
        self.contents = contents
        self.counts = TableCounts()
        self.stripe = array("q", stripe)
        self.turn = 0
        self.row = row
        mapping.count_by_unit(self.blocks.units, self.blocks.pages // self.blocks.units)
        pages = mapping.translation_pages
        pages_per_unit = most_in_one_of(self.blocks.units, pages) if spread_evenly else pages
        self.page_limit = pages_per_unit + row - 1  # so that any row fits somewhere
        self.owner = 0
        self.without_room = deque()

    @cfunc
    def lies(self, page: int) -> int:
        """Return where a translation page lies, or -1 if it was never written."""
        return self.table.get(self.first + page)

    # Reads.

    @cfunc
    def source_of(self, page: int) -> int:
        """Return where in flash a translation page can be read now, or -1 if it cannot or need not be."""
        ppa = self.lies(page)
        return self.sources.source_of(ppa) if ppa >= 0 else -1

    def read(self, page: int, ppa: int, row: WriteGroup | None) -> None:
        """Issue the read of translation page `page` at `ppa`, for entries or for the writing of `row`."""
        self.counts.reads += 1
        self.issue(READ, ppa, page, row)

    def issue(self, op: int, ppa: int, page: int, row: WriteGroup | None) -> None:
        """Issue the read or program of translation page `page`, -1 for padding, at `ppa`."""
        transactions = self.transactions
        transaction = transactions.take(MAPPING, self.owner, -1 if page < 0 else self.first + page)
        transactions.op[transaction] = op
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.collector.page_bytes
        transactions.group[transaction] = row
        self.scheduler.submit(transaction)

    # Writes.

    @cfunc
    def read_row(self, row: WriteGroup) -> None:
        """Read the pages of `row` that are in flash, for what does not change in them, and then write it."""
        page: int
        for page in row.members:
            ppa = self.source_of(page)
            if ppa >= 0:
                row.size += 1
                self.read(page, ppa, row)
        if row.members and not row.size:
            self.row_read(row)

    @cfunc
    def row_read(self, row: WriteGroup) -> None:
        """Write `row`, of which all that is needed has been read, or have it wait for room."""
        if self.without_room or not self.write_row(row):
            self.without_room.append(row)
            self.ask_for_room()

    @cfunc
    def ask_for_room(self) -> None:
        """Have collection see, in all planes, that translation pages wait."""
        self.frontier.tables.wait = True
        for plane in self.stripe:
            self.collector.reconsider(plane)

    def write_row(self, row: WriteGroup) -> bool:
        """Write the pages of `row` to the next plane in turn that has room, and return whether there was one."""
        plane = self.plane_with_room(row.members)
        if plane < 0:
            return False
        changed: int
        for changed in self.write(row.members, plane):
            self.collector.reconsider(changed)
        self.collector.reconsider(plane)
        return True

    @cfunc
    def write_waiting(self) -> None:
        """Write the rows that have waited for room, oldest first, as far as it goes."""
        while self.without_room and self.write_row(self.without_room[0]):
            self.without_room.popleft()
        self.frontier.tables.wait = len(self.without_room) > 0

    def write_now(self, pages: list[int]) -> list[int]:
        """Write up to a row of translation pages where no time passes, and return the planes that this has changed."""
        plane = self.plane_with_room(pages)
        if plane < 0:
            self.ask_for_room()
            self.frontier.tables.wait = False
            plane = self.plane_with_room(pages)
        if plane < 0:
            raise SimulationError(f"translation page {pages[0]}: no plane has room, nor anything to collect.")
        return [plane, *self.write(pages, plane)]

    def plane_with_room(self, pages: list[int]) -> int:
        """Return the next plane in turn that has room for `pages`, or -1; none is given more than its share of all."""
        for _ in range(len(self.stripe)):
            plane = self.stripe[self.turn]
            self.turn = self.turn + 1 if self.turn + 1 < len(self.stripe) else 0
            has_room = self.frontier.tables.has_room(plane // self.blocks.span) and not self.collector.holds(plane)
            if has_room and self.pages_in_unit_with(pages, plane) <= self.page_limit:
                return plane
        return -1

    @cfunc
    def pages_in_unit_with(self, pages: list[int], plane: int) -> int:
        """Return how many translation pages lie in the unit of `plane` once `pages` do."""
        unit = plane // self.blocks.span
        count: int = self.mapping.pages_in_unit[unit]
        page: int
        for page in pages:
            ppa = self.lies(page)
            count += ppa < 0 or self.blocks.unit_of(self.blocks.block_of(ppa)) != unit
        return count

    def write(self, pages: list[int], plane: int) -> list[int]:
        """Give pages places in `plane`, and program them, as a row; return the planes where they lay before."""
        planes: list[int] = []
        page: int
        for page in pages:
            before = self.lies(page)
            self.program(self.place(page, plane), page)
            if before >= 0:
                planes.append(self.blocks.plane_of(self.blocks.block_of(before)))
        for _ in range(self.row - len(pages)):
            padding = self.frontier.allocate(plane, self.frontier.kinds, -1, 0)
            self.blocks.invalidate(padding)
            self.counts.padded_pages += 1
            self.program(padding, -1)
        return planes

    def place(self, page: int, plane: int) -> int:
        """Give translation page `page` a new place in `plane`, with all that is known by now, and return it."""
        lpa = self.first + page
        ppa = self.frontier.allocate(plane, self.frontier.kinds, lpa, 0)
        before = self.mapping.update(lpa, ppa)
        self.mapping.table_page_written(page)
        self.counts.writes += 1
        if self.contents is not None:
            self.contents.put(ppa, lpa, 1)
        if before >= 0:
            self.blocks.invalidate(before)
        return ppa

    @cfunc
    def program(self, ppa: int, page: int) -> None:
        """Program translation page `page`, or padding if that is -1, at `ppa`."""
        if self.scheduler.env is None:
            self.collector.instant.program(MAPPING, ppa)
        else:
            self.issue(PROGRAM, ppa, page, None)


class MapAccess(TransactionOwner):
    """Brings from flash what it takes to know where a logical page lies, before that is read, written or trimmed.

    `knows` is asked first. Where it says no, `fetch` follows at once, and hands the transaction back to its owner
    (`translated`) when all is at hand. A write or trim then calls `map`, and `settle` when its old page is invalid.
    """

    pages: TablePages
    counts: TableCounts
    collector: Reclaimer
    scheduler: TransactionSchedulingUnit
    transactions: Transactions

    def __init__(self, pages: TablePages) -> None:
        self.pages = pages
        self.counts = pages.counts
        self.collector = pages.collector
        self.scheduler = pages.scheduler
        self.transactions = pages.transactions
        pages.owner = self.transactions.add_owner(self)

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        waiting = len(self.pages.without_room)
        return [f"{waiting} pages of the mapping table wait for room"] if waiting else []

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Return whether a read, or what `changes` the mapping, needs nothing from flash first; count the access."""
        raise NotImplementedError

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Read the pages that `transaction` needs, and hand it back to its owner."""
        raise NotImplementedError

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` to `ppa`, or to nothing if that is -1, for the host, and return where it lay before."""
        raise NotImplementedError

    @cfunc
    def settle(self) -> None:
        """Begin the writes to flash that the last change of the mapping asks for."""

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Go on with the writes that have waited for room, now that a block of `unit` has become free."""

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Do the work of `knows` and `fetch` where no time passes."""
        raise NotImplementedError

    def fill_now(self) -> int:
        """Write the pages of the table after a fill or a loss of power, where no time passes; return their number."""
        raise NotImplementedError
