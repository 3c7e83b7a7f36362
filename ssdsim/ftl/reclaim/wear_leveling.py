# cython: infer_types=True
"""Static wear leveling: cold data is moved out of blocks that have worn little.

Dynamic wear leveling, the choice of the least erased free block, is a property of the free lists (`Blocks`).
"""

from __future__ import annotations

from array import array

from ssdsim._core.blocks import FULL, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s


class WearLeveling:
    """Moves nothing; the base of what does."""

    def cold_block(self, unit: int) -> int:
        """Return a full (aligned) block of `unit` to be collected for the sake of wear, or -1; asked every time."""
        return -1

    def block_erased(self, block: int) -> None:
        """Record that `block` has just been erased."""


class StaticWearLeveling(WearLeveling):
    """Moves the data of the least worn full block of a unit once another has over `threshold` erases more.

    It needs the least worn free block to be taken first (`Blocks`), or cold data would only go round among little-worn
    blocks. The unit is searched only when its erases exceed the least count known by the threshold, which happens once
    in many erases. Aligned blocks are as worn as the one of them that has most erases.
    """

    least_erases: Int64s  # by unit: the fewest erases of a full block when last searched
    cold: Int64s  # by unit: the (aligned) block to move next, or -1

    def __init__(self, blocks: Blocks, threshold: int) -> None:
        self.blocks = blocks
        self.threshold = threshold
        self.least_erases = array("q", [0] * blocks.units)
        self.cold = array("q", [-1] * blocks.units)

    def cold_block(self, unit: int) -> int:
        """Return the block found when the last one was erased, once."""
        found = self.cold[unit]
        self.cold[unit] = -1
        return found if found >= 0 and is_full(self.blocks, found) else -1

    def block_erased(self, block: int) -> None:
        """Look for the least worn full block if `block` has become much more worn than the least count known."""
        unit = self.blocks.unit_of(block)
        erases = self.blocks.erases(block)
        if erases - self.least_erases[unit] <= self.threshold:
            return
        first = unit * self.blocks.blocks_per_plane
        fewest_erases = erases
        found = -1
        for candidate in range(first, first + self.blocks.blocks_per_plane):
            worn = self.blocks.wear(candidate)
            if worn < fewest_erases and is_full(self.blocks, candidate):
                fewest_erases = worn
                found = candidate
        self.least_erases[unit] = fewest_erases
        if erases - fewest_erases > self.threshold:
            self.cold[unit] = found


@cfunc
def is_full(blocks: Blocks, aligned: int) -> bool:
    """Return whether all of an (aligned) block is full."""
    for place in range(blocks.span):  # noqa: SIM110 - a compiled function takes no generator expression
        if blocks.state(blocks.member(aligned, place)) != FULL:
            return False
    return True
