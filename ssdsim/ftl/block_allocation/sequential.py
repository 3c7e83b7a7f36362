"""The conventional frontier: each active block is filled in diagonal order, whatever is asked for."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim.ftl.block_allocation.frontier import WriteFrontier
else:
    from ssdsim.ftl.block_allocation.frontier import WriteFrontier


class SequentialFrontier(WriteFrontier):
    """One active block a plane for the host's data and one for moved data, or one that they share.

    The host never takes a plane's last free block. A victim with v valid pages, v at most a block's pages, always finds
    room in the collector's active block and that last one. Where moved data goes to both blocks, being hot or cold,
    either may have to take the other's, and the host waits while the last free block is in use.
    """

    name = "sequential"

    def active_blocks(self, hardware, config):
        """Return 1 if the host and the collector share a block, else 2."""
        return 1 if config.active_blocks == "shared" else 2

    def bind(self, blocks, config):
        """Start without active blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.shared = config.active_blocks == "shared"
        self.mixed = config.active_blocks != "separate"
        self.active = array("q", [-1] * (2 * blocks.planes))

    def has_room(self, plane):
        """Return whether the host's active block, or a free block beyond the reserve, has a page."""
        free = self.blocks.free_blocks(plane)
        if free > self.reserved:
            return True
        return self.active[2 * plane] >= 0 and (not self.mixed or free == self.reserved)

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out the next page of the active block for `purpose`; the type it has is the type it gets."""
        slot = 2 * plane + (0 if self.shared else purpose)
        block = self.active[slot]
        if block < 0:
            block = self.blocks.take_free(plane)
            if block < 0 and self.mixed:
                slot = 4 * plane + 1 - slot  # the other one of the two
                block = self.active[slot]
            if block < 0:
                raise SimulationError(f"plane {plane} has no free block left for moved data: the reserve was spent.")
            self.active[slot] = block
        ppa = self.blocks.append(block, lpa)
        if self.blocks.written(block) == self.pages_per_block:
            self.active[slot] = -1
        return ppa

    def write_point(self, plane, purpose):
        """Return how many pages of the active block have been handed out."""
        block = self.active[2 * plane + (0 if self.shared else purpose)]
        return 0 if block < 0 else self.blocks.written(block)

    def can_take(self, plane, purpose):
        """Return whether there is an active block or a free one."""
        return self.active[2 * plane + (0 if self.shared else purpose)] >= 0 or self.blocks.free_blocks(plane) > 0

    def open_blocks(self):
        """Return the active blocks."""
        return [block for block in self.active if block >= 0]

    def reopen(self, aligned_blocks):
        """Take over the first block of a plane for the host and the second, if they share none, for moved data.

        Without a free block it is the other way round, as collection has to go on first.
        """
        left = []
        for block in aligned_blocks:
            plane = self.blocks.plane_of(block)
            first = 2 * plane + (0 if self.shared or self.blocks.free_blocks(plane) else 1)
            slot = first if self.shared or self.active[first] < 0 else 4 * plane + 1 - first
            if self.active[slot] < 0 and self.is_in_page_order(block):
                self.active[slot] = block
            else:
                left.append(block)
        return left
