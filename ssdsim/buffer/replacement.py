# cython: infer_types=True
"""The pages in the write buffer, and which of them leave first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from ssdsim.config import HardwareConfig
from ssdsim.device_view import Policy
from ssdsim.host.request import Bits, Request


class Entry:
    """A logical page that holds data not yet in flash.

    While it is being evicted it stays readable, but a write makes a new entry.
    """

    touched: Bits  # the parts of the page that were written, a bit for each 512 bytes
    data: Any  # of the parts that were written, where integrity is checked; else None
    stream: int  # of the last write
    access_latency: int  # the hint of the last write
    maker: int  # the request that made it, while it is of that alone and of nothing older that is unwritten; else -1
    eviction: Eviction  # that it left in, or None
    entries: EntryList  # that it stands in
    previous: Entry  # in that
    next: Entry

    def __init__(self, lpa: int, touched: Bits) -> None:
        self.lpa = lpa
        self.touched = touched
        self.data = self.eviction = self.entries = self.previous = self.next = None
        self.maker = -1
        self.stream = self.access_latency = 0
        self.evicting = False


class Eviction:
    """Pages that leave the buffer in one go: `left` of them are on their way; `payer` waits for all, unless None."""

    def __init__(self, payer: Request) -> None:
        self.payer = payer
        self.left = 0


@final
class EntryList:
    """Entries, oldest first; any of them can be taken out in O(1)."""

    head: Entry  # the oldest
    tail: Entry  # the youngest

    def __init__(self) -> None:
        self.head = self.tail = None
        self.length = 0

    def append(self, entry: Entry) -> None:
        """Add `entry`, which stands in no list, as the youngest."""
        entry.previous = self.tail
        entry.next = None
        if self.tail is None:
            self.head = entry
        else:
            self.tail.next = entry
        self.tail = entry
        self.length += 1

    def remove(self, entry: Entry) -> None:
        """Take out `entry`, which stands in this list."""
        if entry.previous is None:
            self.head = entry.next
        else:
            entry.previous.next = entry.next
        if entry.next is None:
            self.tail = entry.previous
        else:
            entry.next.previous = entry.previous
        entry.previous = entry.next = None
        self.length -= 1


class Replacement(Policy):
    """Keeps the dirty pages of the buffer in the order in which they are to be evicted.

    `victims` is called when the buffer needs room and holds dirty pages; it returns one or more of them, to be evicted
    together, and forgets them. `lists` are `EntryList`s in the order of the last write.
    """

    lists: list[EntryList]
    dies: list[int]  # in the order in which consecutive pages visit them
    stripe: Sequence[int]
    planes_per_die: int
    list_planes: int  # planes whose pages stand in one list; 0: all pages do
    lists_per_die: int
    super_page: int
    turn: int

    optional = ("victims(count, force) -> a list",)
    knows_dies = False  # pages of one die can be told from others
    list_of_each = "device"  # or "die" or "plane"

    def bind(self, stripe: Sequence[int], hardware: HardwareConfig, super_page: int) -> None:
        """Receive the planes that consecutive pages, or super pages of so many pages, visit in turn."""
        self.dies = list(dict.fromkeys([plane // hardware.planes_per_die for plane in stripe]))
        self.planes_per_die = hardware.planes_per_die
        self.stripe = stripe
        self.super_page = super_page
        self.list_planes = {"device": 0, "die": self.planes_per_die, "plane": 1}[self.list_of_each]
        self.lists_per_die = self.planes_per_die // max(self.list_planes, 1)
        self.lists = [EntryList() for _ in range(hardware.planes // self.list_planes if self.list_planes else 1)]
        self.turn = 0

    def list_of(self, lpa: int) -> int:
        """Return the number of the list that a logical page stands in, by the plane that it falls to in the stripe."""
        return self.stripe[lpa // self.super_page % len(self.stripe)] // self.list_planes if self.list_planes else 0

    def die_of(self, lpa: int) -> int:
        """Return the die of that plane."""
        return self.stripe[lpa // self.super_page % len(self.stripe)] // self.planes_per_die

    def insert(self, entry: Entry) -> None:
        """Insert a page that has just been written for the first time."""
        entry.entries = self.lists[self.list_of(entry.lpa)]
        entry.entries.append(entry)

    def touch(self, entry: Entry) -> None:
        """Move a page that was written once more: it is now the last to leave its list."""
        entry.entries.remove(entry)
        entry.entries.append(entry)

    def remove(self, entry: Entry) -> None:
        """Forget a page."""
        entry.entries.remove(entry)

    def oldest(self, number: int) -> Entry:
        """Take the page that was written longest ago out of a list and return it."""
        entries: EntryList = self.lists[number]
        entry = entries.head
        entries.remove(entry)
        return entry

    def victims(self, count: int, force: bool) -> list[Entry]:
        """Return the pages to evict now.

        A `count` above 1 asks for as many pages of one die, or none if no die has that many; with `force`, as many as a
        die has. Policies that do not know dies are not asked for more than one.
        """
        return [self.oldest(0)]

    def of_die(self, die: int) -> list[Entry]:
        """Return the pages of a die that are to go next, oldest first, without forgetting them."""
        raise NotImplementedError


class Lru(Replacement):
    """The page that was written longest ago; of no paper, and usual."""


class Epo(Replacement):
    """A list for each die, the least recently written pages of each; the dies take turns.

    The element-level parallelism optimization that SPD's schemes are compared on (SPD, 4.2.1, 5.1 and 5.3, Fig. 5). The
    turn is that of the stripe, so that one eviction after another finds another channel. Where pages leave by the row,
    dies with too few are passed over.
    """

    knows_dies = True
    list_of_each = "die"

    def size_of(self, die: int) -> int:
        """Return how many pages the lists of the die hold."""
        count = 0
        for number in range(die * self.lists_per_die, (die + 1) * self.lists_per_die):
            entries: EntryList = self.lists[number]
            count += entries.length
        return count

    def victims(self, count: int, force: bool) -> list[Entry]:
        """Return pages of the next die that has enough."""
        chosen = -1
        chosen_pages = 0
        for step in range(len(self.dies)):
            place = (self.turn + step) % len(self.dies)
            pages = self.size_of(self.dies[place])
            if pages >= count:
                chosen, chosen_pages = place, count
                break
            if force and pages > chosen_pages:
                chosen, chosen_pages = place, pages
        if chosen < 0:
            return []
        self.turn = (chosen + 1) % len(self.dies)
        return self.take(self.dies[chosen], chosen_pages)

    def take(self, die: int, count: int) -> list[Entry]:
        """Take the oldest page of every list of the die that has one, and more of them where that is not enough."""
        taken: list[Entry] = []
        most = max(count, self.lists_per_die)
        while True:
            for number in range(die * self.lists_per_die, (die + 1) * self.lists_per_die):
                entries: EntryList = self.lists[number]
                if entries.length and len(taken) < most:
                    taken.append(self.oldest(number))
            if len(taken) >= count:
                return taken
            most = count

    def of_die(self, die: int) -> list[Entry]:
        """Return the pages of the die, list by list."""
        pages: list[Entry] = []
        for number in range(die * self.lists_per_die, (die + 1) * self.lists_per_die):
            entries: EntryList = self.lists[number]
            entry: Entry = entries.head
            while entry is not None:
                pages.append(entry)
                entry = entry.next
        return pages


class PlaneLists(Epo):
    """A list for each plane, the least recently written page of every plane of the die.

    Baseline-P of SPD (5.3): pages for different planes of a die leave together.
    """

    list_of_each = "plane"


class PlaneTurns(PlaneLists):
    """A list for each plane, the planes in turn, one page at a time: what leaves together lies in different dies.

    The other reading of Baseline-P, which spreads pages evenly over the planes (SPD, 5.3). Rows leave as above.
    """

    def victims(self, count: int, force: bool) -> list[Entry]:
        """Return the oldest page of the next plane that has one."""
        if count > 1:
            return PlaneLists.victims(self, count, force)
        for step in range(len(self.stripe)):
            place = (self.turn + step) % len(self.stripe)
            entries: EntryList = self.lists[self.stripe[place]]
            if entries.length:
                self.turn = (place + 1) % len(self.stripe)
                return [self.oldest(self.stripe[place])]
        return []
