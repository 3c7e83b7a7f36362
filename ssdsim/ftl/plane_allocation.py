"""Which plane a logical page is written to."""

from array import array

from ssdsim.errors import ConfigError


class PlaneAllocation:
    """Chooses the plane of each write.

    `plane_for` is called once a page written and is cheap. It returns a plane, or -1 to say that no plane has room
    just now and that the write may go to whichever has room first. `keeps_plane` says that a logical page always goes
    to the same plane.
    """

    keeps_plane = False

    def bind(self, hardware, frontier):
        """Receive the geometry and the write frontier, once, before the run."""
        self.frontier = frontier
        self.planes = hardware.planes

    def plane_for(self, lpa):
        """Return the plane that the data of `lpa` is to be written to, or -1."""
        raise NotImplementedError


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


class StaticPlaneAllocation(PlaneAllocation):
    """The plane follows from the logical page number, by one of the 24 orders of channel, way, die and plane."""

    keeps_plane = True

    def __init__(self, order="CWDP"):
        self.order = order

    def bind(self, hardware, frontier):
        """Lay out the stripe over the planes."""
        self.frontier = frontier
        self.planes = hardware.planes
        shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip, hardware.planes_per_die)
        self.stripe = array("q", striped_planes(self.order, *shape))

    def plane_for(self, lpa):
        """Return the plane at the page's place in the stripe."""
        return self.stripe[lpa % self.planes]


class RoundRobinPlaneAllocation(PlaneAllocation):
    """Each write goes to the next plane that has room, channel first, then way, die and plane."""

    name = "round_robin"

    def bind(self, hardware, frontier):
        """Lay out the order of the planes."""
        self.frontier = frontier
        self.planes = hardware.planes
        shape = (hardware.channels, hardware.chips_per_channel, hardware.dies_per_chip, hardware.planes_per_die)
        self.stripe = array("q", striped_planes("CWDP", *shape))
        self.last = -1

    def plane_for(self, lpa):
        """Return the next plane with room, or -1 if none has any."""
        for _ in range(self.planes):
            self.last = (self.last + 1) % self.planes
            plane = self.stripe[self.last]
            if self.frontier.has_room(plane):
                return plane
        return -1
