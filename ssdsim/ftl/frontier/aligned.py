"""The frontier of TBM and SPD: one write point a die, over blocks at the same offset in all of its planes."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import PURPOSES, TRANSLATION
    from cython.cimports.ssdsim.ftl.frontier.interface import WriteFrontier
else:
    from ssdsim._core.codes import PURPOSES, TRANSLATION
    from ssdsim.ftl.frontier.interface import WriteFrontier


class AlignedFrontier(WriteFrontier):
    """Fills aligned blocks row by row: the same page of every plane, one plane after another, then the next page.

    TBM's block allocation (5.1, Algorithm 1): the aligned blocks being filled are its write-frontier TBU, the row its
    current page index (CPI). The rest of its table (Fig. 5) is kept block by block: of a TBU, the free pages (FPC) are
    those that its blocks have not written, the invalid ones (IPC) those written and not valid, and the erase count (EC)
    that of any of its blocks. Planes of a die take turns whatever plane is asked for, so their write points are never
    more than a page apart; where writes come by the row, as SPD's do, they are equal at every instant.

    The host's data and moved data have aligned blocks of their own, or share them; pages of the mapping table, if any
    are written, have their own. The last free ones are the
    collector's: the valid pages of a victim fit into them, row by row. As in `SequentialFrontier`, hot and cold data
    may have to take each other's blocks.
    """

    aligned = True

    def active_blocks(self, hardware, config):
        """Return 1 if the host and the collector share blocks, else 2."""
        return 1 if config.active_blocks == "shared" else 2

    def bind(self, blocks, config):
        """Start without active blocks."""
        WriteFrontier.bind(self, blocks, config)
        self.shared = config.active_blocks == "shared"
        self.mixed = config.active_blocks != "separate"
        self.span = blocks.span
        self.by_rows = config.write_unit != "page"
        self.rows = array("q", [-1] * (PURPOSES * blocks.units))
        self.places = array("i", [0] * (PURPOSES * blocks.units))

    def has_room(self, plane):
        """Return whether the host's aligned blocks, or free ones beyond the reserve, have a page."""
        unit = plane // self.span
        free = self.blocks.free_blocks(unit)
        if free > self.reserved:
            return True
        return self.rows[PURPOSES * unit] >= 0 and (not self.mixed or free == self.reserved)

    def has_room_for_translation(self, plane):
        """Return whether those rows, which the collector uses too, or free blocks beyond the reserve have a page.

        Where writes come by the row, it has to be a row's worth of pages.
        """
        unit = plane // self.span
        free = self.blocks.free_blocks(unit)
        slot = PURPOSES * unit + TRANSLATION
        if free != self.reserved or self.rows[slot] < 0:
            return free > self.reserved
        rows = self.pages_per_block - self.blocks.written(self.blocks.member(self.rows[slot], self.span - 1))
        return rows * self.span - self.places[slot] >= (self.span if self.by_rows else 1)

    def free_pages(self, unit):
        """Return the pages of free aligned blocks and of the host's."""
        aligned = self.rows[PURPOSES * unit]
        free = self.blocks.free_blocks(unit) * self.span * self.pages_per_block
        if aligned >= 0:
            for place in range(self.span):
                free += self.pages_per_block - self.blocks.written(self.blocks.member(aligned, place))
        return free

    def slot_for(self, plane, purpose):
        """Return where the row for `purpose` in the die of `plane` stands."""
        return PURPOSES * (plane // self.span) + (0 if self.shared and purpose != TRANSLATION else purpose)

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out the next page of the row for `purpose` in the die of `plane`."""
        slot = self.slot_for(plane, purpose)
        aligned = self.rows[slot]
        if aligned < 0:
            aligned = self.blocks.take_free(plane // self.span)
            if aligned < 0 and self.mixed and purpose != TRANSLATION:
                slot = 2 * PURPOSES * (plane // self.span) + 1 - slot  # the other one of the two
                aligned = self.rows[slot]
            if aligned < 0:
                raise SimulationError(
                    f"the die of plane {plane} has no free aligned blocks left: the reserve was spent."
                )
            self.rows[slot] = aligned
        place = self.places[slot]
        block = self.blocks.member(aligned, place)
        ppa = self.blocks.append(block, lpa)
        if place + 1 < self.span:
            self.places[slot] = place + 1
        else:
            self.places[slot] = 0
            if self.blocks.written(block) == self.pages_per_block:
                self.rows[slot] = -1
        return ppa

    def has_room_beside(self, plane, purpose):
        """Return whether there is a row to be begun that leaves the reserve alone."""
        unit = plane // self.span
        free = self.blocks.free_blocks(unit)
        slot = self.slot_for(plane, purpose)
        return free > self.reserved or (free == self.reserved and self.rows[slot] >= 0)

    def place_in_row(self, plane, purpose):
        """Return how many pages of the current row for `purpose` in the die of `plane` have been handed out."""
        return self.places[self.slot_for(plane, purpose)]

    def open_blocks(self):
        """Return the blocks that are partly written, or not written yet in a row begun."""
        members = [self.blocks.member(a, place) for a in self.rows if a >= 0 for place in range(self.span)]
        return [block for block in members if self.blocks.written(block) < self.pages_per_block]

    def reopen(self, aligned_blocks):
        """Take over the first aligned blocks of a die for the host and, if they share none, others for moved data.

        Without free ones it is the other way round, as collection has to go on first.
        """
        left = []
        for aligned in aligned_blocks:
            unit = aligned // self.blocks.blocks_per_plane
            first = PURPOSES * unit + (0 if self.shared or self.blocks.free_blocks(unit) else 1)
            slot = first if self.shared or self.rows[first] < 0 else 2 * PURPOSES * unit + 1 - first
            if self.holds_translation(self.blocks.member(aligned, 0)):
                slot = PURPOSES * unit + TRANSLATION
            place = self.place_reached(aligned)
            if self.rows[slot] < 0 and place >= 0:
                self.rows[slot] = aligned
                self.places[slot] = place
            else:
                left.append(aligned)
        return left

    def place_reached(self, aligned):
        """Return how many pages of their current row aligned blocks hold, or -1 if their pages do not make up rows.

        Pages that were lost on their way may have left a row with a gap. Where the host writes by the row, a row begun
        is one with a gap, too.
        """
        rows = self.blocks.written(self.blocks.member(aligned, self.span - 1))
        begun = 0
        for place in range(self.span):
            block = self.blocks.member(aligned, place)
            beyond = self.blocks.written(block) - rows
            if beyond not in (0, 1) or (beyond and begun < place) or not self.is_in_page_order(block):
                return -1
            begun += beyond
        return -1 if begun and self.by_rows else begun
