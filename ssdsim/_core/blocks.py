# cython: noexcept
"""State of every block of the device: what its cells hold, which pages are valid, and which blocks are free.

A block goes free -> active -> full -> collecting -> free; one that is set aside, for pages that hold no logical one, is
erased as often as need be before it is given back, and goes free -> set aside -> free. A block in SLC mode (`open_slc`)
stores one bit a cell until its erase: it has the pages of the first type alone, one after another, and none of them is
room of its unit; one that is kept for that mode goes free -> active -> cached -> collecting -> free, and is no victim
that wins back space. Blocks, planes and pages are numbered over the whole device:
block = plane * blocks_per_plane + index, PPA = block * pages_per_block + page. A page is first handed out to a write
and later programmed; in which order is the rule of the block's `ProgramOrder`, enforced where a page is programmed.

A unit is a plane, or several, of a die or of many, whose blocks go together: aligned blocks, at the same offset in each
of them, are taken, collected and freed as one. They have one number, unit * blocks_per_plane + offset; where a unit is
a plane, that is the block's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from ssdsim._core.bits import lowest_bit
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int32s, Int64s, Uint8s, Uint16s, Uint64s
from ssdsim._core.free_blocks import FreeBlocks
from ssdsim._core.program_order import MOST_TYPES, ProgramOrder
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import VictimIndex
from ssdsim.errors import FlashError

STATES = ("free", "active", "full", "collecting", "set aside", "cached")

FREE: Final = 0  # in the order of `STATES`
ACTIVE: Final = 1
FULL: Final = 2
COLLECTING: Final = 3
SET_ASIDE: Final = 4
CACHED: Final = 5


@final
class Blocks:
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

    planes: int
    blocks_per_plane: int
    pages_per_block: int
    span: int  # planes in a unit
    units: int
    count: int
    pages: int
    stripe: int  # pages of a block that follow one another, before those of the next plane in a unit
    by_least: bool
    index: VictimIndex
    order: ProgramOrder
    page_types: int
    has_slc: bool  # a block may be in SLC mode
    given_type: int  # type of the page that was handed out last
    erased: int  # erases so far
    wasted: int  # pages that were unused when their block was reclaimed
    wasted_for_parity: int  # pages skipped because a copy-back needs a page of the other parity
    spare: IndexTable  # by PPA: the LPA written there with the data
    free: FreeBlocks
    arrays: dict[str, Any]
    _words: int  # of a block's bitmap
    # By block and page type, pages handed out to writes, which is what an FTL records, two bytes a type (six for TLC:
    # PA-SSD, 4.5), and behind those of all blocks pages that the cells hold, known to the flash, no more than these.
    _counts: Uint16s
    _programmed: int  # where the latter begin
    _valid: Int32s  # by block: pages that hold current data, the set bits of its bitmap
    _readers: Int32s  # by block: reads on their way to it, and writes that replace its data: its erase waits for them
    _erases: Int32s
    _state: Int8s
    _slc: Int8s  # by block: 1 in SLC mode, 2 also kept for it
    _round: Uint8s  # erases, up to 255 and then from 0 on: that of aligned blocks is the same, or they are being erased
    _bitmap: Uint64s  # valid bits
    _unwritten: Int64s  # by unit: pages not handed out, in free and active blocks
    _unwritten_by_type: Int64s  # the same over the whole device
    _places: Int32s  # by place in a row: which plane of the unit it is
    _valid_if_full: Int32s  # by aligned blocks: their valid pages, -1 unless all are full; where a unit is no plane
    _dead: Int64s  # by unit: invalid pages in full blocks
    _skipped: Uint64s  # a bitmap: pages that were passed over; None where none ever was
    _cells: Uint64s  # a bitmap: pages programmed; None where they are in order
    _backed_up: Uint16s  # by block and page type: wordlines; None where nothing waits for a backup

    def __init__(
        self,
        planes: int,
        blocks_per_plane: int,
        pages_per_block: int,
        index: VictimIndex | None = None,
        least_worn_first: bool = False,
        order: ProgramOrder | None = None,
        span: int = 1,
        by_least: bool = False,
        backs_up: bool = False,
        by_address: bool = False,
        places: Sequence[int] | None = None,
    ) -> None:
        self.planes = planes
        self.blocks_per_plane = blocks_per_plane
        self.pages_per_block = pages_per_block
        self.span = span
        self.units = planes // span
        self.by_least = by_least
        self.stripe = 1
        self.has_slc = False
        self.count = planes * blocks_per_plane
        self.pages = self.count * pages_per_block
        self.index = VictimIndex() if index is None else index
        self.order = ProgramOrder(pages_per_block) if order is None else order
        if self.order.pages != pages_per_block:
            raise ValueError(f"a program order for {self.order.pages} pages does not fit blocks of {pages_per_block}")
        self.page_types = self.order.types
        self.spare = IndexTable(self.pages)
        self.free = FreeBlocks(self.units, blocks_per_plane, by_address)
        self.least_worn_first = least_worn_first
        self.given_type = 0
        self.erased = self.wasted = self.wasted_for_parity = 0
        self.arrays = {}
        self._words = (pages_per_block + 63) // 64
        self._programmed = self.count * MOST_TYPES
        self._counts = self.allocate("counts", (2, self.count, MOST_TYPES), "u2")
        self.arrays["written"], self.arrays["programmed"] = self.arrays["counts"]
        self._valid = self.allocate("valid", self.count, "i4")
        self._readers = self.allocate("readers", self.count, "i4")
        self._erases = self.allocate("erases", self.count, "i4")
        self._state = self.allocate("state", self.count, "i1")
        self._slc = self.allocate("slc", self.count, "i1")
        self._round = self.allocate("round", self.count, "u1")
        self._bitmap = self.allocate("bitmap", (self.count, self._words), "u8")
        self._unwritten = self.allocate("unwritten", self.units, "i8")
        self._unwritten_by_type = self.allocate("unwritten_by_type", MOST_TYPES, "i8")
        self._dead = self.allocate("dead", self.units, "i8")
        nothing: Any = None
        self._skipped = nothing
        self._cells = self.allocate("cells", (self.count, self._words), "u8") if self.order.free else nothing
        self._backed_up = self.allocate("backed_up", self.count * MOST_TYPES, "u2") if backs_up else nothing
        self._places = self.allocate("places", span, "i4")
        self.arrays["places"][:] = range(span) if places is None else places
        self._valid_if_full = self.allocate("valid_if_full", self.units * blocks_per_plane if span > 1 else 0, "i4")
        self.arrays["valid_if_full"][:] = -1
        for aligned in range(self.units * blocks_per_plane):
            self.release(aligned)

    def allocate(self, name: str, shape: Any, dtype: str) -> Any:
        """Return the memory of a new column, which is taken as it is written to."""
        self.arrays[name] = np.zeros(shape, dtype)
        return self.arrays[name].reshape(-1)

    # Numbers of planes, units, blocks and pages.

    def plane_of(self, block: int) -> int:
        """Return the plane that `block` lies in."""
        return block // self.blocks_per_plane

    def unit_of(self, block: int) -> int:
        """Return the unit that `block` lies in."""
        plane: int = block // self.blocks_per_plane
        return plane if self.span == 1 else plane // self.span

    def aligned_of(self, block: int) -> int:
        """Return the number of the aligned blocks that `block` is one of."""
        if self.span == 1:
            return block
        plane: int = block // self.blocks_per_plane
        return block - (plane - plane // self.span) * self.blocks_per_plane

    def member(self, aligned: int, place: int) -> int:
        """Return the block of aligned blocks `aligned` at `place` of their rows."""
        if self.span == 1:
            return aligned
        unit: int = aligned // self.blocks_per_plane
        return aligned + (unit * (self.span - 1) + self._places[place]) * self.blocks_per_plane

    def members(self) -> np.ndarray:
        """Return a row for each of the aligned blocks: the blocks in it, by place."""
        planes = np.arange(self.units)[:, np.newaxis] * self.span + self.arrays["places"]
        offsets = np.arange(self.blocks_per_plane)[:, np.newaxis]
        return (planes[:, np.newaxis] * self.blocks_per_plane + offsets).reshape(-1, self.span)

    def block_of(self, ppa: int) -> int:
        """Return the block that page `ppa` lies in."""
        return ppa // self.pages_per_block

    # Aligned blocks as one: a row is the same page of each of them, which is filled place by place.

    def written_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` were handed out to writes."""
        count: int = 0
        for place in range(self.span):
            count += self.written(self.member(aligned, place))
        return count

    def unwritten_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` can still be handed out."""
        return self.span * self.pages_per_block - self.written_in(aligned)

    def programmed_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` the cells hold."""
        count: int = 0
        for place in range(self.span):
            count += self.programmed(self.member(aligned, place))
        return count

    def valid_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` hold current data."""
        count: int = 0
        for place in range(self.span):
            count += self._valid[self.member(aligned, place)]
        return count

    def place_in_row(self, aligned: int, page_type: int = -1) -> int:
        """Return how many pages of the row begun in `aligned` were handed out, where each row is whole before the next.

        With a `page_type` rows are of pages of that type alone.
        """
        if self.span == 1:
            return 0
        first: int = self.handed_out(self.member(aligned, 0), page_type)
        low: int = 0
        high: int = self.span - 1
        middle: int
        while low < high:  # the first place that is a page behind
            middle = (low + high + 1) // 2
            if self.handed_out(self.member(aligned, middle), page_type) == first:
                low = middle
            else:
                high = middle - 1
        return (low + 1) % self.span

    @cfunc
    def handed_out(self, block: int, page_type: int) -> int:
        """Return how many pages of `block` were handed out: of a type, or of all."""
        return self.written(block) if page_type < 0 else self._counts[MOST_TYPES * block + page_type]

    def next_member(self, aligned: int, page_type: int = -1) -> int:
        """Return the block of `aligned` whose turn it is to hand out a page, where each row precedes the next.

        A row has `stripe` pages of a block, or one of those of `page_type`.
        """
        if page_type < 0 and self.stripe > 1 and self.written(self.member(aligned, 0)) % self.stripe:
            return self.member(aligned, 0)
        return self.member(aligned, self.place_in_row(aligned, page_type))

    def has_type_left(self, aligned: int, page_type: int) -> bool:
        """Return whether `aligned`, whose rows are in line, has pages of `page_type` left."""
        return self.unwritten_of(self.member(aligned, self.span - 1), page_type) > 0

    def wear(self, aligned: int) -> int:
        """Return the number of erases of the block of `aligned` that has most."""
        most_erases: int = 0
        for place in range(self.span):
            most_erases = max(most_erases, self._erases[self.member(aligned, place)])
        return most_erases

    def all_in(self, aligned: int, state: int) -> bool:
        """Return whether all of `aligned` are in that state."""
        for place in range(self.span):  # noqa: SIM110
            if self._state[self.member(aligned, place)] != state:
                return False
        return True

    @cfunc
    def set_state(self, aligned: int, state: int) -> None:
        """Put all of `aligned` into a state."""
        for place in range(self.span):
            self._state[self.member(aligned, place)] = state

    # A block, and its pages.

    def state(self, block: int) -> int:
        """Return the state of `block`, a position in `STATES`."""
        return self._state[block]

    def slc(self, block: int) -> int:
        """Return 0, or 1 for a block in SLC mode, or 2 for one that is kept for it."""
        return self._slc[block]

    def valid(self, block: int) -> int:
        """Return how many pages of `block` hold current data."""
        return self._valid[block]

    @cfunc
    def total(self, first: int) -> int:
        """Return a sum over page types of `_counts`."""
        return self._counts[first] + self._counts[first + 1] + self._counts[first + 2] + self._counts[first + 3]

    def written(self, block: int) -> int:
        """Return how many pages of `block` were handed out to writes."""
        return self.total(MOST_TYPES * block)

    def programmed(self, block: int) -> int:
        """Return how many pages of `block` the cells hold."""
        return self.total(self._programmed + MOST_TYPES * block)

    def unwritten_of(self, block: int, page_type: int) -> int:
        """Return how many pages of `page_type` of `block` can still be handed out."""
        return self.order.wordlines - self._counts[MOST_TYPES * block + page_type]

    def readers(self, block: int) -> int:
        """Return how many reads are on their way to `block`."""
        return self._readers[block]

    def erases(self, block: int) -> int:
        """Return the number of erases of `block`."""
        return self._erases[block]

    def may_erase(self, block: int) -> bool:
        """Return whether nothing is on its way to `block`, nor to any of the aligned blocks that it is one of.

        Pages that writes on their way replace are wanted again if power fails. None of aligned blocks is erased while
        that can be: then they still hold all that was moved from them, and nothing of it is needed where it went.
        """
        if self.span == 1:
            return self._readers[block] == 0
        aligned: int = self.aligned_of(block)
        for place in range(self.span):  # noqa: SIM110
            if self._readers[self.member(aligned, place)]:
                return False
        return True

    @cfunc
    def has_bit(self, bitmap: Uint64s, block: int, page: int) -> bool:
        """Return whether the bit of a page is set."""
        return bitmap[block * self._words + (page >> 6)] >> (page & 63) & 1 != 0

    @cfunc
    def set_bit(self, bitmap: Uint64s, block: int, page: int) -> None:
        """Set the bit of a page."""
        one: int = 1
        bitmap[block * self._words + (page >> 6)] |= one << (page & 63)

    def is_valid(self, ppa: int) -> bool:
        """Return whether page `ppa` holds current data."""
        block: int = self.block_of(ppa)
        page: int = ppa - block * self.pages_per_block
        return self._bitmap[block * self._words + (page >> 6)] >> (page & 63) & 1 != 0

    def is_programmed(self, ppa: int) -> bool:
        """Return whether the cells hold page `ppa`; if not, its data is still in controller memory."""
        block: int = self.block_of(ppa)
        page: int = ppa - block * self.pages_per_block
        if self._cells is not None and self._state[block] == ACTIVE:
            return self.has_bit(self._cells, block, page)
        first: int = self._programmed + MOST_TYPES * block
        return self.order.wordline_at[page] < self._counts[first + self.order.type_at[page]]

    def type_of(self, ppa: int) -> int:
        """Return the type of page `ppa`, -1 in SLC mode."""
        return -1 if self._slc[self.block_of(ppa)] else self.order.type_at[ppa % self.pages_per_block]

    def next_valid(self, block: int, page: int) -> int:
        """Return the first valid page of `block` from `page` on, or -1."""
        first: int = block * self._words
        word: int = page >> 6
        if word >= self._words:
            return -1
        bits = self._bitmap[first + word] >> (page & 63) << (page & 63)
        while not bits:
            word += 1
            if word == self._words:
                return -1
            bits = self._bitmap[first + word]
        return (word << 6) + lowest_bit(bits)

    # Room.

    @cfunc
    def count_room(self, block: int, sign: int) -> None:
        """Count the pages that `block` can still hand out as room of its unit (`sign` of 1), or no more (-1)."""
        unit: int = self.unit_of(block)
        for each in range(self.page_types):
            self._unwritten[unit] += sign * self.unwritten_of(block, each)
            self._unwritten_by_type[each] += sign * self.unwritten_of(block, each)

    def free_blocks(self, unit: int) -> int:
        """Return the number of free (aligned) blocks of `unit`."""
        return self.free.counts[unit]

    def all_free_blocks(self) -> int:
        """Return the number of free blocks of the device, of aligned ones each counted."""
        free: int = 0
        for unit in range(self.units):
            free += self.free.counts[unit]
        return free * self.span

    def free_pages(self, unit: int) -> int:
        """Return the number of pages of `unit` that were not handed out since their block's last erase."""
        return self._unwritten[unit]

    def free_of_type(self, page_type: int) -> int:
        """Return the number of such pages of `page_type` on the whole device."""
        return self._unwritten_by_type[page_type]

    def valid_pages(self, unit: int) -> int:
        """Return the number of valid pages of `unit`, which are counted block by block."""
        first: int = unit * self.span * self.blocks_per_plane
        total: int = 0
        for block in range(first, first + self.span * self.blocks_per_plane):
            total += self._valid[block]
        return total

    def dead_pages(self, unit: int) -> int:
        """Return the number of invalid pages in full (aligned) blocks of `unit`: the gain of collecting them all."""
        return self._dead[unit]

    # Handing out pages.

    def take_free(self, unit: int) -> int:
        """Make a free block, or free aligned blocks, of `unit` active and return its number, or -1 if there is none."""
        aligned: int = self.free.take(unit)
        if aligned >= 0:
            self.set_state(aligned, ACTIVE)
        return aligned

    def open_slc(self, aligned: int, kept: bool) -> None:
        """Have `aligned`, taken and not written yet, store one bit a cell until it is erased.

        The pages of the other types, which there are none of, count as programmed with nothing, so that every program
        order allows the first type alone, and the block is full with that.
        """
        block: int
        for place in range(self.span):
            block = self.member(aligned, place)
            self._slc[block] = 2 if kept else 1
            self.count_room(block, -1)
            for each in range(1, self.page_types):
                self._counts[MOST_TYPES * block + each] = self.order.wordlines
                self._counts[self._programmed + MOST_TYPES * block + each] = self.order.wordlines
            for page in range(self.pages_per_block):
                if self.order.type_at[page]:
                    self.spare.set(block * self.pages_per_block + page, -1)

    @cfunc
    def allows(self, first: int, page: int) -> bool:
        """Return whether `page` may follow so many pages of each type, those of `_counts` from `first` on."""
        order = self.order
        if self._counts[first + order.type_at[page]] != order.wordline_at[page]:
            return False
        for each in range(self.page_types):
            if self._counts[first + each] < order.needs[page * MOST_TYPES + each]:
                return False
        return True

    def append(self, block: int, lpa: int) -> int:
        """Hand out the next page of active `block` in diagonal order for the data of `lpa` and return its PPA.

        The block's pages must all have been handed out this way.
        """
        return self.hand_out(block, self.written(block), lpa)

    def candidate(self, block: int, page_type: int) -> int:
        """Return the page of `page_type` that can be handed out next in active `block`, or -1."""
        written: int = self._counts[MOST_TYPES * block + page_type]
        if written == self.order.wordlines:
            return -1
        page: int = self.order.page_at[page_type * self.order.wordlines + written]
        return page if self.allows(MOST_TYPES * block, page) else -1

    def hand_out(self, block: int, page: int, lpa: int) -> int:
        """Hand out candidate `page` of active `block` for the data of `lpa` and return its PPA.

        In a block that is set aside, no page counts as valid, nor as room.
        """
        ppa: int = block * self.pages_per_block + page
        page_type: int = self.order.type_at[page]
        self.given_type = page_type
        self._counts[MOST_TYPES * block + page_type] += 1
        if self._state[block] == SET_ASIDE:
            self.spare.set(ppa, lpa)
            return ppa
        self.mark_valid(block, page, lpa)
        if not self._slc[block]:
            self._unwritten[self.unit_of(block)] -= 1
            self._unwritten_by_type[page_type] -= 1
        return ppa

    def mark_valid(self, block: int, page: int, lpa: int) -> None:
        """Record that `page` of `block` holds the current data of `lpa`, without counting it as written."""
        one: int = 1  # a literal is narrower
        self.spare.set(block * self.pages_per_block + page, lpa)
        self._bitmap[block * self._words + (page >> 6)] |= one << (page & 63)
        self._valid[block] += 1

    def skip(self, block: int) -> None:
        """Hand out the next page of active `block` in diagonal order to nothing: it is dead and never programmed.

        It counts as programmed as soon as the pages before it are. The block's pages must all have been handed out in
        diagonal order. One of a block that is set aside has not counted as room before, either.
        """
        page: int = self.written(block)
        page_type: int = self.order.type_at[page]
        if self._skipped is None:
            self._skipped = self.allocate("skipped", (self.count, self._words), "u8")
        self.set_bit(self._skipped, block, page)
        self.spare.set(block * self.pages_per_block + page, -1)
        self._counts[MOST_TYPES * block + page_type] += 1
        if self._state[block] != SET_ASIDE:
            self._unwritten[self.unit_of(block)] -= 1
            self._unwritten_by_type[page_type] -= 1
        if self._cells is not None:
            self.set_bit(self._cells, block, page)
            self._counts[self._programmed + MOST_TYPES * block + page_type] += 1
        self.pass_skipped(block)
        self.close_if_full(block)

    @cfunc
    def pass_skipped(self, block: int) -> None:
        """Count skipped pages of `block` whose turn to be programmed it is as programmed."""
        first: int = self._programmed + MOST_TYPES * block
        page_type: int = 0
        page: int
        while self._cells is None and page_type < self.page_types:
            if self._counts[first + page_type] < self._counts[MOST_TYPES * block + page_type]:
                page = self.order.page_at[page_type * self.order.wordlines + self._counts[first + page_type]]
                if self.has_bit(self._skipped, block, page) and self.allows(first, page):
                    self._counts[first + page_type] += 1
                    page_type = 0
                    continue
            page_type += 1

    # Programs and erases.

    def may_program(self, block: int, page: int) -> bool:
        """Return whether `page` of `block` can be programmed now: by the rule, and without danger to lower pages."""
        if self._cells is not None:
            return True
        if not self.allows(self._programmed + MOST_TYPES * block, page):
            return False
        if self._backed_up is not None:
            for each in range(self.order.type_at[page]):
                if self._backed_up[MOST_TYPES * block + each] <= self.order.wordline_at[page]:
                    return False
        return True

    def look_ahead(self, block: int, page: int, change: int) -> None:
        """Count `page` of `block` as programmed for `may_program` (`change` of 1), or no more (-1)."""
        self._counts[self._programmed + MOST_TYPES * block + self.order.type_at[page]] += change

    def wordlines_backed_up(self, block: int, page_type: int) -> int:
        """Return how many wordlines `back_up` was told last for `page_type` of `block`, 0 since its erase."""
        return self._backed_up[MOST_TYPES * block + page_type]

    def back_up(self, block: int, page_type: int, wordlines: int) -> None:
        """Record that the pages of `page_type` in the first `wordlines` of `block` are backed up, or not needed."""
        self._backed_up[MOST_TYPES * block + page_type] = wordlines

    def program(self, ppa: int) -> None:
        """Program page `ppa`; raise `FlashError` if the rule does not allow it, or if it was never handed out."""
        block: int = self.block_of(ppa)
        page: int = ppa - block * self.pages_per_block
        page_type: int = self.order.type_at[page]
        first: int = self._programmed + MOST_TYPES * block
        written: int = self._counts[MOST_TYPES * block + page_type]
        if self._cells is not None:
            if self.order.wordline_at[page] >= written or self.is_programmed(ppa):
                raise FlashError(
                    f"block {block}: {self.order.describe(page)} was not handed out, or programmed before."
                )
            self.set_bit(self._cells, block, page)
        elif not self.allows(first, page) or self._counts[first + page_type] >= written:
            raise FlashError(self.out_of_order(block, page))
        self._counts[first + page_type] += 1
        if self._skipped is not None:
            self.pass_skipped(block)
        self.close_if_full(block)

    def out_of_order(self, block: int, page: int) -> str:
        """Return a sentence on a page that is programmed before its turn."""
        types = self.page_types
        programmed, written = (self.arrays[name][block, :types].tolist() for name in ("programmed", "written"))
        return (
            f"block {block}: {self.order.describe(page)} was programmed out of order: by type, {programmed} pages are "
            f"programmed and {written} handed out, and the {self.order.rule} rule wants "
            f"{self.order.needed(page)} first."
        )

    @cfunc
    def close_if_full(self, block: int) -> None:
        """Record that active `block` is full, if all of its pages are programmed."""
        if self._state[block] == ACTIVE and self.programmed(block) == self.pages_per_block:
            self.fill(block)

    def fill(self, block: int) -> None:
        """Make active `block`, all of which is programmed, a full one, or one that is cached."""
        self._state[block] = CACHED if self._slc[block] == 2 else FULL
        aligned: int = self.aligned_of(block)
        if self.all_in(aligned, FULL):
            self._dead[self.unit_of(block)] += self.span * self.pages_per_block - self.valid_in(aligned)
            if self.span > 1:
                self._valid_if_full[aligned] = self.valid_in(aligned)
            self.index.filled(aligned, self.unit_of(block), self.rank(aligned))

    def close(self, block: int) -> None:
        """Fill the rest of active `block`, which has no program on its way, with nothing, as it is of no more use."""
        for page in range(self.pages_per_block):
            if self.order.wordline_at[page] >= self._counts[MOST_TYPES * block + self.order.type_at[page]]:
                self.spare.set(block * self.pages_per_block + page, -1)
        self.wasted += self.pages_per_block - self.written(block)
        self.fill_rest(block)

    def fill_rest(self, block: int) -> None:
        """Count every page of active `block` as programmed."""
        if not self._slc[block]:
            self.count_room(block, -1)
        for each in range(self.page_types):
            self._counts[MOST_TYPES * block + each] = self.order.wordlines
            self._counts[self._programmed + MOST_TYPES * block + each] = self.order.wordlines
        self.fill(block)

    @cfunc
    def rank(self, aligned: int) -> int:
        """Return the number of valid pages that the index ranks `aligned` by."""
        if not self.by_least:
            return self.valid_in(aligned)
        fewest_valid: int = self.pages_per_block
        for place in range(self.span):
            fewest_valid = min(fewest_valid, self._valid[self.member(aligned, place)])
        return fewest_valid

    def invalidate(self, ppa: int) -> None:
        """Mark valid page `ppa` as invalid: it no longer holds current data."""
        block: int = self.block_of(ppa)
        page: int = ppa - block * self.pages_per_block
        one: int = 1
        self._bitmap[block * self._words + (page >> 6)] &= ~(one << (page & 63))
        before: int = -1
        if self.span == 1:
            self._valid[block] -= 1
            if self._state[block] == FULL:
                before = self.plane_of(block)
                self._dead[before] += 1
                self.index.invalidated(block, before, self._valid[block])
            return
        aligned: int = self.aligned_of(block)
        is_full: bool = self._valid_if_full[aligned] >= 0
        if is_full and self.by_least:
            before = self.rank(aligned)
        self._valid[block] -= 1
        if is_full:
            self._valid_if_full[aligned] -= 1
            self._dead[self.unit_of(block)] += 1
            rank: int = self.rank(aligned) if self.by_least else self._valid_if_full[aligned]
            if rank != before:
                self.index.invalidated(aligned, self.unit_of(block), rank)

    def add_reader(self, block: int) -> None:
        """Count a read on its way to `block`."""
        self._readers[block] += 1

    def remove_reader(self, block: int) -> None:
        """Count a read of `block` as done: it has its data."""
        self._readers[block] -= 1

    def erase(self, block: int) -> None:
        """Erase collected `block`, and free it once its aligned blocks are; raise `FlashError` if that would lose data.

        One that is set aside can be erased, too, by itself, and stays that.
        """
        state: int = self._state[block]
        if self._valid[block] or self._readers[block] or (state != COLLECTING and state != SET_ASIDE):
            raise FlashError(
                f"block {block} was erased while {STATES[state]} with {self._valid[block]} valid pages and "
                f"{self._readers[block]} reads on their way."
            )
        for each in range(MOST_TYPES):
            self._counts[MOST_TYPES * block + each] = self._counts[self._programmed + MOST_TYPES * block + each] = 0
            if self._backed_up is not None:
                self._backed_up[MOST_TYPES * block + each] = 0
        for word in range(block * self._words, (block + 1) * self._words):
            if self._cells is not None:
                self._cells[word] = 0
            if self._skipped is not None:
                self._skipped[word] = 0
        self._erases[block] += 1
        self._round[block] += 1
        self._slc[block] = 0
        self.erased += 1
        if state == COLLECTING:
            self._state[block] = FREE
            if self.all_in(self.aligned_of(block), FREE):
                self.release(self.aligned_of(block))

    # What becomes of (aligned) blocks.

    def collect(self, aligned: int) -> None:
        """Take a full block, or full aligned blocks, out of the index: the valid pages are about to be moved."""
        unit: int = aligned // self.blocks_per_plane
        if self.all_in(aligned, FULL):
            self._dead[unit] -= self.span * self.pages_per_block - self.valid_in(aligned)
            self.index.taken(aligned, unit, self.rank(aligned))
            if self.span > 1:
                self._valid_if_full[aligned] = -1
        elif not self.all_in(aligned, CACHED):
            block: int = self.member(aligned, 0)
            raise FlashError(f"block {block} is {STATES[self._state[block]]}; only a full block can be collected.")
        self.set_state(aligned, COLLECTING)

    def keep(self, aligned: int) -> None:
        """Undo `collect`, as none has been erased: the blocks are full ones again."""
        if not self.all_in(aligned, COLLECTING) or self.unwritten_in(aligned):
            raise FlashError(f"block {self.member(aligned, 0)} was not taken for collection as a full block.")
        self.set_state(aligned, FULL)
        self.fill(self.member(aligned, 0))

    def reclaim(self, aligned: int) -> None:
        """Take a partly programmed (aligned) block for collection; what is unused is wasted."""
        block: int
        state: int
        on_their_way: int
        for place in range(self.span):
            block = self.member(aligned, place)
            state = self._state[block]
            on_their_way = self.written(block) - self.programmed(block)
            is_open: bool = state == ACTIVE or (state == FULL and not self.all_in(aligned, FULL))
            if on_their_way or not is_open:
                raise FlashError(
                    f"block {block} is {STATES[state]} with {on_their_way} programs on their way; only an active block "
                    "with none can be reclaimed."
                )
        for place in range(self.span):
            self.count_room(self.member(aligned, place), -1)
        self.wasted += self.unwritten_in(aligned)
        self.set_state(aligned, COLLECTING)

    def set_aside(self, unit: int) -> int:
        """Take a free block, or free aligned blocks, of `unit` out of use for data and return its number, or -1."""
        aligned: int = self.take_free(unit)
        if aligned >= 0:
            self.set_state(aligned, SET_ASIDE)
            for place in range(self.span):
                self.count_room(self.member(aligned, place), -1)
        return aligned

    def give_back(self, aligned: int) -> None:
        """Free the blocks set aside as `aligned`; all of them are erased."""
        if not self.all_in(aligned, SET_ASIDE) or self.written_in(aligned):
            raise FlashError(f"block {self.member(aligned, 0)} was given back and is not set aside, or not erased.")
        for place in range(self.span):
            self._round[self.member(aligned, place)] = 0
        self.set_state(aligned, FREE)
        self.release(aligned)

    def release(self, aligned: int) -> None:
        """Add `aligned`, which is erased, to the free blocks."""
        for place in range(self.span):
            self.count_room(self.member(aligned, place), 1)
        self.free.put(aligned, self.wear(aligned) if self.least_worn_first else 0)

    def column(self, name: str) -> np.ndarray:
        """Return a copy of one field of every block as a NumPy array: valid, written, programmed, erases or state.

        Pages of the other types do not count in SLC mode.
        """
        field = self.arrays[name]
        if field.ndim > 1:
            field = np.where(self.arrays["slc"] > 0, field[:, 0], field.sum(axis=1))
        return field.astype(np.int64)
