# cython: infer_types=True
"""The blocks that pages of the mapping table are written to, where it lies in flash."""

from __future__ import annotations

from array import array
from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim.errors import SimulationError


@final
class TableBlocks:
    """An (aligned) block of each unit for pages of the mapping table, from when the first of them is written.

    The host's translation pages take none but free blocks beyond the `reserved` ones; the collector, which moves such
    pages to the same block, may take any. With `by_type` pages are filled type by type, as far as the program order
    allows, else in diagonal order. `wait` says that a page waits for a unit that `has_room`.
    """

    by_rows: bool  # each row is written as a whole
    active: Int64s  # by unit: the (aligned) block that is being filled, or -1

    def __init__(self, blocks: Blocks, reserved: int, by_rows: bool, by_type: bool) -> None:
        self.blocks = blocks
        self.reserved = reserved
        self.by_rows = by_rows
        self.by_type = by_type
        self.wait = False
        self.active = array("q", [-1] * blocks.units)

    def has_room(self, unit: int) -> bool:
        """Return whether that block, or a free one beyond the reserve, has a page, or a row where rows are whole."""
        free = self.blocks.free_blocks(unit)
        pages_needed: int = self.blocks.span if self.by_rows else 1
        return free > self.reserved or (free == self.reserved and self.left(unit) >= pages_needed)

    def left(self, unit: int) -> int:
        """Return how many pages the block of `unit` has left."""
        return 0 if self.active[unit] < 0 else self.blocks.unwritten_in(self.active[unit])

    def free_pages(self, unit: int) -> int:
        """Return the free pages for data, or those of free blocks only while translation pages wait for one of them."""
        if self.wait and not self.has_room(unit):
            return self.blocks.free_blocks(unit) * self.blocks.span * self.blocks.pages_per_block
        return self.blocks.free_pages(unit) - self.left(unit)

    def opened(self, unit: int) -> int:
        """Return the block of `unit` for such pages, a free one if there was none; raise `SimulationError` without."""
        if self.active[unit] < 0:
            self.active[unit] = self.blocks.take_free(unit)
            if self.active[unit] < 0:
                plane = unit * self.blocks.span
                raise SimulationError(
                    f"plane {plane} has no free block left for the mapping table: the reserve was spent."
                )
        return self.active[unit]

    def allocate(self, unit: int, lpa: int) -> int:
        """Hand out the next page for translation page `lpa`, -1 for padding, and return its PPA; errors as `opened`."""
        aligned = self.opened(unit)
        if self.by_type:
            page_type = self.next_type(aligned)
            block = self.blocks.next_member(aligned, page_type)
            ppa = self.blocks.hand_out(block, self.blocks.candidate(block, page_type), lpa)
        else:
            ppa = self.blocks.append(self.blocks.next_member(aligned), lpa)
        self.close_if_used_up(unit)
        return ppa

    def skip(self, unit: int) -> None:
        """Pass over the next page."""
        self.blocks.skip(self.blocks.next_member(self.opened(unit)))
        self.close_if_used_up(unit)

    @cfunc
    def close_if_used_up(self, unit: int) -> None:
        """Forget the block of `unit` if all of its pages have been handed out."""
        if self.blocks.unwritten_in(self.active[unit]) == 0:
            self.active[unit] = -1

    def next_type(self, aligned: int) -> int:
        """Return the type of the row that is begun in `aligned`, or the fastest that can be handed out."""
        page_type = self.blocks.page_types - 1
        while page_type > 0 and self.blocks.place_in_row(aligned, page_type) == 0:
            page_type -= 1
        if self.blocks.place_in_row(aligned, page_type) == 0:
            while self.blocks.candidate(self.blocks.next_member(aligned, page_type), page_type) < 0:
                page_type += 1
        return page_type
