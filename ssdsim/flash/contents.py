"""What each page holds, so that every read can be held against the last write that was acknowledged."""

from array import array

from ssdsim.errors import SimulationError


class Contents:
    """The version of the data in each physical page, and the newest acknowledged version of each logical page.

    Every page write and trim of the host's is given the next version number when it is admitted. A logical page that is
    mapped nowhere reads as the version of the trim that unmapped it, 0 if it was never written.
    """

    def __init__(self, physical_pages, logical_pages, pages_per_block):
        self.pages_per_block = pages_per_block
        self.held = array("q", bytes(8 * physical_pages))
        self.unmapped = array("q", bytes(8 * logical_pages))
        self.acknowledged = array("q", bytes(8 * logical_pages))

    def put(self, ppa, version):
        """Take note that page `ppa` is given the data of `version`."""
        self.held[ppa] = version

    def get(self, ppa):
        """Return the version that page `ppa` holds, 0 if it was erased since."""
        return self.held[ppa]

    def erased(self, block):
        """Take note that `block` holds nothing any more."""
        first = block * self.pages_per_block
        for ppa in range(first, first + self.pages_per_block):
            self.held[ppa] = 0

    def unmap(self, lpa, version):
        """Take note that `lpa` was trimmed by `version`."""
        self.unmapped[lpa] = version

    def acknowledge(self, lpa, version):
        """Take note that the host was told that `version` of `lpa` is written."""
        if version > self.acknowledged[lpa]:
            self.acknowledged[lpa] = version

    def expected(self, lpa):
        """Return the version that a read of `lpa` admitted now must not fall short of."""
        return self.acknowledged[lpa]

    def of_unmapped(self, lpa):
        """Return the version that `lpa` reads as while it is mapped nowhere."""
        return self.unmapped[lpa]

    def verify(self, lpa, found, expected):
        """Raise `SimulationError` if a read returned older data than had been acknowledged when it was admitted."""
        if found < expected:
            raise SimulationError(
                f"integrity: a read of logical page {lpa} returned version {found}, but version {expected} had been "
                "acknowledged before the read was admitted."
            )
