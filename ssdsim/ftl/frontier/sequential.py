"""The conventional frontier: each active block is filled in diagonal order, whatever is asked for."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import MOVED_DATA, PURPOSES, TRANSLATION
    from cython.cimports.ssdsim.ftl.frontier.interface import WriteFrontier
else:
    from ssdsim._core.codes import MOVED_DATA, PURPOSES, TRANSLATION
    from ssdsim.ftl.frontier.interface import WriteFrontier


class SequentialFrontier(WriteFrontier):
    """One active block a plane for the host's data and one for moved data, or one that they share.

    Pages of the mapping table have one of their own, from when the first of them is written.

    The host never takes a plane's last free block. A victim with v valid pages, v at most a block's pages, always finds
    room in the collector's active block and that last one. Where moved data goes to both blocks, being hot or cold,
    either may have to take the other's, and the host waits while the last free block is in use.
    """

    def active_blocks(self, hardware, config):
        """Return 1 if the host and the collector share a block, else 2."""
        return 1 if config.active_blocks == "shared" else 2

    def bind(self, blocks, config):
        """Start without active blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.shared = config.active_blocks == "shared"
        self.mixed = config.active_blocks != "separate"
        self.active = array("q", [-1] * (PURPOSES * blocks.planes))

    def has_room(self, plane):
        """Return whether the host's active block, or a free block beyond the reserve, has a page."""
        free = self.blocks.free_blocks(plane)
        if free > self.reserved:
            return True
        return self.active[PURPOSES * plane] >= 0 and (not self.mixed or free == self.reserved)

    def has_room_for_translation(self, plane):
        """Return whether their block, which the collector uses too, or a free one beyond the reserve has a page."""
        free = self.blocks.free_blocks(plane)
        return free > self.reserved or (free == self.reserved and self.active[PURPOSES * plane + TRANSLATION] >= 0)

    def free_pages(self, unit):
        """Return the pages of free blocks and of the host's active one."""
        block = self.active[PURPOSES * unit]
        left = 0 if block < 0 else self.pages_per_block - self.blocks.written(block)
        return self.blocks.free_blocks(unit) * self.pages_per_block + left

    def slot_for(self, plane, purpose):
        """Return where the active block for `purpose` stands."""
        return PURPOSES * plane + (0 if self.shared and purpose != TRANSLATION else purpose)

    def open_slot(self, plane, purpose):
        """Return where the active block for `purpose`, or one that has to stand in, stands; it is one by then."""
        slot = self.slot_for(plane, purpose)
        if self.active[slot] < 0:
            block = self.blocks.take_free(plane)
            if block >= 0:
                self.active[slot] = block
                return slot
            if self.mixed and purpose != TRANSLATION:
                slot = 2 * PURPOSES * plane + 1 - slot  # the other one of the two
            if self.active[slot] < 0:
                raise SimulationError(f"plane {plane} has no free block left for moved data: the reserve was spent.")
        return slot

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out the next page of the active block for `purpose`; the type it has is the type it gets."""
        slot = self.open_slot(plane, purpose)
        ppa = self.blocks.append(self.active[slot], lpa)
        self.close_if_used_up(slot)
        return ppa

    def close_if_used_up(self, slot):
        """Forget the block at `slot` if all of its pages have been handed out."""
        if self.blocks.written(self.active[slot]) == self.pages_per_block:
            self.active[slot] = -1

    def allocate_copy(self, plane, purpose, lpa, page):
        """Hand out the next page of the parity of `page` and count what is passed over.

        As the pages of a victim come in ascending order, they always fit into one block: in a fresh one none of them is
        given a page beyond its own.
        """
        slot = self.open_slot(plane, purpose)
        while (self.blocks.written(self.active[slot]) ^ page) & 1:
            self.blocks.skip(self.active[slot])
            self.blocks.wasted_for_parity += 1
            self.close_if_used_up(slot)
            slot = self.open_slot(plane, purpose)
        ppa = self.blocks.append(self.active[slot], lpa)
        self.close_if_used_up(slot)
        return ppa

    def room_for_moves(self, unit):
        """Return the pages of free blocks and of those that moved data goes to."""
        room = self.blocks.free_blocks(unit) * self.pages_per_block
        for purpose in range(TRANSLATION):
            block = self.active[PURPOSES * unit + purpose]
            if block >= 0 and (self.mixed or purpose == MOVED_DATA):
                room += self.pages_per_block - self.blocks.written(block)
        return room

    def write_point(self, plane, purpose):
        """Return how many pages of the active block have been handed out."""
        block = self.active[self.slot_for(plane, purpose)]
        return 0 if block < 0 else self.blocks.written(block)

    def has_room_beside(self, plane, purpose):
        """Return whether there is an active block, with the reserve still free, or a free one beyond it."""
        free = self.blocks.free_blocks(plane)
        return free > self.reserved or (free == self.reserved and self.active[self.slot_for(plane, purpose)] >= 0)

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
            first = PURPOSES * plane + (0 if self.shared or self.blocks.free_blocks(plane) else 1)
            slot = first if self.shared or self.active[first] < 0 else 2 * PURPOSES * plane + 1 - first
            if self.holds_translation(block):
                slot = PURPOSES * plane + TRANSLATION
            if self.active[slot] < 0 and self.is_in_page_order(block):
                self.active[slot] = block
            else:
                left.append(block)
        return left
