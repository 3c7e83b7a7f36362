"""State of every block of the device: what its cells hold, which pages are valid, and which blocks are free.

A block goes free -> active -> full -> collecting -> free; one that is set aside, for pages that hold no logical one, is
erased as often as need be before it is given back, and goes free -> set aside -> free. A block in SLC mode (`open_slc`)
stores one bit a cell until its erase: it has the pages of the first type alone, one after another, and none of them is
room of its unit; one that is kept for that mode goes free -> active -> cached -> collecting -> free, and is no victim
that wins back space. Blocks, planes and pages are numbered over the whole device:
block = plane * blocks_per_plane + index, PPA = block * pages_per_block + page. A page is first handed out to a write and
later programmed; in which order is the rule of the block's `ProgramOrder`, enforced where a page is programmed.

A unit is a plane, or several, of a die or of many, whose blocks go together: aligned blocks, at the same offset in each
of them, are taken, collected and freed as one. They have one number, unit * blocks_per_plane + offset; where a unit is
a plane, that is the block's own.
"""

cimport cython
from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.string cimport memset

import numpy as np

from ssdsim._core.table cimport memory_of, put
from ssdsim.errors import FlashError

STATES = ("free", "active", "full", "collecting", "set aside", "cached")

BLOCK = np.dtype(
    [
        *(("written", np.uint16, MOST_TYPES), ("programmed", np.uint16, MOST_TYPES), ("valid", np.int32)),
        *(("readers", np.int32), ("erases", np.int32), ("state", np.uint8), ("slc", np.uint8), ("round", np.uint8)),
    ],
    align=True,
)
"""A block as NumPy sees it (`Block` in C)."""


@cython.final
cdef class Blocks:
    """All blocks; `index` is told what happens to full ones, so that a victim can be chosen without a scan.

    `order` is the program-order rule; without one, a block has one page type. With `least_worn_first` the free block
    with the fewest erases is taken first (dynamic wear leveling), else the one that has been free for longest or, if
    `by_address`, the first one behind that taken last, round and round. `span` is the number of planes in a unit, and a
    row is filled in their order, or in that of `places`: by place in the row, which plane of the unit it is. If
    `backs_up`, a page waits until the lower pages of its wordline, those of faster types, are backed up: programming it
    endangers them. Aligned blocks are ranked in the index by their valid pages in total or, if `by_least`, by those
    of the block that has the fewest. `arrays` has the columns as NumPy arrays, by name, for what is not on a request's
    path. Positions are not checked: the caller owes numbers in range.
    """

    def __cinit__(
        self,
        int64_t planes,
        int64_t blocks_per_plane,
        int pages_per_block,
        VictimIndex index=None,
        bint least_worn_first=False,
        ProgramOrder order=None,
        int span=1,
        bint by_least=False,
        bint backs_up=False,
        bint by_address=False,
        places=None,
    ):
        self.planes, self.blocks_per_plane, self.pages_per_block = planes, blocks_per_plane, pages_per_block
        self.span, self.units, self.by_least, self.stripe = span, planes // span, by_least, 1
        self.count = planes * blocks_per_plane
        self.pages = self.count * pages_per_block
        self.words = (pages_per_block + 63) // 64
        self.index = VictimIndex() if index is None else index
        self.order = ProgramOrder(pages_per_block) if order is None else order
        if self.order.pages != pages_per_block:
            raise ValueError(f"a program order for {self.order.pages} pages does not fit blocks of {pages_per_block}")
        self.page_types = self.order.types
        self.spare = IndexTable(self.pages, self.pages)
        self.free = FreeBlocks(self.units, blocks_per_plane, by_address)
        self.least_worn_first = least_worn_first
        self.arrays = {}
        self.block = <Block*>self.allocate("block", self.count, BLOCK)
        self.bitmap = <uint64_t*>self.allocate("bitmap", (self.count, self.words), np.uint64)
        self.unwritten = <int64_t*>self.allocate("unwritten", self.units, np.int64)
        self.unwritten_by_type = <int64_t*>self.allocate("unwritten_by_type", MOST_TYPES, np.int64)
        self.dead = <int64_t*>self.allocate("dead", self.units, np.int64)
        if self.order.free:
            self.cells = <uint64_t*>self.allocate("cells", (self.count, self.words), np.uint64)
        if backs_up:
            self.backed_up = <uint16_t*>self.allocate("backed_up", (self.count, self.page_types), np.uint16)
        self.places = <int32_t*>self.allocate("places", span, np.int32)
        self.arrays["places"][:] = range(span) if places is None else places
        if span > 1:
            self.valid_if_full = <int32_t*>self.allocate("valid_if_full", self.units * blocks_per_plane, np.int32)
            self.arrays["valid_if_full"][:] = -1
        cdef int64_t aligned
        for aligned in range(self.units * blocks_per_plane):
            self.release(aligned)

    cdef void* allocate(self, str name, shape, dtype) except NULL:
        self.arrays[name] = np.zeros(shape, dtype)
        return memory_of(self.arrays[name])

    cpdef int64_t plane_of(self, int64_t block) noexcept:
        """Return the plane that `block` lies in."""
        return block // self.blocks_per_plane

    cpdef int64_t unit_of(self, int64_t block) noexcept:
        """Return the unit that `block` lies in."""
        cdef int64_t plane = block // self.blocks_per_plane
        return plane if self.span == 1 else plane // self.span

    cpdef int64_t aligned_of(self, int64_t block) noexcept:
        """Return the number of the aligned blocks that `block` is one of."""
        cdef int64_t plane
        if self.span == 1:
            return block
        plane = block // self.blocks_per_plane
        return block - (plane - plane // self.span) * self.blocks_per_plane

    cpdef int64_t member(self, int64_t aligned, int place) noexcept:
        """Return the block of aligned blocks `aligned` at `place` of their rows."""
        cdef int64_t unit
        if self.span == 1:
            return aligned
        unit = aligned // self.blocks_per_plane
        return aligned + (unit * (self.span - 1) + self.places[place]) * self.blocks_per_plane

    def members(self) -> np.ndarray:
        """Return a row for each of the aligned blocks: the blocks in it, by place."""
        planes = np.arange(self.units)[:, np.newaxis] * self.span + self.arrays["places"]
        offsets = np.arange(self.blocks_per_plane)[:, np.newaxis]
        return (planes[:, np.newaxis] * self.blocks_per_plane + offsets).reshape(-1, self.span)

    cpdef int64_t block_of(self, int64_t ppa) noexcept:
        """Return the block that page `ppa` lies in."""
        return ppa // self.pages_per_block

    # Aligned blocks as one: a row is the same page of each of them, which is filled place by place.

    cpdef int written_in(self, int64_t aligned) noexcept:
        """Return how many pages of `aligned` were handed out to writes."""
        cdef int place, count = 0
        for place in range(self.span):
            count += self.written(self.member(aligned, place))
        return count

    cpdef int unwritten_in(self, int64_t aligned) noexcept:
        """Return how many pages of `aligned` can still be handed out."""
        return self.span * self.pages_per_block - self.written_in(aligned)

    cpdef int programmed_in(self, int64_t aligned) noexcept:
        """Return how many pages of `aligned` the cells hold."""
        cdef int place, count = 0
        for place in range(self.span):
            count += self.programmed(self.member(aligned, place))
        return count

    cpdef int valid_in(self, int64_t aligned) noexcept:
        """Return how many pages of `aligned` hold current data."""
        cdef int place, count = 0
        for place in range(self.span):
            count += self.block[self.member(aligned, place)].valid
        return count

    cpdef int place_in_row(self, int64_t aligned, int page_type=-1) noexcept:
        """Return how many pages of the row begun in `aligned` were handed out, where each row is whole before the next.

        With a `page_type` rows are of pages of that type alone.
        """
        cdef int low = 0, high = self.span - 1, middle, first
        if self.span == 1:
            return 0
        first = self.handed_out(self.member(aligned, 0), page_type)
        while low < high:  # the first place that is a page behind
            middle = (low + high + 1) // 2
            if self.handed_out(self.member(aligned, middle), page_type) == first:
                low = middle
            else:
                high = middle - 1
        return (low + 1) % self.span

    cdef int handed_out(self, int64_t block, int page_type) noexcept:
        """Return how many pages of `block` were handed out: of a type, or of all."""
        cdef const uint16_t* written = self.block[block].written
        return total(written) if page_type < 0 else written[page_type]

    cpdef int64_t next_member(self, int64_t aligned, int page_type=-1) noexcept:
        """Return the block of `aligned` whose turn it is to hand out a page, where each row precedes the next.

        A row has `stripe` pages of a block, or one of those of `page_type`.
        """
        if page_type < 0 and self.stripe > 1 and self.written(self.member(aligned, 0)) % self.stripe:
            return self.member(aligned, 0)
        return self.member(aligned, self.place_in_row(aligned, page_type))

    cpdef bint has_type_left(self, int64_t aligned, int page_type) noexcept:
        """Return whether `aligned`, whose rows are in line, has pages of `page_type` left."""
        return self.block[self.member(aligned, self.span - 1)].written[page_type] < self.order.wordlines

    cpdef int valid(self, int64_t block) noexcept:
        """Return how many pages of `block` hold current data."""
        return self.block[block].valid

    cpdef int written(self, int64_t block) noexcept:
        """Return how many pages of `block` were handed out to writes."""
        return total(self.block[block].written)

    cpdef int programmed(self, int64_t block) noexcept:
        """Return how many pages of `block` the cells hold."""
        return total(self.block[block].programmed)

    cpdef int unwritten_of(self, int64_t block, int page_type) noexcept:
        """Return how many pages of `page_type` of `block` can still be handed out."""
        return self.order.wordlines - self.block[block].written[page_type]

    cpdef int readers(self, int64_t block) noexcept:
        """Return how many reads are on their way to `block`."""
        return self.block[block].readers

    cpdef bint may_erase(self, int64_t block) noexcept:
        """Return whether nothing is on its way to `block`, nor to any of the aligned blocks that it is one of.

        Pages that writes on their way replace are wanted again if power fails. None of aligned blocks is erased while
        that can be: then they still hold all that was moved from them, and nothing of it is needed where it went.
        """
        cdef int64_t aligned
        cdef int place
        if self.span == 1:
            return self.block[block].readers == 0
        aligned = self.aligned_of(block)
        for place in range(self.span):
            if self.block[self.member(aligned, place)].readers:
                return False
        return True

    cpdef int erases(self, int64_t block) noexcept:
        """Return the number of erases of `block`."""
        return self.block[block].erases

    cpdef int wear(self, int64_t aligned) noexcept:
        """Return the number of erases of the block of `aligned` that has most."""
        cdef int place, most_erases = 0
        for place in range(self.span):
            most_erases = max(most_erases, self.block[self.member(aligned, place)].erases)
        return most_erases

    cpdef int state(self, int64_t block) noexcept:
        """Return the state of `block`, a position in `STATES`."""
        return self.block[block].state

    cpdef bint is_valid(self, int64_t ppa) noexcept:
        """Return whether page `ppa` holds current data."""
        cdef int64_t block = self.block_of(ppa)
        return has_bit(self.bitmap, self.bit_of(block, ppa - block * self.pages_per_block))

    cdef int64_t bit_of(self, int64_t block, int64_t page) noexcept:
        """Return the place of a page's bit in `bitmap`, and in those like it."""
        return (block * self.words << 6) + page

    cpdef bint is_programmed(self, int64_t ppa) noexcept:
        """Return whether the cells hold page `ppa`; if not, its data is still in controller memory."""
        cdef int64_t block = self.block_of(ppa)
        cdef int page = <int>(ppa - block * self.pages_per_block)
        if self.cells != NULL and self.block[block].state == ACTIVE:
            return has_bit(self.cells, self.bit_of(block, page))
        return self.order.wordline_at[page] < self.block[block].programmed[self.order.type_at[page]]

    cpdef int type_of(self, int64_t ppa) noexcept:
        """Return the type of page `ppa`, -1 in SLC mode."""
        return -1 if self.block[self.block_of(ppa)].slc else self.order.type_at[ppa % self.pages_per_block]

    cpdef int slc(self, int64_t block) noexcept:
        """Return 0, or 1 for a block in SLC mode, or 2 for one that is kept for it."""
        return self.block[block].slc

    cpdef open_slc(self, int64_t aligned, bint kept):
        """Have `aligned`, taken and not written yet, store one bit a cell until it is erased.

        The pages of the other types, which there are none of, count as programmed with nothing, so that every program
        order allows the first type alone, and the block is full with that.
        """
        cdef int64_t block, page
        cdef int place, each
        for place in range(self.span):
            block = self.member(aligned, place)
            self.block[block].slc = 2 if kept else 1
            self.count_room(block, -1)
            for each in range(1, self.page_types):
                self.block[block].written[each] = self.block[block].programmed[each] = <uint16_t>self.order.wordlines
            for page in range(self.pages_per_block):
                if self.order.type_at[page]:
                    self.spare.set(block * self.pages_per_block + page, -1)

    cdef void count_room(self, int64_t block, int sign) noexcept:
        """Count the pages that `block` can still hand out as room of its unit (`sign` of 1), or no more (-1)."""
        cdef int each
        for each in range(self.page_types):
            self.unwritten[self.unit_of(block)] += sign * self.unwritten_of(block, each)
            self.unwritten_by_type[each] += sign * self.unwritten_of(block, each)

    cpdef int free_blocks(self, int64_t unit) noexcept:
        """Return the number of free (aligned) blocks of `unit`."""
        return self.free.count[unit]

    cpdef int64_t all_free_blocks(self) noexcept:
        """Return the number of free blocks of the device, of aligned ones each counted."""
        cdef int64_t unit, free = 0
        for unit in range(self.units):
            free += self.free.count[unit]
        return free * self.span

    cpdef int64_t free_pages(self, int64_t unit) noexcept:
        """Return the number of pages of `unit` that were not handed out since their block's last erase."""
        return self.unwritten[unit]

    cpdef int64_t free_of_type(self, int page_type) noexcept:
        """Return the number of such pages of `page_type` on the whole device."""
        return self.unwritten_by_type[page_type]

    cpdef int64_t valid_pages(self, int64_t unit) noexcept:
        """Return the number of valid pages of `unit`, which are counted block by block."""
        cdef int64_t block, first = unit * self.span * self.blocks_per_plane, total = 0
        for block in range(first, first + self.span * self.blocks_per_plane):
            total += self.block[block].valid
        return total

    cpdef int64_t dead_pages(self, int64_t unit) noexcept:
        """Return the number of invalid pages in full (aligned) blocks of `unit`: what collecting them all would gain."""
        return self.dead[unit]

    cpdef int64_t take_free(self, int64_t unit) noexcept:
        """Make a free block, or free aligned blocks, of `unit` active and return its number, or -1 if there is none."""
        cdef int64_t aligned = self.free.take(unit)
        if aligned >= 0:
            self.set_state(aligned, ACTIVE)
        return aligned

    cdef void set_state(self, int64_t aligned, int state) noexcept:
        cdef int place
        for place in range(self.span):
            self.block[self.member(aligned, place)].state = state

    cpdef int64_t append(self, int64_t block, int64_t lpa) noexcept:
        """Hand out the next page of active `block` in diagonal order for the data of `lpa` and return its PPA.

        The block's pages must all have been handed out this way.
        """
        return self.hand_out(block, total(self.block[block].written), lpa)

    cpdef int candidate(self, int64_t block, int page_type) noexcept:
        """Return the page of `page_type` that can be handed out next in active `block`, or -1."""
        cdef const uint16_t* written = self.block[block].written
        cdef int page
        if written[page_type] == self.order.wordlines:
            return -1
        page = self.order.page_at[page_type * self.order.wordlines + written[page_type]]
        return page if allows(self.order, written, page) else -1

    cpdef int64_t hand_out(self, int64_t block, int page, int64_t lpa) noexcept:
        """Hand out candidate `page` of active `block` for the data of `lpa` and return its PPA.

        In a block that is set aside, no page counts as valid, nor as room.
        """
        cdef Block* b = &self.block[block]
        cdef int64_t ppa = block * self.pages_per_block + page
        cdef int page_type = self.order.type_at[page]
        self.given_type = page_type
        b.written[page_type] += 1
        put(self.spare, ppa, lpa)
        if b.state == SET_ASIDE:
            return ppa
        b.valid += 1
        set_bit(self.bitmap, self.bit_of(block, page))
        if b.slc:
            return ppa
        self.unwritten[self.unit_of(block)] -= 1
        self.unwritten_by_type[page_type] -= 1
        return ppa

    cpdef int skip(self, int64_t block) except -1:
        """Hand out the next page of active `block` in diagonal order to nothing: it is dead and never programmed.

        It counts as programmed as soon as the pages before it are. The block's pages must all have been handed out in
        diagonal order. One of a block that is set aside has not counted as room before, either.
        """
        cdef Block* b = &self.block[block]
        cdef int page = total(b.written), page_type = self.order.type_at[page]
        if self.skipped == NULL:
            self.skipped = <uint64_t*>self.allocate("skipped", (self.count, self.words), np.uint64)
        set_bit(self.skipped, self.bit_of(block, page))
        self.spare.set(block * self.pages_per_block + page, -1)
        b.written[page_type] += 1
        if b.state != SET_ASIDE:
            self.unwritten[self.unit_of(block)] -= 1
            self.unwritten_by_type[page_type] -= 1
        if self.cells != NULL:
            set_bit(self.cells, self.bit_of(block, page))
            b.programmed[page_type] += 1
        self.pass_skipped(block)
        self.close_if_full(block)
        return 0

    cdef void close_if_full(self, int64_t block) noexcept:
        """Record that active `block` is full, if all of its pages are programmed."""
        cdef Block* b = &self.block[block]
        if b.state == ACTIVE and total(b.programmed) == self.pages_per_block:
            self.fill(block)

    cpdef void fill(self, int64_t block) noexcept:
        """Make active `block`, all of which is programmed, a full one, or one that is cached."""
        self.block[block].state = CACHED if self.block[block].slc == 2 else FULL
        if self.block[block].state == FULL:
            self.filled(block)

    cdef void pass_skipped(self, int64_t block) noexcept:
        """Count skipped pages of `block` whose turn to be programmed it is as programmed."""
        cdef Block* b = &self.block[block]
        cdef int page_type = 0, page
        while self.cells == NULL and page_type < self.page_types:
            if b.programmed[page_type] < b.written[page_type]:
                page = self.order.page_at[page_type * self.order.wordlines + b.programmed[page_type]]
                if has_bit(self.skipped, self.bit_of(block, page)) and allows(self.order, b.programmed, page):
                    b.programmed[page_type] += 1
                    page_type = 0
                    continue
            page_type += 1

    cpdef bint may_program(self, int64_t block, int page) noexcept:
        """Return whether `page` of `block` can be programmed now: by the rule, and without danger to lower pages."""
        if self.cells != NULL:
            return True
        if not allows(self.order, self.block[block].programmed, page):
            return False
        return self.backed_up == NULL or self.lower_pages_backed_up(block, page)

    cpdef int look_ahead(self, int64_t block, int page, int change) except -1:
        """Have `may_program` count `page` of `block` as programmed, with a `change` of 1; take that back with one of -1."""
        self.block[block].programmed[self.order.type_at[page]] += <uint16_t>change
        return 0

    cdef bint lower_pages_backed_up(self, int64_t block, int page) noexcept:
        cdef int each
        for each in range(self.order.type_at[page]):
            if self.backed_up[block * self.page_types + each] <= self.order.wordline_at[page]:
                return False
        return True

    cpdef int wordlines_backed_up(self, int64_t block, int page_type) noexcept:
        """Return how many wordlines `back_up` was told last for `page_type` of `block`, 0 since its erase."""
        return self.backed_up[block * self.page_types + page_type]

    cpdef back_up(self, int64_t block, int page_type, int wordlines):
        """Record that the pages of `page_type` in the first `wordlines` of `block` are backed up, or not needed."""
        self.backed_up[block * self.page_types + page_type] = <uint16_t>wordlines

    cpdef int program(self, int64_t ppa) except -1:
        """Program page `ppa`; raise `FlashError` if the rule does not allow it, or if it was never handed out."""
        cdef int64_t block = self.block_of(ppa)
        cdef int page = <int>(ppa - block * self.pages_per_block)
        cdef int page_type = self.order.type_at[page]
        cdef Block* b = &self.block[block]
        if self.cells != NULL:
            if self.order.wordline_at[page] >= b.written[page_type] or self.is_programmed(ppa):
                raise FlashError(f"block {block}: {self.order.describe(page)} was not handed out, or programmed before.")
            set_bit(self.cells, self.bit_of(block, page))
        elif not allows(self.order, b.programmed, page) or b.programmed[page_type] >= b.written[page_type]:
            self.refuse(block, page)
        b.programmed[page_type] += 1
        if self.skipped != NULL:
            self.pass_skipped(block)
        self.close_if_full(block)
        return 0

    cdef int refuse(self, int64_t block, int page) except -1:   # apart, for the sake of `program`
        row, types = self.arrays["block"][block], self.page_types
        programmed, written = row["programmed"][:types].tolist(), row["written"][:types].tolist()
        raise FlashError(
            f"block {block}: {self.order.describe(page)} was programmed out of order: by type, {programmed} pages are "
            f"programmed and {written} handed out, and the {self.order.rule} rule wants "
            f"{self.order.needed(page)} first."
        )

    cdef void filled(self, int64_t block) noexcept:
        """Record that `block` is full now, and with it perhaps the aligned blocks that it is one of."""
        cdef int64_t aligned = self.aligned_of(block), unit = self.unit_of(block)
        if self.all_in(aligned, FULL):
            self.dead[unit] += self.span * self.pages_per_block - self.valid_in(aligned)
            if self.span > 1:
                self.valid_if_full[aligned] = self.valid_in(aligned)
            self.index.filled(aligned, unit, self.rank(aligned))

    cdef bint all_in(self, int64_t aligned, int state) noexcept:
        cdef int place
        for place in range(self.span):
            if self.block[self.member(aligned, place)].state != state:
                return False
        return True

    cdef int rank(self, int64_t aligned) noexcept:
        """Return the number of valid pages that the index ranks `aligned` by."""
        cdef int place, valid, fewest_valid = self.pages_per_block
        if not self.by_least:
            return self.valid_in(aligned)
        for place in range(self.span):
            valid = self.block[self.member(aligned, place)].valid
            if valid < fewest_valid:
                fewest_valid = valid
        return fewest_valid

    cpdef void invalidate(self, int64_t ppa) noexcept:
        """Mark valid page `ppa` as invalid: it no longer holds current data."""
        cdef int64_t block = self.block_of(ppa), aligned, unit
        cdef int page = <int>(ppa - block * self.pages_per_block), rank, before = -1
        cdef Block* b = &self.block[block]
        self.bitmap[block * self.words + (page >> 6)] &= ~(<uint64_t>1 << (page & 63))
        if self.span == 1:
            b.valid -= 1
            if b.state == FULL:
                unit = self.plane_of(block)
                self.dead[unit] += 1
                self.index.invalidated(block, unit, b.valid)
            return
        aligned, unit = self.aligned_of(block), self.unit_of(block)
        if self.valid_if_full[aligned] < 0:
            b.valid -= 1
        else:
            if self.by_least:
                before = self.rank(aligned)
            b.valid -= 1
            self.valid_if_full[aligned] -= 1
            self.dead[unit] += 1
            rank = self.rank(aligned) if self.by_least else self.valid_if_full[aligned]
            if rank != before:
                self.index.invalidated(aligned, unit, rank)

    cpdef void add_reader(self, int64_t block) noexcept:
        """Count a read on its way to `block`."""
        self.block[block].readers += 1

    cpdef void remove_reader(self, int64_t block) noexcept:
        """Count a read of `block` as done: it has its data."""
        self.block[block].readers -= 1

    cpdef int collect(self, int64_t aligned) except -1:
        """Take a full block, or full aligned blocks, out of the index: the valid pages are about to be moved."""
        cdef int64_t unit = aligned // self.blocks_per_plane, block
        if self.all_in(aligned, FULL):
            self.dead[unit] -= self.span * self.pages_per_block - self.valid_in(aligned)
            self.index.taken(aligned, unit, self.rank(aligned))
            if self.span > 1:
                self.valid_if_full[aligned] = -1
        elif not self.all_in(aligned, CACHED):
            block = self.member(aligned, 0)
            raise FlashError(f"block {block} is {STATES[self.block[block].state]}; only a full block can be collected.")
        self.set_state(aligned, COLLECTING)
        return 0

    cpdef int keep(self, int64_t aligned) except -1:
        """Undo `collect`, as none has been erased: the blocks are full ones again."""
        if not self.all_in(aligned, COLLECTING) or self.written_in(aligned) < self.span * self.pages_per_block:
            raise FlashError(f"block {self.member(aligned, 0)} was not taken for collection as a full block.")
        self.set_state(aligned, FULL)
        self.filled(self.member(aligned, 0))
        return 0

    cpdef int reclaim(self, int64_t aligned) except -1:
        """Take a partly programmed (aligned) block for collection, in the place of a full one; what is unused is wasted."""
        cdef int64_t block
        cdef Block* b
        cdef int place
        cdef bint is_open
        for place in range(self.span):
            block = self.member(aligned, place)
            b = &self.block[block]
            is_open = b.state == ACTIVE or (b.state == FULL and not self.all_in(aligned, FULL))
            if not is_open or total(b.programmed) != total(b.written):
                raise FlashError(
                    f"block {block} is {STATES[b.state]} with {total(b.written) - total(b.programmed)} programs on their "
                    "way; only an active block with none can be reclaimed."
                )
        for place in range(self.span):
            self.count_room(self.member(aligned, place), -1)
        self.wasted += self.unwritten_in(aligned)
        self.set_state(aligned, COLLECTING)
        return 0

    cpdef int64_t set_aside(self, int64_t unit) noexcept:
        """Take a free block, or free aligned blocks, of `unit` out of use for data and return its number, or -1."""
        cdef int64_t aligned = self.take_free(unit)
        cdef int place
        if aligned >= 0:
            self.set_state(aligned, SET_ASIDE)
            for place in range(self.span):
                self.count_room(self.member(aligned, place), -1)
        return aligned

    cpdef give_back(self, int64_t aligned):
        """Free the blocks set aside as `aligned`; all of them are erased."""
        cdef int place
        if not self.all_in(aligned, SET_ASIDE) or self.written_in(aligned):
            raise FlashError(f"block {self.member(aligned, 0)} was given back and is not set aside, or not erased.")
        for place in range(self.span):
            self.block[self.member(aligned, place)].round = 0
        self.set_state(aligned, FREE)
        self.release(aligned)

    cpdef close(self, int64_t block):
        """Fill the rest of active `block`, which has no program on its way, with nothing, as it is of no more use."""
        cdef int page
        for page in range(self.pages_per_block):
            if self.order.wordline_at[page] >= self.block[block].written[self.order.type_at[page]]:
                self.spare.set(block * self.pages_per_block + page, -1)
        self.wasted += self.pages_per_block - self.written(block)
        self.fill_rest(block)

    cdef void mark_valid(self, int64_t block, int64_t page, int64_t lpa) noexcept:
        """Record that `page` of `block` holds the current data of `lpa`, without counting it as written."""
        put(self.spare, block * self.pages_per_block + page, lpa)
        set_bit(self.bitmap, self.bit_of(block, page))
        self.block[block].valid += 1

    cdef void fill_rest(self, int64_t block) noexcept:
        """Count every page of active `block` as programmed."""
        cdef Block* b = &self.block[block]
        cdef int each
        if not b.slc:
            self.count_room(block, -1)
        for each in range(self.page_types):
            b.written[each] = b.programmed[each] = <uint16_t>self.order.wordlines
        self.fill(block)

    cpdef int next_valid(self, int64_t block, int page) noexcept:
        """Return the first valid page of `block` from `page` on, or -1."""
        cdef uint64_t* words = self.bitmap + block * self.words
        cdef int word = page >> 6
        cdef uint64_t bits
        if word >= self.words:
            return -1
        bits = words[word] >> (page & 63) << (page & 63)
        while not bits:
            word += 1
            if word == self.words:
                return -1
            bits = words[word]
        return (word << 6) + __builtin_ctzll(bits)

    cpdef int erase(self, int64_t block) except -1:
        """Erase collected `block`, and free it once its aligned blocks are; raise `FlashError` if that would lose data.

        One that is set aside can be erased, too, by itself, and stays that.
        """
        cdef Block* b = &self.block[block]
        if b.valid or b.readers or (b.state != COLLECTING and b.state != SET_ASIDE):
            raise FlashError(
                f"block {block} was erased while {STATES[b.state]} with {b.valid} valid pages and {b.readers} reads "
                "on their way."
            )
        memset(b.written, 0, sizeof(b.written))
        memset(b.programmed, 0, sizeof(b.programmed))
        if self.backed_up != NULL:
            memset(self.backed_up + block * self.page_types, 0, self.page_types * sizeof(uint16_t))
        if self.cells != NULL:
            memset(self.cells + block * self.words, 0, self.words * sizeof(uint64_t))
        if self.skipped != NULL:
            memset(self.skipped + block * self.words, 0, self.words * sizeof(uint64_t))
        b.erases += 1
        b.round += 1
        b.slc = 0
        self.erased += 1
        if b.state == SET_ASIDE:
            return 0
        b.state = FREE
        if self.all_in(self.aligned_of(block), FREE):
            self.release(self.aligned_of(block))
        return 0

    cpdef void release(self, int64_t aligned) noexcept:
        """Add `aligned`, which is erased, to the free blocks."""
        cdef int place
        for place in range(self.span):
            self.count_room(self.member(aligned, place), 1)
        self.free.put(aligned, self.wear(aligned) if self.least_worn_first else 0)

    def column(self, str name) -> np.ndarray:
        """Return a copy of one field of every block as a NumPy array: valid, written, programmed, erases or state.

        Pages of the other types do not count in SLC mode.
        """
        field = self.arrays["block"][name]
        if field.ndim > 1:
            field = np.where(self.arrays["block"]["slc"] > 0, field[:, 0], field.sum(axis=1))
        return field.astype(np.int64)


cdef inline int total(const uint16_t* by_type) noexcept nogil:
    return by_type[0] + by_type[1] + by_type[2] + by_type[3]


cdef inline bint allows(ProgramOrder order, const uint16_t* programmed, int page) noexcept:
    """Return whether `page` may be programmed after so many pages of each type."""
    cdef int each
    if programmed[order.type_at[page]] != order.wordline_at[page]:
        return False
    for each in range(order.types):
        if programmed[each] < order.needs[page * MOST_TYPES + each]:
            return False
    return True


cdef inline bint has_bit(const uint64_t* bitmap, int64_t place) noexcept nogil:
    return bitmap[place >> 6] >> (place & 63) & 1


cdef inline void set_bit(uint64_t* bitmap, int64_t place) noexcept nogil:
    bitmap[place >> 6] |= <uint64_t>1 << (place & 63)
