"""The frontier of rtfFTL: several active blocks a plane, so that the next page of one of them may be a fast one."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import HOST_DATA, TRANSLATION
    from cython.cimports.ssdsim.ftl.frontier.interface import WriteFrontier
else:
    from ssdsim._core.codes import HOST_DATA, TRANSLATION
    from ssdsim.ftl.frontier.interface import WriteFrontier


class ReturnToFastFrontier(WriteFrontier):
    """Return to fast (Grupp et al., as flexFTL has it in 4.1 and 5): up to `ftl.return_to_fast_blocks` active blocks.

    Each of them is filled in diagonal order. A write is given a page of the block whose next page is of the type asked
    for. If there is none, an LSB page is that of a new active block while there may be more; anything else, and an LSB
    page when there may not, is the next page of any block, whatever its type. Of several blocks it is always the one
    that has been active for longest.

    The host's data and moved data share the blocks, whatever `ftl.active_blocks` says: in idle times collection takes
    the slow pages that come next, and the blocks return to fast ones. All unused pages of a plane are room; the last
    block's worth of it is the collector's, and the host opens no last free block. Pages of the mapping table have a
    block of their own; once there are any, moved data takes the last free block only if it finds no other page.
    """

    heeds_page_types = True

    def active_blocks(self, hardware, config):
        """Return how many there may be."""
        return config.return_to_fast_blocks

    def bind(self, blocks, config):
        """Start without active blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.most = config.return_to_fast_blocks
        self.active = array("q", [-1] * (blocks.planes * self.most))

    def has_room(self, plane):
        """Return whether more than the collector's block's worth of pages is unused."""
        return self.blocks.free_pages(plane) - self.table_pages(plane) > self.reserved * self.pages_per_block

    def has_room_for_translation(self, plane):
        """Return whether their block or a free one beyond the reserve has a page."""
        return self.has_table_room(plane)

    def free_pages(self, unit):
        """Return the pages left for data."""
        return self.pages_for_data(unit)

    def room_for_moves(self, unit):
        """Return the unused pages, less those that a loss of power may cost: one torn, and the restored ones."""
        return self.blocks.free_pages(unit) - self.blocks.page_types

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out a page of `page_type` if one comes next or a new block may give it, else of any type."""
        if purpose == TRANSLATION:
            return self.allocate_translation(plane, lpa)
        keeps = purpose == HOST_DATA or self.has_tables or self.translation_waits
        slot = self.slot_for(plane, page_type, keeps)
        block = self.active[slot]
        ppa = self.blocks.append(block, lpa)
        if self.blocks.written(block) == self.pages_per_block:
            self.retire(plane, slot)
        return ppa

    def slot_for(self, plane, page_type, leaves_reserve):
        """Return where the block that gives a page of `page_type` stands, a new one if need be."""
        first = plane * self.most
        count = 0
        while count < self.most and self.active[first + count] >= 0:
            if self.blocks.order.type_of(self.blocks.written(self.active[first + count])) == page_type:
                return first + count
            count += 1
        wanted = page_type == 0 and self.blocks.free_blocks(plane) > (self.reserved if leaves_reserve else 0)
        if count == 0 or (wanted and count < self.most):
            self.active[first + count] = self.blocks.take_free(plane)
            if self.active[first + count] < 0:
                raise SimulationError(f"plane {plane} has no page left to hand out: the reserve was spent.")
            return first + count
        return first

    def retire(self, plane, slot):
        """Close the gap that a full block leaves: blocks stand in the order in which they became active."""
        last = (plane + 1) * self.most - 1
        while slot < last:
            self.active[slot] = self.active[slot + 1]
            slot += 1
        self.active[last] = -1

    def open_blocks(self):
        """Return the active blocks and those for translation pages."""
        return [block for block in list(self.active) + list(self.tables) if block >= 0]

    def reopen(self, aligned_blocks):
        """Take over as many blocks of each plane as may be active, and one with translation pages."""
        left = []
        for block in aligned_blocks:
            if self.holds_translation(block):
                if not self.reopen_table(block):
                    left.append(block)
                continue
            slot = self.blocks.plane_of(block) * self.most
            end = slot + self.most
            while slot < end and self.active[slot] >= 0:
                slot += 1
            if slot < end and self.is_in_page_order(block):
                self.active[slot] = block
            else:
                left.append(block)
        return left
