"""Pages move to the block that is being filled in their chip (conventional collection)."""

from cython.cimports.ssdsim.ftl.reclaim.moves.single import SingleMoves


class ChipMoves(SingleMoves):
    """Every page moves on its own to the chip's active block, which mostly lies in another plane (PCFTL, 3.3).

    Where no plane of the chip has room but its reserve, one of the next chip that has takes the page, and if there is
    none, its own plane, where a victim always fits (`RESERVED_BLOCKS`). So do pages of the mapping table, each plane of
    which has its share.
    """

    role = "points"

    def __init__(self, planes_per_chip):
        SingleMoves.__init__(self)
        self.planes_per_chip = planes_per_chip

    def arrived(self, collection, page):
        """Place a page."""
        kind = self.port.kind_of(page)
        self.port.place(collection, page, self.plane_for(page.plane, kind), kind)

    def plane_for(self, plane, kind):
        """Return where a page of `plane` goes."""
        frontier = self.port.frontier
        if kind == frontier.kinds:
            return plane
        planes = self.port.blocks.planes
        first = plane // self.planes_per_chip * self.planes_per_chip
        for beyond in range(0, planes, self.planes_per_chip):
            found = frontier.points.filled_next((first + beyond) % planes, self.planes_per_chip, kind)
            if found >= 0:
                return found
        return plane

    def move_now(self, collection, plane, ppa):
        """Move a page of `plane` where no time passes, and return its new PPA."""
        write = self.port.as_write(ppa)
        kind = self.port.kind_of(write)
        return self.port.move(write, self.plane_for(plane, kind), kind)
