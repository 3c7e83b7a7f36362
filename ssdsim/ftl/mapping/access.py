# cython: infer_types=True
"""A map of which pages lie in flash: where these lie, how they are read and written, and who waits for them."""

from __future__ import annotations

from array import array
from collections import deque
from typing import Any

from ssdsim._core.blocks import COLLECTING, SET_ASIDE, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MAPPING, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim.config import SimulationConfig
from ssdsim.errors import PolicyError, SimulationError
from ssdsim.flash.port import Contents, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.tables import TableBlocks, most_in_one_of
from ssdsim.ftl.mapping.page import Mapping, PageMapping
from ssdsim.ftl.plane_allocation.policies import stripe
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.stage import TransactionOwner


class MapAccess(PageMapping):
    """A map that the controller has to look up in flash, in part, and that lies there in pages of its own.

    Page n of the map is number `logical_pages` + n of `table` and of spare areas. Before a logical page is read,
    written or trimmed, `knows` is asked. Where it says no, `fetch` follows at once, and hands the transaction back to
    its owner (`translated`) when all is at hand. Of each change it is told (`changed`); collection never waits. Pages
    of the map are written `row` together, padded if there are too few (SPD, 6.5(3)), to all planes in turn.
    """

    own: Any  # the `Mapping` of the user's own, None for a subclass
    pages_to_read: list[Any]  # those that `knows` has found, last first
    tables: TableBlocks
    collector: Reclaimer
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    blocks: Blocks
    contents: Contents | None
    owner: int  # of the transactions
    stripe: Int64s  # the (first) planes of all units, in the order in which they are written to
    row: int
    page_limit: int  # of pages of the map in a unit
    pages_in_unit: Int64s  # by unit: how many lie there
    without_room: deque[list[int]]  # rows of pages that wait for room
    fetching: int  # transactions that wait for their mapping

    def __init__(self, logical_pages: int, translation_pages: int, own: Mapping | None = None) -> None:
        PageMapping.__init__(self, logical_pages, translation_pages)
        self.own = own
        if own is not None:
            own.bind(self.table)
        self.without_room = deque()
        self.turn = self.fetching = 0
        # Counted are uses of entries, and accesses to pages of the map.
        self.hits = self.misses = self.reads = self.writes = self.padded_pages = 0

    def bind(self, collector: Reclaimer, spread_evenly: bool, config: SimulationConfig) -> None:
        """Receive the parts that pages of the map are written with, once; data is `spread_evenly` over all planes."""
        self.tables = collector.frontier.tables
        self.collector = collector
        self.scheduler = collector.scheduler
        self.transactions = collector.transactions
        self.blocks = collector.blocks
        self.contents = collector.contents
        self.owner = self.transactions.add_owner(self)
        span, pages = self.blocks.span, self.translation_pages
        self.stripe = array("q", [plane for plane in stripe("CWDP", config.hardware, 1) if plane % span == 0])
        self.row = span if config.ftl.by_rows else 1
        share = most_in_one_of(self.blocks.units, pages) if spread_evenly else pages
        self.page_limit = share + self.row - 1  # so that any row fits somewhere
        self.pages_in_unit = array("q", [0] * self.blocks.units)

    @cfunc
    def place_of(self, page: int) -> int:
        """Return where a page of the map lies, or -1 if it was never written."""
        return self.table.get(self.logical_pages + page) if self.translation_pages else -1

    # What the controller knows: as `own` has it, or a subclass.

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Return whether a read, or what `changes` the mapping, needs nothing from flash first; count the access.

        Before there is a clock all work is done at once. Raise `PolicyError` for a page that there is not.
        """
        pages: list[Any] = self.own.pages_first(lpa, self.table.get(lpa), changes)
        for page in pages:
            if not 0 <= page < self.blocks.pages:
                raise PolicyError(
                    f"ftl.mapping.scheme: {type(self.own).__name__}.pages_first asks for page {page} of "
                    f"{self.blocks.pages}."
                )
        self.pages_to_read = pages[::-1]
        self.hits += not pages
        self.misses += len(pages) > 0
        if self.scheduler.env is None:
            self.reads += len(pages)
        return not pages

    @cfunc
    def holds(self, lpa: int) -> bool:
        """Return whether the place of `lpa` is known without a read of flash."""
        return True

    @cfunc
    def look_up(self, transaction: int) -> None:
        """Read the pages that `transaction` needs, one after another, and `hand_back` it."""
        self.arrived(-1, [transaction, *self.pages_to_read])

    @cfunc
    def arrived(self, page: int, reader: Any) -> None:
        """React when a page has been read that was issued for `reader`: of the map its number is `page`."""
        lookup: list[int] = reader  # the transaction, and the pages that are left to be read, last first
        while len(lookup) > 1:
            ppa = lookup.pop()
            block = self.blocks.block_of(ppa)
            is_kept: bool = self.blocks.state(block) not in (COLLECTING, SET_ASIDE)
            if is_kept or self.blocks.valid(block):  # else it may be being erased, and the guess is known to be wrong
                self.issue(READ, ppa, -1, lookup)
                return
        self.hand_back(lookup[0])

    @cfunc
    def changed(self, lpa: int, ppa: int, by_host: bool) -> None:
        """React when `lpa` is given page `ppa`, or none (-1), by the host or as collection moves it."""
        self.own.update(lpa, ppa)
        if by_host:
            self.settle()

    @cfunc
    def settle(self) -> None:
        """Begin the writes to flash that changes ask for; of those by collection when it has won room."""
        for page in self.own.pages_to_write():
            self.write([page])

    @cfunc
    def written(self, page: int, is_programmed: bool) -> None:
        """React when page `page` of the map is given a new place, with all that is known by now, and is programmed."""

    def restore(self) -> None:
        """Learn the whole `table`, and write the pages of the map, where no time passes."""
        self.own.restored()
        self.settle()

    # From the device.

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Hand `transaction` back to its owner when all that its logical page needs has been read."""
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
        self.fetching += 1
        self.look_up(transaction)

    @cfunc
    def hand_back(self, transaction: int) -> None:
        """Hand a transaction back to its owner, for which all is at hand that it waited for since it was queued."""
        transactions = self.transactions
        self.fetching -= 1
        transactions.mapping_ns[transaction] += now(self.scheduler.env) - transactions.queued_ns[transaction]
        owner: TransactionOwner = transactions.owners[transactions.owner[transaction]]
        owner.translated(transaction)

    def update(self, lpa: int, ppa: int) -> int:
        """Map a page that is moved, of data or of the map, or written to the map; return where it lay."""
        before = self.table.swap(lpa, ppa)
        if lpa < self.logical_pages:
            self.changed(lpa, ppa, False)
        else:
            self.pages_in_unit[self.blocks.unit_of(self.blocks.block_of(ppa))] += 1
            if before >= 0:
                self.pages_in_unit[self.blocks.unit_of(self.blocks.block_of(before))] -= 1
        return before

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        counts = {"reads, writes and trims wait for their mapping": self.fetching}
        counts["pages of the mapping table wait for room"] = len(self.without_room)
        return [f"{count} {phrase}" for phrase, count in counts.items() if count]

    def fill_now(self) -> int:
        """Write the pages of the map after a fill or a loss of power, where no time passes; return their number."""
        self.pages_in_unit = array("q", [0] * self.blocks.units)  # of what collection may have moved by now, too
        for page in range(self.translation_pages):
            ppa = self.place_of(page)
            if ppa >= 0:
                self.pages_in_unit[self.blocks.unit_of(self.blocks.block_of(ppa))] += 1
        before = self.writes
        self.restore()
        return self.writes - before

    @cfunc
    def space_freed(self) -> None:
        """Write the rows that have waited for room, oldest first, and what collection has changed."""
        while self.without_room and self.write_row(self.without_room[0]):
            self.without_room.popleft()
        self.tables.wait = len(self.without_room) > 0
        self.settle()

    # Reads and programs.

    @cfunc
    def issue(self, op: int, ppa: int, page: int, reader: Any) -> None:
        """Issue the read or program of page `page` of the map, -1 for any other, at `ppa`; without a clock, do it."""
        self.reads += op == READ
        if self.scheduler.env is None:
            if op == PROGRAM:
                self.collector.instant.program(MAPPING, ppa)
            self.end(op, page, reader)
            return
        lpa = -1 if page < 0 else self.logical_pages + page
        transaction = self.transactions.take(MAPPING, self.owner, op, lpa, ppa, self.collector.page_bytes)
        self.transactions.group[transaction] = reader
        self.scheduler.submit(transaction)

    def done(self, transaction: int) -> None:
        """Hand a page to its reader, or call for collection in the plane of one that has been programmed."""
        transactions = self.transactions
        reader = transactions.group[transaction]
        transactions.group[transaction] = None
        self.end(transactions.op[transaction], transactions.lpa[transaction] - self.logical_pages, reader)
        if transactions.op[transaction] == PROGRAM:
            self.collector.reconsider(transactions.plane[transaction])
        transactions.give_back(transaction)

    @cfunc
    def end(self, op: int, page: int, reader: Any) -> None:
        """React to the end of a read or program."""
        if op == READ:
            self.arrived(page, reader)
        elif page >= 0:
            self.written(page, True)

    # Writes of rows.

    def write(self, pages: list[int]) -> None:
        """Write a row of pages of the map, or have it wait for room; where no time passes collection makes some."""
        if not self.without_room and self.write_row(pages):
            return
        self.tables.wait = True
        for plane in self.stripe:
            self.collector.reconsider(plane)
        if self.scheduler.env is not None:
            self.without_room.append(pages)
            return
        self.tables.wait = False
        if not self.write_row(pages):
            raise SimulationError(f"translation page {pages[0]}: no plane has room, nor anything to collect.")

    def write_row(self, pages: list[int]) -> bool:
        """Write pages to the next plane in turn that has room, and return whether there was one."""
        plane = self.plane_with_room(pages)
        if plane < 0:
            return False
        for changed in [plane, *self.write_to(plane, pages)]:
            self.collector.reconsider(changed)
        return True

    def plane_with_room(self, pages: list[int]) -> int:
        """Return the next plane in turn that has room for `pages`, or -1; none is given more than its share of all."""
        for _ in range(len(self.stripe)):
            plane = self.stripe[self.turn]
            self.turn = self.turn + 1 if self.turn + 1 < len(self.stripe) else 0
            unit = plane // self.blocks.span
            if self.tables.has_room(unit) and not self.collector.must_wait(plane, -1):
                count: int = self.pages_in_unit[unit]
                page: int
                for page in pages:
                    ppa = self.place_of(page)
                    count += ppa < 0 or self.blocks.unit_of(self.blocks.block_of(ppa)) != unit
                if count <= self.page_limit:
                    return plane
        return -1

    def write_to(self, plane: int, pages: list[int]) -> list[int]:
        """Give pages of the map places in `plane`, and program them, as a row; return the planes where they lay."""
        planes: list[int] = []
        for page in pages:
            lpa = self.logical_pages + page
            ppa = self.tables.allocate(plane // self.blocks.span, lpa)
            before = self.update(lpa, ppa)
            self.written(page, False)
            self.writes += 1
            if self.contents is not None:
                self.contents.put(ppa, 1)
            if before >= 0:
                self.blocks.invalidate(before)
                planes.append(self.blocks.plane_of(self.blocks.block_of(before)))
            self.issue(PROGRAM, ppa, page, None)
        for _ in range(self.row - len(pages)):
            padding = self.tables.allocate(plane // self.blocks.span, -1)
            self.blocks.invalidate(padding)
            self.padded_pages += 1
            self.issue(PROGRAM, padding, -1, None)
        return planes
