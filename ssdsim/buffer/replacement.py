"""Which dirty pages leave the write buffer first."""

import cython

if cython.compiled:
    from cython.cimports.ssdsim.buffer.entry import EntryList
else:
    from ssdsim.buffer.entry import EntryList


class Replacement:
    """Keeps the dirty pages of the buffer in the order in which they are to be evicted.

    `victims` is called when the buffer needs room and holds dirty pages; it returns one or more of them, to be evicted
    together, and forgets them.
    """

    def __init__(self):
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, stripe, planes_per_die):
        """Receive the planes in the order in which consecutive logical pages visit them."""
        self.lists = [EntryList() for _ in range(self.lists_for(len(stripe), planes_per_die))]
        self.stripe = stripe
        self.planes_per_die = planes_per_die
        self.turn = 0

    def lists_for(self, planes, planes_per_die):
        """Return how many lists the policy keeps."""
        return 1

    def list_of(self, lpa):
        """Return the number of the list that a logical page stands in."""
        return 0

    def insert(self, entry):
        """Take note of a page that has just been written for the first time."""
        self.lists[self.list_of(entry.lpa)].append(entry)

    def touch(self, entry):
        """Take note that a page was written once more: it is now the last to leave its list."""
        line: EntryList = self.lists[self.list_of(entry.lpa)]
        line.remove(entry)
        line.append(entry)

    def remove(self, entry):
        """Forget a page."""
        self.lists[self.list_of(entry.lpa)].remove(entry)

    def victims(self):
        """Return the pages to evict now."""
        entry = self.lists[0].head
        self.remove(entry)
        return [entry]


class Lru(Replacement):
    """The page that was written longest ago."""

    name = "lru"


class Epo(Replacement):
    """A list for each die, the dies in turn, the least recently written page of each.

    The element-level parallelism optimization that SPD's schemes are compared on (SPD, 5.1 and 5.3).
    """

    name = "epo"

    def lists_for(self, planes, planes_per_die):
        """Return the number of dies."""
        return planes // planes_per_die

    def list_of(self, lpa):
        """Return the die that the page's place in the stripe falls to."""
        return self.stripe[lpa % len(self.stripe)] // self.planes_per_die

    def victims(self):
        """Return the oldest page of the next die that has one."""
        while self.lists[self.turn].head is None:
            self.turn = (self.turn + 1) % len(self.lists)
        entry = self.lists[self.turn].head
        self.turn = (self.turn + 1) % len(self.lists)
        self.remove(entry)
        return [entry]


class PlaneLists(Replacement):
    """A list for each plane, the dies in turn, the least recently written page of every plane of the die.

    Baseline-P of SPD (5.3): pages for different planes of a die leave together.
    """

    name = "plane_lists"

    def lists_for(self, planes, planes_per_die):
        """Return the number of planes."""
        return planes

    def list_of(self, lpa):
        """Return the plane that the page's place in the stripe falls to."""
        return self.stripe[lpa % len(self.stripe)]

    def victims(self):
        """Return the oldest page of each plane of the next die that has any."""
        dies = len(self.lists) // self.planes_per_die
        found = []
        while not found:
            planes = self.lists[self.turn * self.planes_per_die : (self.turn + 1) * self.planes_per_die]
            found = [line.head for line in planes if line.head is not None]
            self.turn = (self.turn + 1) % dies
        for entry in found:
            self.remove(entry)
        return found
