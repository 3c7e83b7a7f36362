# cython: infer_types=True
"""Translation pages: how entries of DFTL's mapping table come from flash into the cache, and go back."""

from __future__ import annotations

from array import array
from collections import deque
from math import ceil
from typing import TYPE_CHECKING, Any, final

import numpy as np

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import MAPPING, PROGRAM, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim._core.mapping_cache import MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.errors import SimulationError
from ssdsim.flash.port import Contents, Transactions, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.mapping.lines import EntryLines, Line, appended
from ssdsim.ftl.reclaim.interface import Reclaimer
from ssdsim.ftl.sources import PageSources
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig
    from ssdsim.ftl.mapping.dftl import DemandMapping


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
class TranslationPages(TransactionOwner):
    """Reads and writes the pages of the mapping table that lie in flash, for `DemandMapping`.

    What needs an entry that is not cached waits (`fetch`): for a slot, and for the read of the entry's translation page
    if there is one in flash. A slot is won by evicting an entry; for one that is dirty its translation page is read,
    unless none is in flash, and written to a new place with all of its dirty entries (batched updates). A translation
    page is written once at a time.

    Garbage collection never waits for any of this. The entries of pages that it moved are cached beyond the capacity
    for as long as their translation pages take to be written, and whatever needs a slot waits until they are.

    Where the frontier fills rows of all planes of a die for writes by the row, so many translation pages are written
    together, those of the next entries to be evicted, and padding if there are too few (SPD, 6.5(3)).
    """

    env: Any
    cache: MappingCache
    first: int  # the number of translation page 0 among logical pages
    entries_per_page: int
    stripe: Int64s  # the (first) planes of all units, in the order in which they are written to
    page_limit: int  # of them in a unit
    row: int  # translation pages that are written together
    sources: PageSources  # where a page can be read now
    scheduler: TransactionSchedulingUnit
    transactions: Transactions
    owner: int  # of the transactions
    contents: Contents | None  # where integrity is checked or power may be lost
    table: IndexTable  # what flash says, and behind that where translation pages lie
    last_without_slot: Line | None  # of those that wait for a slot
    without_slot: int  # lines that wait for a slot
    loading: int  # slots that are given to entries on their way
    reading: list[Line | None]  # by translation page being read: the last of the lines that it is read for
    without_room: deque[WriteGroup]  # rows of translation pages that wait for room
    returned: int  # entries that had to be cached again, each of which another makes room for

    def __init__(
        self,
        mapping: DemandMapping,
        blocks: Blocks,
        frontier: WriteFrontier,
        collector: Reclaimer,
        sources: PageSources,
        stripe: list[int],
        row: int,
        spread_evenly: bool,
    ) -> None:
        self.mapping = mapping
        self.cache = mapping.cache
        self.table = mapping.table
        self.blocks = blocks
        self.frontier = frontier
        self.collector = collector
        self.sources = sources
        self.first = mapping.logical_pages
        self.entries_per_page = mapping.entries_per_page
        self.stripe = array("q", stripe)
        self.turn = 0
        mapping.count_by_unit(blocks.units, blocks.pages // blocks.units)
        pages = mapping.translation_pages
        pages_per_unit = most_in_one_of(blocks.units, pages) if spread_evenly else pages
        self.page_limit = pages_per_unit + row - 1  # so that any row fits somewhere
        self.row = row
        self.env = self.scheduler = self.transactions = self.contents = None
        self.owner = 0
        self.lines = EntryLines(self.first)
        self.last_without_slot = None
        self.without_slot = self.loading = 0
        self.reading = [None] * pages
        self.without_room = deque()
        self.shrinking = False
        self.returned = 0
        self.hits = self.misses = self.reads = self.writes = self.padded_pages = 0

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        kinds = (
            (self.lines.length, "logical pages wait for their mapping"),
            (len(self.without_room), "translation pages wait for room"),
        )
        return [f"{count} {waits}" for count, waits in kinds if count]

    def bind(self, env: Any, scheduler: TransactionSchedulingUnit) -> None:
        """Receive the clock and the back end, before the first request."""
        self.env = env
        self.scheduler = scheduler
        self.transactions = scheduler.transactions
        self.owner = self.transactions.add_owner(self)

    # Entries.

    def knows(self, lpa: int) -> bool:
        """Count a use of the entry of `lpa`, and return whether it is at hand: cached, or nowhere in flash."""
        if self.cache.touch(lpa):
            self.hits += 1
            return True
        self.misses += 1
        if self.page_of(lpa) >= 0 or self.cache.used + self.loading >= self.cache.capacity or self.lines.has(lpa):
            return False
        self.cache.insert(lpa, self.table.get(lpa))
        return True

    def page_of(self, lpa: int) -> int:
        """Return where the translation page of `lpa` lies, or -1 if it was never written."""
        return self.table.get(self.first + lpa // self.entries_per_page)

    def fetch(self, transaction: int) -> None:
        """Have `transaction`, whose entry is not at hand, handed back to its owner (`translated`) when it is."""
        self.transactions.queued_ns[transaction] = now(self.env)
        line = self.lines.join(self.transactions, transaction)
        if line is not None:
            self.last_without_slot = appended(line, self.last_without_slot)
            self.without_slot += 1
            self.make_room()

    def make_room(self) -> None:
        """Hand out slots, and evict entries for those who wait for one and for those above the capacity."""
        while True:
            if self.without_slot and self.cache.used + self.loading < self.cache.capacity:
                line: Line = self.last_without_slot.next
                self.without_slot -= 1
                if self.without_slot:
                    self.last_without_slot.next = line.next
                else:
                    self.last_without_slot = None
                self.loading += 1
                self.load(line)
            elif self.wanted() <= self.cache.capacity or not self.evict():
                return

    def wanted(self) -> int:
        """Return how many entries there will be if none is evicted but those that are leaving."""
        return self.cache.staying + self.loading + self.without_slot

    @cfunc
    def load(self, line: Line) -> None:
        """Read the translation page of a line's entry, or wait for its read, if it is in flash."""
        page = line.lpa // self.entries_per_page
        ppa = self.page_of(line.lpa)
        if ppa >= 0:
            ppa = self.sources.source_of(ppa)
        if ppa < 0:
            self.loaded(line)
            return
        last: Line = self.reading[page]
        self.reading[page] = appended(line, last)
        if last is None:
            self.read(page, ppa, None)

    def read(self, page: int, ppa: int, row: WriteGroup) -> None:
        """Issue the read of translation page `page` at `ppa`, for entries or for the writing of `row`."""
        self.reads += 1
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

    def loaded(self, line: Line) -> None:
        """Cache the entry of a line, unless collection has by now, and hand back who waits for it."""
        self.loading -= 1
        if not self.cache.holds(line.lpa):
            self.cache.insert(line.lpa, self.table.get(line.lpa))
        transactions = self.transactions
        following = self.lines.end(transactions, line)
        while following:
            transaction = following
            following = transactions.next[transaction]
            transactions.next[transaction] = 0
            transactions.mapping_ns[transaction] += now(self.env) - transactions.queued_ns[transaction]
            owner: TransactionOwner = transactions.owners[transactions.owner[transaction]]
            owner.translated(transaction)

    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` as `DemandMapping.update` does; after a wait its entry may have to be cached again (`settle`)."""
        self.returned += not self.cache.holds(lpa)
        return self.mapping.update(lpa, ppa)

    def settle(self) -> None:
        """Evict an entry for each that had to be cached again."""
        while self.returned:
            self.returned -= 1
            if self.scheduler is not None:
                self.evict()

    # Evictions.

    def evict(self) -> bool:
        """Begin to evict the next entry, and others that fill up its row; return whether there was one.

        One whose translation page is being written leaves along with that, or stays if it has changed since.
        """
        lpa = self.cache.victim()
        if lpa >= 0 and not self.cache.is_dirty(lpa):
            self.cache.remove(lpa)
            return True
        row = WriteGroup(0)
        found = False
        while len(row.members) < self.row and lpa >= 0 and self.cache.is_dirty(lpa):
            found = True
            if self.cache.leave(lpa):
                row.members.append(lpa // self.entries_per_page)
            elif not row.members:
                return True
            lpa = self.cache.victim()
        self.read_row(row)
        return found

    @cfunc
    def read_row(self, row: WriteGroup) -> None:
        """Read the pages of `row` that are in flash, for what does not change in them, and then write it."""
        page: int
        for page in row.members:
            ppa = self.table.get(self.first + page)
            if ppa >= 0:
                ppa = self.sources.source_of(ppa)
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
        page: int
        for page in row.members:
            before = self.table.get(self.first + page)
            self.program(self.place(page, plane), page)
            if before >= 0:
                self.collector.reconsider(self.blocks.plane_of(self.blocks.block_of(before)))
        for _ in range(self.row - len(row.members)):
            self.program(self.pad(plane), -1)
        self.collector.reconsider(plane)
        return True

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
            ppa = self.table.get(self.first + page)
            count += ppa < 0 or self.blocks.unit_of(self.blocks.block_of(ppa)) != unit
        return count

    def place(self, page: int, plane: int) -> int:
        """Give translation page `page` a new place in `plane`, with all that is known by now, and return it."""
        lpa = self.first + page
        ppa = self.allocate(plane, lpa)
        before = self.mapping.update(lpa, ppa)
        self.cache.write_back(page, self.mapping.table)
        self.writes += 1
        if self.contents is not None:
            self.contents.put(ppa, lpa, 1)
        if before >= 0:
            self.blocks.invalidate(before)
        return ppa

    def allocate(self, plane: int, lpa: int) -> int:
        """Hand out a page of `plane` for translation page `lpa`, -1 for padding, as the frontier; return its PPA."""
        return self.frontier.allocate(plane, self.frontier.kinds, lpa, 0)

    def pad(self, plane: int) -> int:
        """Hand out a page of `plane` to nothing, to complete a row, and return it."""
        ppa = self.allocate(plane, -1)
        self.blocks.invalidate(ppa)
        self.padded_pages += 1
        return ppa

    def program(self, ppa: int, page: int) -> None:
        """Issue the program of translation page `page`, or of padding if that is -1, at `ppa`."""
        self.issue(PROGRAM, ppa, page, None)

    def done(self, transaction: int) -> None:
        """Go on with entries whose translation page has been read, or written."""
        transactions = self.transactions
        page = transactions.lpa[transaction] - self.first
        row: WriteGroup = transactions.group[transaction]
        transactions.group[transaction] = None
        if transactions.op[transaction] == PROGRAM:
            if page >= 0:
                self.written(page)
            self.collector.reconsider(transactions.plane[transaction])
        elif row is not None:
            row.size -= 1
            if not row.size:
                self.row_read(row)
        else:
            last: Line = self.reading[page]
            self.reading[page] = None
            following: Line = last.next
            last.next = None
            while following is not None:
                line: Line = following
                following = line.next
                self.loaded(line)
            self.make_room()
        transactions.give_back(transaction)

    def written(self, page: int) -> None:
        """Give up the entries that `page` was written for, but those that have changed again meanwhile."""
        self.cache.end_leaving(page)
        self.make_room()

    def space_freed(self, unit: int) -> None:
        """Write the rows that have waited for room, and evict the entries that the collection of `unit` has changed."""
        while self.without_room and self.write_row(self.without_room[0]):
            self.without_room.popleft()
        self.frontier.tables.wait = len(self.without_room) > 0
        self.make_room()

    # The same without flash timing.

    @cfunc
    def access_now(self, lpa: int) -> None:
        """Have the entry of `lpa` cached, at the cost of reads and writes that take no time."""
        if not self.knows(lpa):
            self.reads += self.page_of(lpa) >= 0
            self.cache.insert(lpa, self.mapping.lookup(lpa))
        self.shrink_now()

    @cfunc
    def shrink_now(self) -> None:
        """Evict the entries above the capacity; collections that this leads to leave theirs to it."""
        if self.shrinking:
            return
        self.shrinking = True
        while self.cache.used > self.cache.capacity:
            lpa = self.cache.victim()
            if self.cache.is_dirty(lpa):
                self.reads += self.page_of(lpa) >= 0
                plane: int
                for plane in self.write_now([lpa // self.entries_per_page]):
                    self.collector.reconsider(plane)
            else:
                self.cache.remove(lpa)
        self.shrinking = False

    def write_now(self, pages: list[int]) -> list[int]:
        """Write up to a row of translation pages at once and return the planes that this has changed."""
        plane = self.plane_with_room(pages)
        if plane < 0:
            self.ask_for_room()
            self.frontier.tables.wait = False
            plane = self.plane_with_room(pages)
        if plane < 0:
            raise SimulationError(f"translation page {pages[0]}: no plane has room, nor anything to collect.")
        changed = [plane]
        page: int
        for page in pages:
            before = self.table.get(self.first + page)
            if before >= 0:
                changed.append(self.blocks.plane_of(self.blocks.block_of(before)))
            self.collector.instant.program(MAPPING, self.place(page, plane))
        for _ in range(self.row - len(pages)):
            self.collector.instant.program(MAPPING, self.pad(plane))
        return changed

    def fill_now(self) -> int:
        """Write the translation pages of all that `mapping.table` was filled with, and return how many.

        If all of it fits the cache, none is: nothing is ever evicted then, and entries are at hand without a read. What
        there is no room for is kept in the cache until there is.
        """
        if self.first <= self.cache.capacity:
            return 0
        self.mapping.count_by_unit(self.blocks.units, self.mapping.unit_pages)  # power may have been lost
        filled = np.flatnonzero(self.mapping.table.to_numpy()[: self.first] >= 0)
        pages = np.unique(filled // self.entries_per_page).tolist()
        done = 0
        while done < len(pages) and self.plane_with_room(pages[done : done + self.row]) >= 0:
            self.write_now(pages[done : done + self.row])
            done += self.row
        for lpa in filled[np.isin(filled // self.entries_per_page, pages[done:])].tolist():
            self.mapping.update(lpa, self.mapping.lookup(lpa))
        return min(done, len(pages))
