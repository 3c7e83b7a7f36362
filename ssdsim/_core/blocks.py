# cython: noexcept
"""State of every block of the device: what its cells hold, which pages are valid, and which blocks are free.

A block goes free -> active -> full -> collecting -> free; one that is set aside, for pages that hold no logical one, is
erased as often as need be before it is given back, and goes free -> set aside -> free. A block in SLC mode (`open_slc`)
stores one bit a cell until its erase: it has the pages of the first type alone, one after another, and none of them is
room of its unit; one that is kept for that mode goes free -> active -> cached -> collecting -> free, and is no victim
that wins back space. Blocks, planes and pages are numbered over the whole device:
block = plane * blocks_per_plane + index, PPA = block * pages_per_block + page. A page is first handed out to a write
and later programmed; in which order is the rule of the block's `ProgramOrder`, enforced where a page is programmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from ssdsim._core.aligned_blocks import ACTIVE, CACHED, COLLECTING, FREE, FULL, SET_ASIDE, STATES, AlignedBlocks
from ssdsim._core.bitmap import Bitmap
from ssdsim._core.calls import cfunc
from ssdsim._core.cells import Cells, PageCounts
from ssdsim._core.columns import Int8s, Int32s
from ssdsim._core.free_blocks import FreeBlocks
from ssdsim._core.program_order import MOST_TYPES, ProgramOrder
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import VictimIndex
from ssdsim.errors import FlashError


@final
class Blocks(AlignedBlocks):
    """All blocks; `index` is told what happens to full ones, so that a victim can be chosen without a scan.

    `order` is the program-order rule; without one, a block has one page type. With `least_worn_first` the free block
    with the fewest erases is taken first (dynamic wear leveling), else the one that has been free for longest or, if
    `by_address`, the first one behind that taken last, round and round. Aligned blocks are ranked in the index by their
    valid pages in total or, if `by_least`, by those of the block that has the fewest. Whether it `backs_up` is for
    `Cells`; `span`, the number of planes in a unit, and `places` are for `AlignedBlocks`.
    """

    count: int
    pages: int
    by_least: bool
    index: VictimIndex
    has_slc: bool  # a block may be in SLC mode
    given_type: int  # type of the page that was handed out last
    erased: int  # erases so far
    wasted: int  # pages that were unused when their block was reclaimed
    wasted_for_parity: int  # pages skipped because a copy-back needs a page of the other parity
    spare: IndexTable  # by PPA: the LPA written there with the data
    _marks: Bitmap  # pages that hold current data
    _readers: Int32s  # by block: reads on their way to it, and writes that replace its data: its erase waits for them
    _slc: Int8s  # by block: 1 in SLC mode, 2 also kept for it
    _rank: Int32s  # by aligned blocks: valid pages that the index ranks them by, -1 unless all are full

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
        blocks = planes * blocks_per_plane
        self.planes, self.blocks_per_plane, self.pages_per_block = planes, blocks_per_plane, pages_per_block
        self.span = span
        self.units = planes // span
        self.stripe = 1
        self.by_least = by_least
        self.has_slc = False
        self.count = blocks
        self.pages = blocks * pages_per_block
        self.order = ProgramOrder(pages_per_block) if order is None else order
        self.page_types = self.order.types
        self.index = VictimIndex() if index is None else index
        self.free = FreeBlocks(self.units, blocks_per_plane, by_address)
        self.spare = IndexTable(self.pages)
        self.least_worn_first = least_worn_first
        self.given_type = 0
        self.erased = self.wasted = self.wasted_for_parity = 0
        self.given = PageCounts(blocks, self.order)
        self.cells = Cells(blocks, self.given, backs_up)
        self._marks = Bitmap(blocks, pages_per_block)
        memory: dict[str, Any] = {"written": self.given.counts, "programmed": self.cells.programmed.counts}
        memory["bitmap"] = self._marks.bits
        self.arrays = {name: np.asarray(column).reshape(blocks, -1) for name, column in memory.items()}
        counts = (self.allocate(name, blocks, "i4") for name in ("valid", "erases", "readers"))
        self._valid, self._erases, self._readers = counts
        self._state, self._slc = (self.allocate(name, blocks, "i1") for name in ("state", "slc"))
        self._round = self.allocate("round", blocks, "u1")
        self._rank = self.allocate("rank", self.units * blocks_per_plane, "i4")
        self._unwritten, self._dead = (self.allocate(name, self.units, "i8") for name in ("unwritten", "dead"))
        self._unwritten_by_type = self.allocate("unwritten_by_type", MOST_TYPES, "i8")
        self._places = self.allocate("places", span, "i4")
        self.arrays["places"][:] = range(span) if places is None else places
        self.arrays["rank"][:] = -1
        for aligned in range(self.units * blocks_per_plane):
            self.release(aligned)

    def plane_of(self, block: int) -> int:
        """Return the plane that `block` lies in."""
        return block // self.blocks_per_plane

    def block_of(self, ppa: int) -> int:
        """Return the block that page `ppa` lies in."""
        return ppa // self.pages_per_block

    # A block, and its pages.

    def state(self, block: int) -> int:
        """Return the state of `block`, a position in `STATES`."""
        return self._state[block]

    def valid(self, block: int) -> int:
        """Return how many pages of `block` hold current data."""
        return self._valid[block]

    def erases(self, block: int) -> int:
        """Return the number of erases of `block`."""
        return self._erases[block]

    def slc(self, block: int) -> int:
        """Return 0, or 1 for a block in SLC mode, or 2 for one that is kept for it."""
        return self._slc[block]

    def written(self, block: int) -> int:
        """Return how many pages of `block` were handed out to writes."""
        return self.given.total(block)

    def unwritten_of(self, block: int, page_type: int) -> int:
        """Return how many pages of `page_type` of `block` can still be handed out."""
        return self.order.wordlines - self.given.of_type(block, page_type)

    def may_erase(self, block: int) -> bool:
        """Return whether nothing is on its way to `block`, nor to any of the aligned blocks that it is one of.

        Pages that writes on their way replace are wanted again if power fails. None of aligned blocks is erased while
        that can be: then they still hold all that was moved from them, and nothing of it is needed where it went.
        """
        aligned: int = self.aligned_of(block)
        for place in range(self.span):  # noqa: SIM110
            if self._readers[self.member(aligned, place)]:
                return False
        return True

    def is_valid(self, ppa: int) -> bool:
        """Return whether page `ppa` holds current data."""
        return self._marks.has(ppa // self.pages_per_block, ppa % self.pages_per_block)

    def is_programmed(self, ppa: int) -> bool:
        """Return whether the cells hold page `ppa`; if not, its data is still in controller memory."""
        block: int = ppa // self.pages_per_block
        return self.cells.holds(block, ppa - block * self.pages_per_block, self._state[block] == ACTIVE)

    def type_of(self, ppa: int) -> int:
        """Return the type of page `ppa`, -1 in SLC mode."""
        return -1 if self._slc[self.block_of(ppa)] else self.order.type_at[ppa % self.pages_per_block]

    def next_valid(self, block: int, page: int) -> int:
        """Return the first valid page of `block` from `page` on, or -1."""
        return self._marks.following(block, page)

    # Handing out pages.

    def free_blocks(self, unit: int) -> int:
        """Return the number of free (aligned) blocks of `unit`."""
        return self.free.counts[unit]

    def open_slc(self, aligned: int, kept: bool) -> None:
        """Put `aligned`, taken and not written yet, into SLC mode, one bit a cell, until it is erased.

        The pages of the other types, which there are none of, count as programmed with nothing, so that every program
        order allows the first type alone, and the block is full with that.
        """
        for place in range(self.span):
            block: int = self.member(aligned, place)
            self._slc[block] = 2 if kept else 1
            self.count_room(block, -1)
            self.given.fill(block, 1)
            self.cells.programmed.fill(block, 1)
            for page in range(self.pages_per_block):
                if self.order.type_at[page]:
                    self.spare.set(block * self.pages_per_block + page, -1)

    def append(self, block: int, lpa: int) -> int:
        """Hand out the next page of active `block` in diagonal order for the data of `lpa` and return its PPA.

        The block's pages must all have been handed out this way.
        """
        return self.hand_out(block, self.given.total(block), lpa)

    def candidate(self, block: int, page_type: int) -> int:
        """Return the page of `page_type` that can be handed out next in active `block`, or -1."""
        written: int = self.given.of_type(block, page_type)
        if written == self.order.wordlines:
            return -1
        page: int = self.order.page_at[page_type * self.order.wordlines + written]
        return page if self.given.allows(block, page) else -1

    def hand_out(self, block: int, page: int, lpa: int) -> int:
        """Hand out candidate `page` of active `block` for the data of `lpa` and return its PPA.

        In a block that is set aside, no page counts as valid, nor as room.
        """
        ppa: int = block * self.pages_per_block + page
        page_type: int = self.order.type_at[page]
        self.given_type = page_type
        self.given.add(block, page_type, 1)
        if self._state[block] == SET_ASIDE:
            self.spare.set(ppa, lpa)
            return ppa
        self.mark_valid(block, page, lpa)
        if not self._slc[block]:
            self._unwritten[block // (self.blocks_per_plane * self.span)] -= 1
            self._unwritten_by_type[page_type] -= 1
        return ppa

    def mark_valid(self, block: int, page: int, lpa: int) -> None:
        """Record that `page` of `block` holds the current data of `lpa`, without counting it as written."""
        self.spare.set(block * self.pages_per_block + page, lpa)
        self._marks.add(block, page)
        self._valid[block] += 1

    def skip(self, block: int) -> None:
        """Hand out the next page of active `block` in diagonal order to nothing: it is dead and never programmed.

        It counts as programmed as soon as the pages before it are. The block's pages must all have been handed out in
        diagonal order. One of a block that is set aside has not counted as room before, either.
        """
        page: int = self.given.total(block)
        page_type: int = self.order.type_at[page]
        self.spare.set(block * self.pages_per_block + page, -1)
        self.given.add(block, page_type, 1)
        if self._state[block] != SET_ASIDE:
            self._unwritten[block // (self.blocks_per_plane * self.span)] -= 1
            self._unwritten_by_type[page_type] -= 1
        self.cells.skip(block, page)
        self.close_if_full(block)

    # Programs and erases.

    def program(self, ppa: int) -> None:
        """Program page `ppa`; raise `FlashError` if the rule does not allow it, or if it was never handed out."""
        block: int = self.block_of(ppa)
        page: int = ppa - block * self.pages_per_block
        if not self.cells.program(block, page):
            told = self.order.describe(page)
            raise FlashError(f"block {block}: {told} was programmed out of order, twice, or without being handed out.")
        self.close_if_full(block)

    @cfunc
    def close_if_full(self, block: int) -> None:
        """Record that active `block` is full, if all of its pages are programmed."""
        if self._state[block] == ACTIVE and self.cells.programmed.total(block) == self.pages_per_block:
            self.fill(block)

    def fill(self, block: int) -> None:
        """Make active `block`, all of which is programmed, a full one, or one that is cached."""
        self._state[block] = CACHED if self._slc[block] == 2 else FULL
        aligned: int = self.aligned_of(block)
        if self.all_in(aligned, FULL):
            self._dead[self.unit_of(block)] += self.span * self.pages_per_block - self.valid_in(aligned)
            self._rank[aligned] = self.least_valid(aligned) if self.by_least else self.valid_in(aligned)
            self.index.filled(aligned, self.unit_of(block), self._rank[aligned])

    def close(self, block: int) -> None:
        """Fill the rest of active `block`, which has no program on its way, with nothing, as it is of no more use."""
        for page in range(self.pages_per_block):
            if self.order.wordline_at[page] >= self.given.of_type(block, self.order.type_at[page]):
                self.spare.set(block * self.pages_per_block + page, -1)
        self.wasted += self.pages_per_block - self.written(block)
        self.fill_rest(block)

    def fill_rest(self, block: int) -> None:
        """Count every page of active `block` as programmed."""
        if not self._slc[block]:
            self.count_room(block, -1)
        self.given.fill(block, 0)
        self.cells.programmed.fill(block, 0)
        self.fill(block)

    def invalidate(self, ppa: int) -> None:
        """Mark valid page `ppa` as invalid: it no longer holds current data."""
        block: int = self.block_of(ppa)
        aligned: int = block if self.span == 1 else self.aligned_of(block)
        unit: int = aligned // self.blocks_per_plane
        rank: int = self._rank[aligned]
        self._marks.remove(block, ppa - block * self.pages_per_block)
        self._valid[block] -= 1
        if rank >= 0:
            self._dead[unit] += 1
            self._rank[aligned] = min(rank, self._valid[block]) if self.by_least else rank - 1
            if self._rank[aligned] != rank:
                self.index.invalidated(aligned, unit, self._rank[aligned])

    def add_reader(self, block: int) -> None:
        """Count a read on its way to `block`."""
        self._readers[block] += 1

    def remove_reader(self, block: int) -> bool:
        """Count a read of `block` as done: it has its data; return whether it was the last on its way."""
        self._readers[block] -= 1
        return self._readers[block] == 0

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
        self.given.clear(block)
        self.cells.erase(block)
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
            self.index.taken(aligned, unit, self._rank[aligned])
            self._rank[aligned] = -1
        elif not self.all_in(aligned, CACHED):
            block: int = self.member(aligned, 0)
            raise FlashError(f"block {block} is {STATES[self._state[block]]}; only a full block can be collected.")
        self.set_state(aligned, COLLECTING)

    def reclaim(self, aligned: int) -> None:
        """Take a partly programmed (aligned) block for collection; what is unused is wasted."""
        state: int = self._state[self.member(aligned, 0)]
        on_their_way: int = self.on_their_way(aligned)
        is_open: bool = state == ACTIVE or (state == FULL and not self.all_in(aligned, FULL))
        if on_their_way or not is_open:
            raise FlashError(
                f"block {self.member(aligned, 0)} is {STATES[state]} with {on_their_way} programs on their way; only "
                "an active block with none can be reclaimed."
            )
        for place in range(self.span):
            self.count_room(self.member(aligned, place), -1)
        self.wasted += self.unwritten_in(aligned)
        self.set_state(aligned, COLLECTING)
