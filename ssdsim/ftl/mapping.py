"""Where each logical page lies: the mapping schemes."""

import cython

if not cython.compiled:
    from ssdsim._core.table import IndexTable


class PageMapping:
    """A table with the physical page of every logical one, wholly in controller memory."""

    def __init__(self, logical_pages, physical_pages):
        self.table = IndexTable(logical_pages, physical_pages)
        self.logical_pages = logical_pages

    def lookup(self, lpa):
        """Return the PPA of `lpa`, or -1 if it holds nothing."""
        return self.table.get(lpa)

    def expect(self, lpa):
        """Be told that `lpa` will be asked for soon; changes nothing but the time that takes."""
        self.table.prefetch(lpa)

    def update(self, lpa, ppa):
        """Map `lpa` to `ppa`, or to nothing if that is -1, and return where it was mapped before."""
        return self.table.swap(lpa, ppa)
