"""The frontier of PA-SSD: in every plane a block for each page type, so that a write gets the type specified for it."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.block_pools import BlockPools
    from cython.cimports.ssdsim._core.codes import TRANSLATION
    from cython.cimports.ssdsim.ftl.frontier.interface import WriteFrontier
else:
    from ssdsim._core.block_pools import BlockPools
    from ssdsim._core.codes import TRANSLATION
    from ssdsim.ftl.frontier.interface import WriteFrontier


class PageTypeFrontier(WriteFrontier):
    """Pools of candidate blocks and an active block for each page type (PA-SSD, 4.3.1 and Fig. 9).

    A block serves the types one after another. Free blocks are the candidates of the first type, LSB; when all pages
    of its type are handed out, an active block becomes a candidate of the next type, and after the last (MSB) it is
    used up. A type that has no candidate is served by the active block of the type below.

    The host's data and moved data share these blocks, or have their own and use the others' when they run out.

    A block with unused pages can always hand out one of them, in one type or another, so all unused pages of a plane
    are room; the last block's worth of it is the collector's. A block of which no type's pages are being handed out can
    be reclaimed before all of it is programmed, for no workload to be stuck with its dead pages there.

    Pages of the mapping table have a block of their own. Once there are any, the last free block is for what finds no
    other page: either kind of victim then finds room for its valid pages.
    """

    heeds_page_types = True
    borrows = True

    def active_blocks(self, hardware, config):
        """Return the number of page types, twice if the host and the collector have blocks of their own."""
        return hardware.page_types * (1 if config.active_blocks == "shared" else 2)

    def bind(self, blocks, config):
        """Start without active blocks and candidates."""
        WriteFrontier.bind(self, blocks, config)
        self.types = blocks.page_types
        self.owners = 1 if config.active_blocks == "shared" else 2
        self.pools = BlockPools(blocks.planes, blocks.blocks_per_plane, self.owners * self.types)
        self.active = array("q", [-1] * (blocks.planes * self.owners * self.types))
        self.owner = array("b", [0] * blocks.count)
        self.alternates = array("i", [each for wanted in range(self.types) for each in preferences(wanted, self.types)])

    def has_room(self, plane):
        """Return whether more than the collector's block's worth of pages is unused."""
        return self.blocks.free_pages(plane) - self.table_pages(plane) > self.reserved * self.pages_per_block

    def has_room_for_translation(self, plane):
        """Return whether their block or a free one beyond the reserve has a page."""
        return self.has_table_room(plane)

    def free_blocks(self, unit):
        """Return the unused pages in blocks' worth; that of free blocks is low when only LSB pages have run out."""
        return self.free_pages(unit) // self.pages_per_block

    def free_pages(self, unit):
        """Return the pages left for data."""
        return self.pages_for_data(unit)

    def room_for_moves(self, unit):
        """Return the unused pages, less those that a loss of power may cost: one torn, and the restored ones."""
        return self.blocks.free_pages(unit) - self.blocks.page_types

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out a page of `page_type` or, if there is no candidate, of the nearest alternate (pa-BLAlloc, 4.3.2)."""
        if purpose == TRANSLATION:
            return self.allocate_translation(plane, lpa)
        ppa = -1
        if self.has_tables or self.translation_waits:
            ppa = self.allocate_beyond(plane, purpose, lpa, page_type, self.reserved)
        if ppa < 0:
            ppa = self.allocate_beyond(plane, purpose, lpa, page_type, 0)
        if ppa < 0:
            raise SimulationError(f"plane {plane} has no page left to hand out: the reserve was spent.")
        return ppa

    def allocate_beyond(self, plane, purpose, lpa, page_type, kept):
        """Hand out a page as `allocate` does, or return -1 if only the last `kept` free blocks have one."""
        owner = purpose % self.owners
        for _ in range(self.owners):
            for choice in range(self.types):
                given = self.alternates[page_type * self.types + choice]
                block = self.block_for(plane, owner, given, kept)
                if block >= 0:
                    page = self.blocks.candidate(block, given)
                    if page >= 0:
                        ppa = self.blocks.hand_out(block, page, lpa)
                        if self.blocks.unwritten_of(block, given) == 0:
                            self.promote(plane, block, given)
                        return ppa
            owner = 1 - owner
        return -1

    def slot(self, plane, owner, page_type):
        """Return where the active block of a type stands, and the number of its pool of candidates."""
        return (plane * self.owners + owner) * self.types + page_type

    def block_for(self, plane, owner, page_type, kept):
        """Return the block that serves `page_type` for `owner`, activating a candidate if need be, or -1.

        Of free blocks, so many are `kept`.
        """
        slot = self.slot(plane, owner, page_type)
        block = self.active[slot]
        if block < 0:
            block = self.pools.pop(slot)
            if block < 0 and page_type == 0 and self.blocks.free_blocks(plane) > kept:
                block = self.blocks.take_free(plane)
                if block >= 0:
                    self.owner[block] = owner
            self.active[slot] = block
            if block < 0 and page_type and self.borrows:
                return self.block_for(plane, owner, page_type - 1, kept)
        return block

    def promote(self, plane, block, page_type):
        """Make `block`, which was active and has no page of `page_type` left, a candidate of the next type."""
        slot = self.slot(plane, self.owner[block], page_type)
        self.active[slot] = -1
        if page_type + 1 < self.types:
            self.pools.push(slot + 1, block)

    def last_resort(self, plane):
        """Return the candidate block with the most dead pages, if any has some and no program is on its way to it."""
        best = -1
        most = 0
        for pool in range(self.slot(plane, 0, 0), self.slot(plane + 1, 0, 0)):
            block = self.pools.head(pool)
            while block >= 0:
                written = self.blocks.written(block)
                dead = written - self.blocks.valid(block)
                if dead > most and self.blocks.programmed(block) == written:
                    best = block
                    most = dead
                block = self.pools.following(block)
        return best

    def withdraw(self, plane, block):
        """Take `block` out of its pool: that of the first type it has unused pages of."""
        self.pools.remove(self.slot(plane, self.owner[block], self.first_unfinished(block)), block)

    def first_unfinished(self, block):
        """Return the fastest type of which partly written `block` has unused pages: the one that it serves."""
        page_type = 0
        while self.blocks.unwritten_of(block, page_type) == 0:
            page_type += 1
        return page_type

    def open_blocks(self):
        """Return the active blocks, the partly written candidates and the blocks for translation pages."""
        pooled = [block for pool in range(len(self.active)) for block in self.pools.listed(pool)]
        return [block for block in list(self.active) + list(self.tables) if block >= 0] + pooled

    def reopen(self, aligned_blocks):
        """Take over all blocks: the first ones become active, one for each owner and type, and the others candidates.

        A candidate that has LSB pages left serves them before any free block is taken. Of those with translation pages,
        the first of a plane is gone on with.
        """
        left = []
        for block in aligned_blocks:
            if self.holds_translation(block):
                if not self.reopen_table(block):
                    left.append(block)
                continue
            plane = self.blocks.plane_of(block)
            page_type = self.first_unfinished(block)
            owner = 0
            while owner < self.owners and self.active[self.slot(plane, owner, page_type)] >= 0:
                owner += 1
            self.owner[block] = owner % self.owners
            if owner < self.owners:
                self.active[self.slot(plane, owner, page_type)] = block
            else:
                self.pools.push(self.slot(plane, 0, page_type), block)
        return left


def preferences(wanted, types):
    """Return all page types in the order in which they may stand in for `wanted`, itself first (PA-SSD, Fig. 10).

    Faster types come before slower ones, the nearest first: of three types, MSB is the last alternate of the other two
    and CSB the first of MSB.
    """
    return [*range(wanted, -1, -1), *range(wanted + 1, types)]
