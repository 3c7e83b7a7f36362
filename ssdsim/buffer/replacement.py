# cython: infer_types=True
"""Which dirty pages leave the write buffer first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ssdsim._core.calls import cfunc
from ssdsim.buffer.entry import Entry, EntryList
from ssdsim.device_view import Policy

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


class Replacement(Policy):
    """Keeps the dirty pages of the buffer in the order in which they are to be evicted.

    `victims` is called when the buffer needs room and holds dirty pages; it returns one or more of them, to be evicted
    together, and forgets them. `lists` are `EntryList`s in the order of the last write. `knows_dies` says that pages of
    one die can be told from others.
    """

    lists: list[EntryList]
    dies: list[int]  # in the order in which consecutive pages visit them
    stripe: Sequence[int]
    planes_per_die: int
    super_page: int
    turn: int

    optional = ("victims(count, force) -> a list",)
    knows_dies = False

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, stripe: Sequence[int], hardware: HardwareConfig, super_page: int) -> None:
        """Receive the planes that consecutive pages, or super pages of so many pages, visit in turn."""
        self.dies = list(dict.fromkeys([plane // hardware.planes_per_die for plane in stripe]))
        self.planes_per_die = hardware.planes_per_die
        self.stripe = stripe
        self.super_page = super_page
        self.lists = [EntryList() for _ in range(self.lists_for(hardware.planes, hardware.planes_per_die))]
        self.turn = 0

    def lists_for(self, planes: int, planes_per_die: int) -> int:
        """Return how many lists the policy keeps."""
        return 1

    def list_of(self, lpa: int) -> int:
        """Return the number of the list that a logical page stands in."""
        return 0

    def plane_of(self, lpa: int) -> int:
        """Return the plane that the page's place in the stripe falls to."""
        return self.stripe[lpa // self.super_page % len(self.stripe)]

    def die_of(self, lpa: int) -> int:
        """Return the die of that plane."""
        return self.plane_of(lpa) // self.planes_per_die

    def insert(self, entry: Entry) -> None:
        """Insert a page that has just been written for the first time."""
        entries: EntryList = self.lists[self.list_of(entry.lpa)]
        entries.append(entry)

    def touch(self, entry: Entry) -> None:
        """Move a page that was written once more: it is now the last to leave its list."""
        entries: EntryList = self.lists[self.list_of(entry.lpa)]
        entries.remove(entry)
        entries.append(entry)

    def remove(self, entry: Entry) -> None:
        """Forget a page."""
        entries: EntryList = self.lists[self.list_of(entry.lpa)]
        entries.remove(entry)

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


class ByDie(Replacement):
    """The base of policies that take the dies in turn; where pages leave by the row, dies with too few are passed over.

    SPD, 4.2.1 and Fig. 5. The turn is that of the stripe, so that one eviction after another finds another channel.
    `size_of` and `take` are a policy's own.
    """

    owed = ("size_of(die) -> a whole number", "take(die, count) -> a list", "of_die(die) -> a list")
    knows_dies = True

    def victims(self, count: int, force: bool) -> list[Entry]:
        """Return the pages of the next die that has enough, as `take` gives them."""
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

    def size_of(self, die: int) -> int:
        """Return how many pages of `die` there are."""
        raise NotImplementedError

    def take(self, die: int, count: int) -> list[Entry]:
        """Take at least `count` pages of `die` out of its lists and return them."""
        raise NotImplementedError


class Epo(ByDie):
    """A list for each die, the least recently written pages of each.

    The element-level parallelism optimization that SPD's schemes are compared on (SPD, 5.1 and 5.3).
    """

    def lists_for(self, planes: int, planes_per_die: int) -> int:
        """Return the number of dies."""
        return planes // planes_per_die

    def list_of(self, lpa: int) -> int:
        """Return the die of the page."""
        return self.die_of(lpa)

    def size_of(self, die: int) -> int:
        """Return the length of the die's list."""
        entries: EntryList = self.lists[die]
        return entries.length

    def take(self, die: int, count: int) -> list[Entry]:
        """Take the oldest pages."""
        return [self.oldest(die) for _ in range(count)]

    def of_die(self, die: int) -> list[Entry]:
        """Return the pages of the die's list."""
        entries: EntryList = self.lists[die]
        return entries.listed()


class PlaneLists(ByDie):
    """A list for each plane, the least recently written page of every plane of the die.

    Baseline-P of SPD (5.3): pages for different planes of a die leave together.
    """

    def lists_for(self, planes: int, planes_per_die: int) -> int:
        """Return the number of planes."""
        return planes

    def list_of(self, lpa: int) -> int:
        """Return the plane of the page."""
        return self.plane_of(lpa)

    @cfunc
    def lists_of(self, die: int) -> list[int]:
        """Return the numbers of the lists of a die that hold pages."""
        found: list[int] = []
        for plane in range(die * self.planes_per_die, (die + 1) * self.planes_per_die):
            entries: EntryList = self.lists[plane]
            if entries.length:
                found.append(plane)
        return found

    def size_of(self, die: int) -> int:
        """Return how many pages the lists of the die hold."""
        count = 0
        for plane in range(die * self.planes_per_die, (die + 1) * self.planes_per_die):
            entries: EntryList = self.lists[plane]
            count += entries.length
        return count

    def take(self, die: int, count: int) -> list[Entry]:
        """Take the oldest page of every plane, and more of them where that is not enough."""
        found: list[Entry] = [self.oldest(plane) for plane in self.lists_of(die)]
        while len(found) < count:
            found += [self.oldest(plane) for plane in self.lists_of(die)[: count - len(found)]]
        return found

    def of_die(self, die: int) -> list[Entry]:
        """Return the pages of all planes of the die, plane by plane."""
        found: list[Entry] = []
        plane: int
        for plane in self.lists_of(die):
            entries: EntryList = self.lists[plane]
            found += entries.listed()
        return found


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
