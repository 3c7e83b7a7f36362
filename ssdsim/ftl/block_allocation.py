"""Which block and page of a plane the next write goes to."""

from array import array

from ssdsim.errors import SimulationError

RESERVED_BLOCKS = 1
"""Free blocks of a plane that only the garbage collector may take: a victim's valid pages fit into one."""


class WriteFrontier:
    """One active block a plane for the host's data and one for moved data, or one that they share.

    The host never takes a plane's last free block. A victim with v valid pages, v at most a block's pages, always finds
    room in the collector's active block and that last one, so collection can never be stuck for lack of space.
    """

    def __init__(self, blocks, shared):
        self.blocks = blocks
        self.pages_per_block = blocks.pages_per_block
        self.shared = shared
        self.active = array("q", [-1] * (2 * blocks.planes))

    def slot(self, plane, purpose):
        """Return where in `active` the block for `purpose` stands."""
        return 2 * plane + (0 if self.shared else purpose)

    def has_room(self, plane):
        """Return whether a page of the host's can be written to `plane` now."""
        free = self.blocks.free_blocks(plane)
        if free > RESERVED_BLOCKS:
            return True
        return self.active[2 * plane] >= 0 and (not self.shared or free == RESERVED_BLOCKS)

    def allocate(self, plane, purpose, lpa):
        """Hand out the next page of `plane` for the data of `lpa` and return its PPA.

        The host asks only where it `has_room`.
        """
        slot = self.slot(plane, purpose)
        block = self.active[slot]
        if block < 0:
            block = self.blocks.take_free(plane)
            if block < 0:
                raise SimulationError(f"plane {plane} has no free block left for moved data: the reserve was spent.")
            self.active[slot] = block
        ppa = self.blocks.append(block, lpa)
        if self.blocks.written(block) == self.pages_per_block:
            self.active[slot] = -1
        return ppa

    def open_blocks(self):
        """Return the blocks that are being filled."""
        return [block for block in self.active if block >= 0]
