# cython: infer_types=True
"""How translation pages are written to flash, in rows."""

from __future__ import annotations

from collections import deque
from typing import final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MAPPING, PROGRAM, READ
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Transactions, TransactionSchedulingUnit
from ssdsim.ftl.mapping.places import TablePlaces
from ssdsim.ftl.sources import PageSources
from ssdsim.host.request import WriteGroup


@final
class TableRows:
    """Reads translation pages, and writes `row` of them together, padding if there are too few (SPD, 6.5(3)).

    The pages of a row that are in flash are read first, for what does not change in them. Rows for which no plane has
    room wait until collection has won some. Before there is a clock no time passes.
    """

    row: int  # translation pages that are written together
    transactions: Transactions
    owner: int  # of the transactions
    without_room: deque[WriteGroup]  # rows that wait for room

    def __init__(
        self, places: TablePlaces, sources: PageSources, scheduler: TransactionSchedulingUnit, owner: int, row: int
    ) -> None:
        self.places = places
        self.sources = sources
        self.row = row
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = owner
        self.without_room = deque()

    @cfunc
    def source_of(self, page: int) -> int:
        """Return where in flash a translation page can be read now, or -1 if it cannot or need not be."""
        ppa = self.places.lies(page)
        return self.sources.source_of(ppa) if ppa >= 0 else -1

    def read(self, page: int, ppa: int, row: WriteGroup | None) -> None:
        """Issue the read of translation page `page` at `ppa`, for entries or for the writing of `row`."""
        self.places.counts.reads += 1
        self.issue(READ, ppa, page, row)

    def issue(self, op: int, ppa: int, page: int, row: WriteGroup | None) -> None:
        """Issue the read or program of translation page `page`, -1 for padding, at `ppa`."""
        transactions = self.transactions
        transaction = transactions.take(MAPPING, self.owner, -1 if page < 0 else self.places.first + page)
        transactions.op[transaction] = op
        transactions.ppa[transaction] = ppa
        transactions.bytes[transaction] = self.places.collector.page_bytes
        transactions.group[transaction] = row
        self.scheduler.submit(transaction)

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
        self.places.frontier.tables.wait = True
        for plane in self.places.stripe:
            self.places.collector.reconsider(plane)

    def write_row(self, row: WriteGroup) -> bool:
        """Write the pages of `row` to the next plane in turn that has room, and return whether there was one."""
        plane = self.places.plane_with_room(row.members)
        if plane < 0:
            return False
        changed: int
        for changed in self.write(row.members, plane):
            self.places.collector.reconsider(changed)
        self.places.collector.reconsider(plane)
        return True

    def write(self, pages: list[int], plane: int) -> list[int]:
        """Give pages places in `plane`, and program them, as a row; return the planes where they lay before."""
        planes: list[int] = []
        page: int
        for page in pages:
            before = self.places.lies(page)
            self.program(self.places.place(page, plane), page)
            if before >= 0:
                planes.append(self.places.plane_of(before))
        for _ in range(self.row - len(pages)):
            self.program(self.places.pad(plane), -1)
        return planes

    @cfunc
    def program(self, ppa: int, page: int) -> None:
        """Program translation page `page`, or padding if that is -1, at `ppa`."""
        if self.scheduler.env is None:
            self.places.collector.instant.program(MAPPING, ppa)
        else:
            self.issue(PROGRAM, ppa, page, None)

    @cfunc
    def go_on(self) -> None:
        """Write the rows that have waited for room, oldest first, as far as it goes."""
        while self.without_room and self.write_row(self.without_room[0]):
            self.without_room.popleft()
        self.places.frontier.tables.wait = len(self.without_room) > 0

    # Where no time passes.

    def write_now(self, pages: list[int]) -> list[int]:
        """Write up to a row of translation pages at once and return the planes that this has changed."""
        plane = self.places.plane_with_room(pages)
        if plane < 0:
            self.ask_for_room()
            self.places.frontier.tables.wait = False
            plane = self.places.plane_with_room(pages)
        if plane < 0:
            raise SimulationError(f"translation page {pages[0]}: no plane has room, nor anything to collect.")
        return [plane, *self.write(pages, plane)]
