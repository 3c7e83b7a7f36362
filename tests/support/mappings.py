"""Mappings of one's own for tests: one whose map lies in flash whole, and two that never guess right."""

from collections import OrderedDict

from ssdsim.policies import Mapping

ENTRIES = 4
"""Logical pages of a page of the map."""


class MapInFlash(Mapping):
    """Reads the page of the map before each access; after each, writes one of those that have changed."""

    def __init__(self):
        self.changed = OrderedDict()

    def table_pages(self):
        return -(-self.device.hardware.logical_pages // ENTRIES)

    def pages_first(self, lpa, ppa, changes):
        place = self.table.get(self.device.hardware.logical_pages + lpa // ENTRIES)
        return [] if place < 0 else [place]

    def update(self, lpa, ppa):
        self.changed[lpa // ENTRIES] = True

    def pages_to_write(self):
        return [self.changed.popitem(last=False)[0]] if self.changed else []

    def restored(self):
        self.changed = OrderedDict.fromkeys(range(self.table_pages()), True)


class WrongByOne(Mapping):
    """Takes each page for the one before it, but for the first page of a plane."""

    asked = 0

    def pages_first(self, lpa, ppa, changes):
        self.asked += 1
        return [ppa - 1] if ppa > 0 and not changes else []

    def update(self, lpa, ppa):
        pass

    def memory_bytes(self):
        return 7

    def counts(self):
        return {"asked": self.asked}


class Anywhere(Mapping):
    """Guesses the pages of the device one after another, before each access eight of them."""

    asked = 0

    def pages_first(self, lpa, ppa, changes):
        pages = self.device.hardware.planes * self.device.hardware.pages_per_plane
        self.asked += 8
        return [page % pages for page in range(self.asked - 8, self.asked)]

    def update(self, lpa, ppa):
        pass
