"""Which dirty pages leave the write buffer first."""

from collections import OrderedDict


class Replacement:
    """Keeps the dirty pages of the buffer in the order in which they are to be evicted.

    `victims` is called when the buffer needs room and holds dirty pages; it returns one or more of them, to be evicted
    together, and forgets them. `lists` are entries by LPA, in the order of their last write.
    """

    def __init__(self):
        """Take no options; without this a compiled class would take and ignore any."""

    def bind(self, stripe, planes_per_die):
        """Receive the planes in the order in which consecutive logical pages visit them."""
        self.lists = [OrderedDict() for _ in range(self.lists_for(len(stripe), planes_per_die))]
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
        self.lists[self.list_of(entry.lpa)][entry.lpa] = entry

    def touch(self, entry):
        """Take note that a page was written once more: it is now the last to leave its list."""
        self.lists[self.list_of(entry.lpa)].move_to_end(entry.lpa)

    def remove(self, entry):
        """Forget a page."""
        del self.lists[self.list_of(entry.lpa)][entry.lpa]

    def oldest(self, number):
        """Take the page that was written longest ago out of a list and return it."""
        return self.lists[number].popitem(last=False)[1]

    def victims(self):
        """Return the pages to evict now."""
        return [self.oldest(0)]


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
        while not self.lists[self.turn]:
            self.turn = (self.turn + 1) % len(self.lists)
        die = self.turn
        self.turn = (die + 1) % len(self.lists)
        return [self.oldest(die)]


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
            planes = range(self.turn * self.planes_per_die, (self.turn + 1) * self.planes_per_die)
            found = [self.oldest(plane) for plane in planes if self.lists[plane]]
            self.turn = (self.turn + 1) % dies
        return found
