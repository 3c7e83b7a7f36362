"""One active block a chip: what a conventional translation layer has (PCFTL, 3.3)."""

from ssdsim.ftl.plane_allocation.interface import PlaneAllocation


class ChipPlaneAllocation(PlaneAllocation):
    """The chip follows from the logical page number; all its writes go to one block until that is full.

    So PCFTL has it of DFTL (3.3).

    Consecutive pages change the channel first, then the chip. The next block is of the plane of the chip with the most
    free ones: the paper says that the pool is an array of blocks scattered across planes, not which comes next. A page
    whose chip has no room goes to the next that has. While a device is filled, or where write points are not those of a
    plane, a chip's planes take what they have room for, one after another.
    """

    def bind(self, hardware, frontier):
        """Lay out the chips."""
        PlaneAllocation.bind(self, hardware, frontier)
        self.channels = hardware.channels
        self.chips_per_channel = hardware.chips_per_channel
        self.chips = self.channels * self.chips_per_channel
        self.planes_per_chip = self.planes // self.chips

    def plane_for(self, lpa):
        """Return the plane of the active block of the page's chip, or of another with room, or -1."""
        chip = lpa % self.channels * self.chips_per_channel + lpa // self.channels % self.chips_per_channel
        for beyond in range(self.chips):
            plane = self.plane_in((chip + beyond) % self.chips)
            if plane >= 0:
                return plane
        return -1

    def plane_in(self, chip):
        """Return the plane of `chip` that is being filled, or -1 if none has room."""
        first = chip * self.planes_per_chip
        if self.frontier.points is not None:
            found = self.frontier.points.filled_next(first, self.planes_per_chip, self.frontier.hosts[0])
            if found >= 0 and self.frontier.has_room(found):
                return found
        for plane in range(first, first + self.planes_per_chip):
            if self.frontier.has_room(plane):
                return plane
        return -1
