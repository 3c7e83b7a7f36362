# cython: infer_types=True
"""Translation pages: how entries of DFTL's mapping table come from flash into the cache, and go back."""

from __future__ import annotations

from typing import final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM
from ssdsim._core.inlined import now
from ssdsim._core.mapping_cache import MappingCache
from ssdsim._core.table import IndexTable
from ssdsim.flash.port import Transactions
from ssdsim.ftl.mapping.access import MapAccess
from ssdsim.ftl.mapping.dftl import DemandMapping
from ssdsim.ftl.mapping.table_pages import TablePages
from ssdsim.host.request import WriteGroup
from ssdsim.stage import TransactionOwner


@final
class Line:
    """The transactions that wait for the entry of `lpa`: a ring, of which the first follows the `last`."""

    lpa: int
    last: int
    next: Line | None  # in a ring of lines, or among those without use

    def __init__(self, number: int) -> None:
        self.number = number
        self.lpa = -1
        self.last = 0
        self.next = None


@cfunc
def appended(line: Line, last: Line | None) -> Line:
    """Return `line` as the last of a ring of lines, after the one that was `last`, if there is one."""
    if last is None:
        line.next = line
    else:
        line.next = last.next
        last.next = line
    return line


@final
class EntryLines:
    """A line for each logical page whose entry is waited for, found by number; lines are used again."""

    lines: list[Line]
    free: Line | None

    def __init__(self, logical_pages: int) -> None:
        self.number_of = IndexTable(logical_pages, logical_pages)
        self.lines = []
        self.free = None
        self.length = 0

    @cfunc
    def has(self, lpa: int) -> bool:
        """Return whether any transaction waits for the entry of `lpa`."""
        return self.number_of.get(lpa) >= 0

    @cfunc
    def join(self, transactions: Transactions, transaction: int) -> Line | None:
        """Have `transaction` wait for the entry of its page, and return the line if it is a new one."""
        lpa = transactions.lpa[transaction]
        number = self.number_of.get(lpa)
        if number >= 0:
            line: Line = self.lines[number]
            transactions.next[transaction] = transactions.next[line.last]
            transactions.next[line.last] = transaction
            line.last = transaction
            return None
        if self.free is None:
            self.free = Line(len(self.lines))
            self.lines.append(self.free)
        line = self.free
        self.free = line.next
        line.next = None
        line.lpa = lpa
        line.last = transactions.next[transaction] = transaction
        self.number_of.set(line.lpa, line.number)
        self.length += 1
        return line

    @cfunc
    def end(self, transactions: Transactions, line: Line) -> int:
        """Give up `line`, and return the first of its transactions; each leads to the next."""
        first = transactions.next[line.last]
        transactions.next[line.last] = 0
        line.last = 0
        self.number_of.set(line.lpa, -1)
        line.next = self.free
        self.free = line
        self.length -= 1
        return first


@final
class TranslationPages(MapAccess):
    """Reads and writes the pages of the mapping table that lie in flash, for `DemandMapping`.

    What needs an entry that is not cached waits (`fetch`): for a slot, and for the read of the entry's translation page
    if there is one in flash. A slot is won by evicting an entry; for one that is dirty its translation page is read,
    unless none is in flash, and written to a new place with all of its dirty entries (batched updates). A translation
    page is written once at a time.

    Garbage collection never waits for any of this. The entries of pages that it moved are cached beyond the capacity
    for as long as their translation pages take to be written, and whatever needs a slot waits until they are.

    Where the frontier fills rows of all planes of a die for writes by the row, so many translation pages are written
    together, those of the next entries to be evicted.
    """

    mapping: DemandMapping
    cache: MappingCache
    table: IndexTable  # what flash says, and behind that where translation pages lie
    entries_per_page: int
    last_without_slot: Line | None  # of those that wait for a slot
    without_slot: int  # lines that wait for a slot
    loading: int  # slots that are given to entries on their way
    reading: list[Line | None]  # by translation page being read: the last of the lines that it is read for
    returned: int  # entries that had to be cached again, each of which another makes room for

    def __init__(self, mapping: DemandMapping, pages: TablePages) -> None:
        MapAccess.__init__(self, pages)
        self.mapping = mapping
        self.cache = self.mapping.cache
        self.table = self.mapping.table
        self.entries_per_page = self.mapping.entries_per_page
        self.lines = EntryLines(pages.first)
        self.last_without_slot = None
        self.without_slot = self.loading = 0
        self.reading = [None] * self.mapping.translation_pages
        self.shrinking = False
        self.returned = 0

    def what_waits(self) -> list[str]:
        """Return a phrase for each kind of thing that waits."""
        waiting = [f"{self.lines.length} logical pages wait for their mapping"] if self.lines.length else []
        return waiting + MapAccess.what_waits(self)

    # Entries.

    @cfunc
    def knows(self, lpa: int, changes: bool) -> bool:
        """Count a use of the entry of `lpa`, and return whether it is at hand: cached, or nowhere in flash."""
        if self.cache.touch(lpa):
            self.counts.hits += 1
            return True
        self.counts.misses += 1
        if (
            self.pages.lies(lpa // self.entries_per_page) >= 0
            or self.cache.used + self.loading >= self.cache.capacity
            or self.lines.has(lpa)
        ):
            return False
        self.cache.insert(lpa, self.table.get(lpa))
        return True

    @cfunc
    def fetch(self, transaction: int) -> None:
        """Have `transaction`, whose entry is not at hand, handed back to its owner (`translated`) when it is."""
        self.transactions.queued_ns[transaction] = now(self.scheduler.env)
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
            elif (  # if none is evicted but those that are leaving
                self.cache.staying + self.loading + self.without_slot <= self.cache.capacity or not self.evict()
            ):
                return

    @cfunc
    def load(self, line: Line) -> None:
        """Read the translation page of a line's entry, or wait for its read, if it is in flash."""
        page = line.lpa // self.entries_per_page
        ppa = self.pages.source_of(page)
        if ppa < 0:
            self.loaded(line)
            return
        last: Line = self.reading[page]
        self.reading[page] = appended(line, last)
        if last is None:
            self.pages.read(page, ppa, None)

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
            transactions.mapping_ns[transaction] += now(self.scheduler.env) - transactions.queued_ns[transaction]
            owner: TransactionOwner = transactions.owners[transactions.owner[transaction]]
            owner.translated(transaction)

    @cfunc
    def map(self, lpa: int, ppa: int) -> int:
        """Map `lpa` as `DemandMapping.update` does; after a wait its entry may have to be cached again (`settle`)."""
        self.returned += not self.cache.holds(lpa)
        return self.mapping.update(lpa, ppa)

    @cfunc
    def settle(self) -> None:
        """Evict an entry for each that had to be cached again."""
        while self.returned:
            self.returned -= 1
            if self.scheduler.env is not None:
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
        while len(row.members) < self.pages.row and lpa >= 0 and self.cache.is_dirty(lpa):
            found = True
            if self.cache.leave(lpa):
                row.members.append(lpa // self.entries_per_page)
            elif not row.members:
                return True
            lpa = self.cache.victim()
        self.pages.read_row(row)
        return found

    def done(self, transaction: int) -> None:
        """Go on with entries whose translation page has been read, or written."""
        transactions = self.transactions
        page = transactions.lpa[transaction] - self.pages.first
        row: WriteGroup = transactions.group[transaction]
        transactions.group[transaction] = None
        if transactions.op[transaction] == PROGRAM:
            if page >= 0:
                self.written(page)
            self.collector.reconsider(transactions.plane[transaction])
        elif row is not None:
            row.size -= 1
            if not row.size:
                self.pages.row_read(row)
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

    @cfunc
    def space_freed(self, unit: int) -> None:
        """Write the rows that have waited for room, and evict the entries that the collection of `unit` has changed."""
        self.pages.write_waiting()
        self.make_room()

    # Where no time passes.

    @cfunc
    def access_now(self, lpa: int, changes: bool) -> None:
        """Have the entry of `lpa` cached, at the cost of reads and writes that take no time.

        Entries above the capacity are evicted; collections that this leads to leave theirs to it.
        """
        if not self.knows(lpa, changes):
            self.counts.reads += self.pages.lies(lpa // self.entries_per_page) >= 0
            self.cache.insert(lpa, self.mapping.lookup(lpa))
        if self.shrinking:
            return
        self.shrinking = True
        while self.cache.used > self.cache.capacity:
            victim = self.cache.victim()
            if self.cache.is_dirty(victim):
                page = victim // self.entries_per_page
                self.counts.reads += self.pages.lies(page) >= 0
                plane: int
                for plane in self.pages.write_now([page]):
                    self.collector.reconsider(plane)
            else:
                self.cache.remove(victim)
        self.shrinking = False

    def fill_now(self) -> int:
        """Write the translation pages of all that the mapping's table was filled with, and return how many.

        If all of it fits the cache, none is: nothing is ever evicted then, and entries are at hand
        without a read. What there is no room for is kept in the cache until there is.
        """
        pages, mapping, row = self.pages, self.mapping, self.pages.row
        if mapping.logical_pages <= mapping.cache.capacity:
            return 0
        mapping.count_by_unit(pages.blocks.units, mapping.unit_pages)  # power may have been lost
        filled = np.flatnonzero(mapping.table.to_numpy()[: mapping.logical_pages] >= 0)
        numbers = np.unique(filled // mapping.entries_per_page).tolist()
        done = 0
        while done < len(numbers) and pages.plane_with_room(numbers[done : done + row]) >= 0:
            pages.write_now(numbers[done : done + row])
            done += row
        for lpa in filled[np.isin(filled // mapping.entries_per_page, numbers[done:])].tolist():
            mapping.update(lpa, mapping.lookup(lpa))
        return min(done, len(numbers))
