"""Static wear leveling: cold data is moved out of blocks that have worn little.

Dynamic wear leveling, the choice of the least erased free block, is a property of the free lists (`Blocks`).
"""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.blocks import FULL
else:
    from ssdsim._core.blocks import STATES

    FULL = STATES.index("full")


class WearLeveling:
    """Moves nothing; the base of what does."""

    def cold_block(self, plane):
        """Return a full block of `plane` to be collected for the sake of wear, or -1; asked before each collection."""
        return -1

    def block_erased(self, plane, block):
        """Take note that `block` of `plane` has just been erased."""


class StaticWearLeveling(WearLeveling):
    """Moves the data of the least worn full block of a plane once another has been erased `threshold` times more.

    It needs the least worn free block to be taken first (`Blocks`), or cold data would only go round among little-worn
    blocks. The plane is searched only when its erases exceed the least count known by the threshold, which happens once
    in many erases.
    """

    def __init__(self, blocks, threshold):
        self.blocks = blocks
        self.threshold = threshold
        self.least = array("q", [0] * blocks.planes)
        self.cold = array("q", [-1] * blocks.planes)

    def cold_block(self, plane):
        """Return the block found when the last one was erased, once."""
        block = self.cold[plane]
        self.cold[plane] = -1
        return block if block >= 0 and self.blocks.state(block) == FULL else -1

    def block_erased(self, plane, block):
        """Look for the least worn full block if `block` has become much more worn than the least count known."""
        erases = self.blocks.erases(block)
        if erases - self.least[plane] <= self.threshold:
            return
        first = plane * self.blocks.blocks_per_plane
        least = erases
        found = -1
        for candidate in range(first, first + self.blocks.blocks_per_plane):
            if self.blocks.state(candidate) == FULL and self.blocks.erases(candidate) < least:
                least = self.blocks.erases(candidate)
                found = candidate
        self.least[plane] = least
        if erases - least > self.threshold:
            self.cold[plane] = found
