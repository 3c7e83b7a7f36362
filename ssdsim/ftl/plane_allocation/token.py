"""PCFTL's token: updates stay in the plane of what they replace."""

from array import array

from ssdsim.ftl.plane_allocation.interface import PlaneAllocation


class TokenPlaneAllocation(PlaneAllocation):
    """New data goes to the planes in turn, updates to the plane of the data that they replace (PCFTL, 3.1 and Fig. 3).

    The plane of new data is the token modulo the planes, and each new page takes the token on. A plane where as many
    logical pages lie as fall to each is passed over, as it might have no space for one more: trims of pages in others
    bring that about, and trims that a loss of power undoes. Pages must stay in their plane when they are moved.
    """

    keeps_plane = True

    def bind(self, hardware, frontier):
        """Start with token 0."""
        PlaneAllocation.bind(self, hardware, frontier)
        self.share = hardware.logical_pages_per_plane
        self.token = 0
        self.pages = array("q", [0] * self.planes)
        self.counted = False

    def bind_mapping(self, mapping, blocks):
        """Receive the mapping, which tells where the data of a logical page lies, and the blocks."""
        self.mapping = mapping
        self.blocks = blocks

    def plane_for(self, lpa):
        """Return the plane of the page's old data, or the next one for new data."""
        if not self.counted:
            self.count()
        ppa = self.mapping.lookup(lpa)
        if ppa >= 0:
            return self.blocks.plane_of(self.blocks.block_of(ppa))
        for _ in range(self.planes):
            plane = self.token % self.planes
            self.token += 1
            if self.pages[plane] < self.share:
                self.pages[plane] += 1
                return plane
        return -1

    def count(self):
        """Count the logical pages that lie in each plane: those that the device was filled with, or has kept."""
        for plane in range(self.planes):
            self.pages[plane] = 0
        for lpa in range(self.share * self.planes):
            ppa = self.mapping.lookup(lpa)
            if ppa >= 0:
                self.pages[self.blocks.plane_of(self.blocks.block_of(ppa))] += 1
        self.counted = True

    def trimmed(self, ppa):
        """Let the plane of `ppa` take one page more."""
        if self.counted:
            self.pages[self.blocks.plane_of(self.blocks.block_of(ppa))] -= 1

    def filled(self):
        """Count anew at the next write."""
        self.counted = False
