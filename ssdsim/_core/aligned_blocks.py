# cython: noexcept
"""Aligned blocks as one: the blocks in them, the rows of pages that they are filled in, and the room they have.

A unit is a plane, or several, of a die or of many, whose blocks go together: aligned blocks, at the same offset in each
of them, are taken, collected and freed as one. They have one number, unit * blocks_per_plane + offset; where a unit is
a plane, that is the block's own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.cells import Cells, PageCounts
from ssdsim._core.columns import Int8s, Int32s, Int64s, Uint8s
from ssdsim._core.free_blocks import FreeBlocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.errors import FlashError

STATES = ("free", "active", "full", "collecting", "set aside", "cached")

FREE: Final = 0  # in the order of `STATES`
ACTIVE: Final = 1
FULL: Final = 2
COLLECTING: Final = 3
SET_ASIDE: Final = 4
CACHED: Final = 5


class AlignedBlocks:
    """Numbers aligned blocks, of one block each where a unit is a plane, and counts their pages; the base of `Blocks`.

    A row is the same page of each of them, which is filled in their order, or in that of `places`: by place in the row,
    which plane of the unit it is. `arrays` has the columns as NumPy arrays, by name, for what is not on a request's
    path. Positions are not checked: the caller owes numbers in range.
    """

    planes: int
    blocks_per_plane: int
    pages_per_block: int
    span: int  # planes in a unit
    units: int
    stripe: int  # pages of a block that follow one another, before those of the next plane in a unit
    order: ProgramOrder
    page_types: int
    free: FreeBlocks
    least_worn_first: bool
    arrays: dict[str, Any]
    given: PageCounts  # pages handed out to writes, which is what an FTL records
    cells: Cells  # pages programmed, which the flash knows
    _valid: Int32s  # by block: how many of these
    _erases: Int32s
    _state: Int8s
    _unwritten: Int64s  # by unit: pages not handed out, in free and active blocks
    _unwritten_by_type: Int64s  # the same over the whole device
    _places: Int32s  # by place in a row: which plane of the unit it is
    _round: Uint8s  # erases, up to 255 and then from 0 on: that of aligned blocks is the same, or they are being erased
    _dead: Int64s  # by unit: invalid pages in full blocks

    def allocate(self, name: str, shape: Any, dtype: str) -> Any:
        """Return the memory of a new column, which is taken as it is written to."""
        self.arrays[name] = np.zeros(shape, dtype)
        return self.arrays[name].reshape(-1)

    def unit_of(self, block: int) -> int:
        """Return the unit that `block` lies in."""
        return block // (self.blocks_per_plane * self.span)

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

    def members_of(self, aligned: int) -> list[int]:
        """Return the blocks of `aligned`, in the order of their rows."""
        return [self.member(aligned, place) for place in range(self.span)]

    def members(self) -> np.ndarray:
        """Return a row for each of the aligned blocks: the blocks in it, by place."""
        planes = np.arange(self.units)[:, np.newaxis] * self.span + self.arrays["places"]
        offsets = np.arange(self.blocks_per_plane)[:, np.newaxis]
        return (planes[:, np.newaxis] * self.blocks_per_plane + offsets).reshape(-1, self.span)

    def written_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` were handed out to writes."""
        count: int = 0
        for place in range(self.span):
            count += self.given.total(self.member(aligned, place))
        return count

    def unwritten_in(self, aligned: int) -> int:
        """Return how many pages of `aligned` can still be handed out."""
        return self.span * self.pages_per_block - self.written_in(aligned)

    def on_their_way(self, aligned: int) -> int:
        """Return how many pages of `aligned` were handed out that the cells do not hold yet."""
        count: int = self.written_in(aligned)
        for place in range(self.span):
            count -= self.cells.programmed.total(self.member(aligned, place))
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
        while low < high:  # the first place that is a page behind
            middle: int = (low + high + 1) // 2
            if self.handed_out(self.member(aligned, middle), page_type) == first:
                low = middle
            else:
                high = middle - 1
        return (low + 1) % self.span

    @cfunc
    def handed_out(self, block: int, page_type: int) -> int:
        """Return how many pages of `block` were handed out: of a type, or of all."""
        return self.given.total(block) if page_type < 0 else self.given.of_type(block, page_type)

    def next_member(self, aligned: int, page_type: int = -1) -> int:
        """Return the block of `aligned` whose turn it is to hand out a page, where each row precedes the next.

        A row has `stripe` pages of a block, or one of those of `page_type`.
        """
        if page_type < 0 and self.stripe > 1 and self.given.total(self.member(aligned, 0)) % self.stripe:
            return self.member(aligned, 0)
        return self.member(aligned, self.place_in_row(aligned, page_type))

    def has_type_left(self, aligned: int, page_type: int) -> bool:
        """Return whether `aligned`, whose rows are in line, has pages of `page_type` left."""
        return self.given.of_type(self.member(aligned, self.span - 1), page_type) < self.order.wordlines

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

    @cfunc
    def least_valid(self, aligned: int) -> int:
        """Return the number of valid pages of the block of `aligned` that has fewest."""
        fewest_valid: int = self.pages_per_block
        for place in range(self.span):
            fewest_valid = min(fewest_valid, self._valid[self.member(aligned, place)])
        return fewest_valid

    @cfunc
    def count_room(self, block: int, sign: int) -> None:
        """Count the pages that `block` can still hand out as room of its unit (`sign` of 1), or no more (-1)."""
        unit: int = self.unit_of(block)
        left: int
        for page_type in range(self.page_types):
            left = self.order.wordlines - self.given.of_type(block, page_type)
            self._unwritten[unit] += sign * left
            self._unwritten_by_type[page_type] += sign * left

    def take_free(self, unit: int) -> int:
        """Make a free block, or free aligned blocks, of `unit` active and return its number, or -1 if there is none."""
        aligned: int = self.free.take(unit)
        if aligned >= 0:
            self.set_state(aligned, ACTIVE)
        return aligned

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

    def free_pages(self, unit: int) -> int:
        """Return the number of pages of `unit` that were not handed out since their block's last erase."""
        return self._unwritten[unit]

    def free_of_type(self, page_type: int) -> int:
        """Return the number of such pages of `page_type` on the whole device."""
        return self._unwritten_by_type[page_type]

    def valid_pages(self, unit: int) -> int:
        """Return the number of valid pages of `unit`, which are counted block by block."""
        return int(self.arrays["valid"].reshape(self.units, -1)[unit].sum())

    def dead_pages(self, unit: int) -> int:
        """Return the number of invalid pages in full (aligned) blocks of `unit`: the gain of collecting them all."""
        return self._dead[unit]

    def column(self, name: str) -> np.ndarray:
        """Return a copy of one field of every block as a NumPy array: valid, written, programmed, erases or state.

        Pages of the other types do not count in SLC mode.
        """
        field = self.arrays[name]
        if field.ndim > 1:
            field = np.where(self.arrays["slc"] > 0, field[:, 0], field.sum(axis=1))
        return field.astype(np.int64)
