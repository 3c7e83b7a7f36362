# cython: infer_types=True
"""The blocks that pages of the mapping table are written to, where it lies in flash."""

from __future__ import annotations

from array import array
from math import ceil
from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.columns import Int64s
from ssdsim.config import HardwareConfig
from ssdsim.errors import SimulationError


def most_in_one_of(places: int, pages: int) -> int:
    """Return how many of so many pages of the map may lie in one of so many places: a quarter above the mean."""
    # without a limit one could fill up with what is hardly ever written, without slack none could ever move
    return ceil(1.25 * pages / places)


def blocks_of_table(hardware: HardwareConfig, pages: int, by_rows: bool) -> float:
    """Return the blocks of a plane that so many pages of the map take, and one more to be filled, if there are any."""
    share = most_in_one_of(hardware.planes, pages) + by_rows  # a row lies in one die
    return share / hardware.block_pages + 1 if pages else 0.0


@final
class TableBlocks:
    """An (aligned) block of each unit for pages of the mapping table, from when the first of them is written.

    It is filled in diagonal order. The host's translation pages take none but free blocks beyond the `reserved` ones;
    the collector, which moves such pages to the same block, may take any.
    """

    by_rows: bool  # each row is written as a whole
    wait: bool  # a page waits for a unit that `has_room`
    active: Int64s  # by unit: the (aligned) block that is being filled, or -1

    def __init__(self, blocks: Blocks, reserved: int, by_rows: bool) -> None:
        self.blocks = blocks
        self.reserved = reserved
        self.by_rows = by_rows
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

    def allocate(self, unit: int, lpa: int) -> int:
        """Hand out the next page for translation page `lpa`, -1 for padding, and return its PPA."""
        if self.active[unit] < 0:
            self.active[unit] = self.blocks.take_free(unit)
            if self.active[unit] < 0:
                plane = unit * self.blocks.span
                raise SimulationError(f"plane {plane} has no free block for the mapping table: the reserve was spent.")
            if self.blocks.cells.backed_up is not None:  # no backup is needed: it is written anew after a loss of power
                for member in self.blocks.members_of(self.active[unit]):
                    self.blocks.cells.backed_up.set(member, 0, self.blocks.order.wordlines)
        ppa = self.blocks.append(self.blocks.next_member(self.active[unit]), lpa)
        if self.left(unit) == 0:
            self.active[unit] = -1
        return ppa
