"""What every write frontier owes the translation layer and the garbage collector."""

from array import array

from ssdsim.errors import SimulationError

RESERVED_BLOCKS = 1
"""Blocks' worth of room in a unit that only the garbage collector may use: a victim's valid pages fit into one.

Where blocks are filled page by page or row by row, the last free one is never spent. No collection begins without it,
as the host takes none but those beyond. The collector takes it for pages of its victim alone, as many as fit: rows may
have gaps elsewhere, and pages of other planes or of the host's may go elsewhere, not there. The victim's erase gives it
back. If power fails before, the victim is whole, as all of it waits until none of it can be needed
(`Blocks.may_erase`), so that the reserve holds nothing but copies and is erased; or the erase has begun, and is
finished (`rebuild`). So every unit has it after a reboot, too, however often power fails.

Where all unused pages are room, a block's worth of them is the reserve. Each loss of power may tear some, and a victim
has to fit into what is left (`WriteFrontier.room_for_moves`).
"""

NO_TRANSLATION = 1 << 62
"""Stands for the number of the first translation page where there is none."""


class WriteFrontier:
    """Hands out the pages that data is written to, and knows the blocks that are partly written.

    `allocate` is called once a page written and is cheap. The host asks for a page only where it `has_room`; the
    collector asks whenever it moves a page, and must always be given one as long as no victim has more valid pages than
    `RESERVED_BLOCKS` hold: collection can then never be stuck for lack of space. From `first_translation` on, the
    numbers of logical pages are those of pages of the mapping table; `translation_waits` says that one of these waits
    for a plane that `has_room_for_translation`. `heeds_page_types` says that the type asked for
    matters; `aligned`, that a unit of blocks is the planes of a die and not a plane (`ssdsim._core.blocks`).
    """

    owed = (
        "active_blocks(hardware, config) -> a whole number",
        "has_room(plane)",
        "allocate(plane, purpose, lpa, page_type) -> a whole number",
        "open_blocks() -> a list",
    )
    heeds_page_types = False
    aligned = False

    def active_blocks(self, hardware, config):
        """Return how many blocks of a plane are active at most; `config` is that of the FTL."""
        raise NotImplementedError

    def bind(self, blocks, config):
        """Receive the state of the blocks and the FTL's configuration, once, before the run."""
        self.blocks = blocks
        self.reserved = RESERVED_BLOCKS
        self.pages_per_block = blocks.pages_per_block
        self.first_translation = NO_TRANSLATION
        self.translation_waits = self.has_tables = False
        self.tables = array("q", [-1] * blocks.planes)

    def has_room(self, plane):
        """Return whether a page of the host's can be written to `plane` now."""
        raise NotImplementedError

    def has_room_for_translation(self, plane):
        """Return whether a page of the mapping table can be written to `plane` now, other than by the collector."""
        return self.has_room(plane)

    def begin_row(self, lpas):
        """Be told which logical pages the host's next row holds; return whether they are to be in ascending order."""
        return False

    def allocate(self, plane, purpose, lpa, page_type):
        """Hand out a page of `plane` for the data of `lpa` and return its PPA.

        `purpose` is HOST_DATA, MOVED_DATA or TRANSLATION (`ssdsim._core.codes`); `page_type` is the type wanted, where
        types are specified.
        """
        raise NotImplementedError

    def allocate_copy(self, plane, purpose, lpa, page):
        """Hand out the next page of `plane` that the data of `page` of another block can be copied back to.

        It has the same parity; a page passed over for that is wasted (PCFTL, 3.2 and 3.3).
        """
        raise NotImplementedError

    def free_blocks(self, unit):
        """Return how many (aligned) blocks' worth of room `unit` has: what a threshold in blocks is held against."""
        return self.blocks.free_blocks(unit)

    def free_pages(self, unit):
        """Return how many pages are free for the host, the reserve included: what a threshold in pages is held against.

        Those that only moved data or the mapping table can be given are not: they would keep collection from beginning
        while the host is stuck.
        """
        return self.blocks.free_pages(unit)

    # For frontiers without a place for translation pages: a block of each plane, filled in an order that is allowed.

    def has_table_room(self, plane):
        """Return whether that block, which the collector uses too, or a free one beyond the reserve has a page."""
        free = self.blocks.free_blocks(plane)
        return free > self.reserved or (free == self.reserved and self.tables[plane] >= 0)

    def pages_for_data(self, plane):
        """Return the free pages for data, or those of free blocks only while translation pages wait for one of them."""
        if self.translation_waits and not self.has_table_room(plane):
            return self.blocks.free_blocks(plane) * self.pages_per_block
        return self.blocks.free_pages(plane) - self.table_pages(plane)

    def table_pages(self, plane):
        """Return how many pages the block of `plane` for translation pages has left."""
        block = self.tables[plane]
        return 0 if block < 0 else self.pages_per_block - self.blocks.written(block)

    def allocate_translation(self, plane, lpa):
        """Hand out the next page of the block of `plane` for translation pages, a free one if there is none."""
        block = self.tables[plane]
        if block < 0:
            block = self.blocks.take_free(plane)
            if block < 0:
                raise SimulationError(
                    f"plane {plane} has no free block left for the mapping table: the reserve was spent."
                )
            self.tables[plane] = block
            self.has_tables = True
        page_type = 0
        while self.blocks.candidate(block, page_type) < 0:
            page_type += 1
        ppa = self.blocks.hand_out(block, self.blocks.candidate(block, page_type), lpa)
        if self.blocks.written(block) == self.pages_per_block:
            self.tables[plane] = -1
        return ppa

    def reopen_table(self, block):
        """Take over partly written `block` for translation pages if it holds some, and return whether it was."""
        plane = self.blocks.plane_of(block)
        if self.tables[plane] >= 0 or not self.holds_translation(block):
            return False
        self.tables[plane] = block
        self.has_tables = True
        return True

    def last_resort(self, plane):
        """Return a partly programmed block of `plane` to reclaim where no full one can help, or -1."""
        return -1

    def withdraw(self, plane, block):
        """Forget `block`, which `last_resort` gave, as it is being reclaimed."""

    def room_for_moves(self, unit):
        """Return how many pages of `unit` can be handed out for moved data, the reserve included."""
        return self.blocks.free_pages(unit)

    def write_point(self, plane, purpose):
        """Return how many pages of the active block of `plane` for `purpose` have been handed out, 0 without one.

        What ParaGC brings into line; a frontier that fills no block page after page has no such thing.
        """
        raise NotImplementedError

    def has_room_beside(self, plane, purpose):
        """Return whether there is room for `purpose` other than the reserve, which is for the victim's pages alone."""
        raise NotImplementedError

    def place_in_row(self, plane, purpose):
        """Return how many pages of the row being written have been handed out; only where rows are written."""
        raise NotImplementedError

    def open_blocks(self):
        """Return the blocks that are partly written."""
        raise NotImplementedError

    def take_stock(self, in_use):
        """Be told of all (aligned) blocks that hold something, in the order of their first write, before `reopen`."""

    def reopen(self, aligned_blocks):
        """Take over partly written (aligned) blocks and return those of which no more pages will be handed out.

        Called once, after `bind`, when power is back. The blocks are those of the whole device in the order of their
        first write; of each, just the pages that were programmed count as handed out.
        """
        return aligned_blocks

    def holds_translation(self, block):
        """Return whether `block` has pages of the mapping table."""
        first, spare = block * self.pages_per_block, self.blocks.spare
        programmed = [ppa for ppa in range(first, first + self.pages_per_block) if self.blocks.is_programmed(ppa)]
        return any(spare.get(ppa) >= self.first_translation for ppa in programmed)

    def is_in_page_order(self, block):
        """Return whether the pages of `block` that are programmed are its first ones, so that it can be appended to."""
        first = block * self.pages_per_block
        return all(self.blocks.is_programmed(first + page) for page in range(self.blocks.written(block)))
