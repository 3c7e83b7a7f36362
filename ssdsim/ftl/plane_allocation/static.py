"""The plane follows from the logical page number: the 24 static orders, and the stripes that they lay out."""

from array import array

from ssdsim.errors import ConfigError
from ssdsim.ftl.plane_allocation.interface import PlaneAllocation


def striped_planes(order, channels, chips, dies, planes):
    """Return the planes of the device in the order in which consecutive logical pages visit them.

    `order` names the levels from the fastest to the slowest: in `CWDP` consecutive pages change the channel first,
    then the chip (way), the die and the plane.
    """
    sizes = {"C": channels, "W": chips, "D": dies, "P": planes}
    if sorted(order) != sorted(sizes):
        raise ConfigError(f"ftl.plane_allocation={order}: an order names each of C, W, D and P once, as CWDP does.")
    visited = []
    for position in range(channels * chips * dies * planes):
        at = {}
        for level in order:
            position, at[level] = divmod(position, sizes[level])
        visited.append(((at["C"] * chips + at["W"]) * dies + at["D"]) * planes + at["P"])
    return visited


def stripe(order, hardware, super_page):
    """Return the planes that consecutive logical pages visit, or the first planes of the dies that super pages do."""
    shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip)
    if super_page > 1:
        return [die * hardware.planes_per_die for die in striped_planes(order, *shape, 1)]
    return striped_planes(order, *shape, hardware.planes_per_die)


class StaticPlaneAllocation(PlaneAllocation):
    """The plane follows from the logical page number, by one of the 24 orders of channel, way, die and plane.

    The 24 are those of Jung and Kandemir, HotStorage 2012.

    Pages that are always written together, as super pages of so many, go by the number of their super page.
    """

    keeps_plane = True

    def __init__(self, order="CWDP", super_page=1):
        self.order = order
        self.super_page = super_page

    def bind(self, hardware, frontier):
        """Lay out the stripe over the planes."""
        self.frontier = frontier
        self.stripe = array("q", stripe(self.order, hardware, self.super_page))
        self.planes = len(self.stripe)

    def plane_for(self, lpa):
        """Return the plane at the page's place in the stripe."""
        return self.stripe[lpa // self.super_page % self.planes]

    def cycle(self):
        """Return the stripe, or None for a subclass, which may have a rule of its own."""
        return list(self.stripe) if type(self) is StaticPlaneAllocation else None
