# cython: infer_types=True
"""Indexes over a plane's full blocks, kept as pages die, from which a victim is chosen without a scan.

`Blocks` tells its index when a block fills up, loses a valid page, or is taken for collection. Every update is O(1).
Blocks and planes are numbered over the whole device.
"""

from __future__ import annotations

from array import array

from ssdsim._core.columns import Int32s, Int64s
from ssdsim._core.linked_lists import LinkedLists


class VictimIndex:
    """Keeps nothing; the base of the indexes below."""

    def filled(self, block: int, plane: int, valid: int) -> None:
        """React when the last page of `block` has been programmed and `valid` of its pages are valid."""

    def invalidated(self, block: int, plane: int, valid: int) -> None:
        """React when a page of full `block` became invalid, which leaves `valid`."""

    def taken(self, block: int, plane: int, valid: int) -> None:
        """Forget `block`: it is being collected."""


class ValidCountBuckets(VictimIndex):
    """Full blocks of a plane by valid count; within a count, the one untouched for longest comes first."""

    pages: int  # of a block: the highest valid count
    buckets: LinkedLists  # by plane and count
    clock: int  # counts fillings and invalidations
    touched: Int64s  # by block: clock of its last filling or invalidation
    lowest: Int32s  # by plane: no bucket below this one holds a block

    def __init__(self, planes: int, blocks_per_plane: int, pages_per_block: int) -> None:
        self.pages = pages_per_block
        self.buckets = LinkedLists(planes * (pages_per_block + 1), planes * blocks_per_plane)
        self.clock = 0
        self.touched = array("q", [0]) * (planes * blocks_per_plane)
        self.lowest = array("i", [pages_per_block]) * planes

    def filled(self, block: int, plane: int, valid: int) -> None:
        """Put a block, touched now, into its bucket."""
        self.clock += 1
        self.touched[block] = self.clock
        self.buckets.append(plane * (self.pages + 1) + valid, block)
        if valid < self.lowest[plane]:
            self.lowest[plane] = valid

    def invalidated(self, block: int, plane: int, valid: int) -> None:
        """Move a block to the bucket below."""
        self.buckets.remove(plane * (self.pages + 1) + valid + 1, block)
        self.filled(block, plane, valid)

    def taken(self, block: int, plane: int, valid: int) -> None:
        """Forget a block that is being collected."""
        self.buckets.remove(plane * (self.pages + 1) + valid, block)

    def least_valid(self, plane: int) -> int:
        """Return the full block of `plane` with the fewest valid pages, or -1; of equals the longest untouched.

        The search goes up from the lowest count that can be filled, which rises only here: O(1) amortised.
        """
        first: int = plane * (self.pages + 1)
        valid: int = self.lowest[plane]
        while valid < self.pages and self.buckets.head(first + valid) < 0:
            valid += 1
        self.lowest[plane] = valid
        return self.buckets.head(first + valid)

    def lowest_least_valid(self, plane: int) -> int:
        """Return the full block of `plane` with the fewest valid pages, or -1; of equals that of the lowest number."""
        best: int = self.least_valid(plane)
        block: int = best
        while block >= 0:
            best = min(best, block)
            block = self.buckets.following(block)
        return best

    def best_cost_benefit(self, plane: int) -> int:
        """Return the full block of `plane` with the highest age * (1 - u) / 2u, or -1.

        u is the valid share and age the count of fillings and invalidations anywhere since the block's last one
        (Kawaguchi, Nishioka and Motoda, "A flash-memory based file system", USENIX 1995; age in events, so that a run
        without timing decides alike). In each bucket the first block is the oldest, so only bucket heads compete; the
        search stops where even the oldest conceivable block could no longer win.
        """
        best: int = self.least_valid(plane)
        best_score: float = -1.0
        valid: int = self.lowest[plane]
        if valid == 0:
            return best
        while valid <= self.pages and self.clock * (self.pages - valid) > best_score * 2 * valid:
            block: int = self.buckets.head(plane * (self.pages + 1) + valid)
            if block >= 0:
                score: float = (self.clock - self.touched[block]) * (self.pages - valid) / (2.0 * valid)
                if score > best_score:
                    best = block
                    best_score = score
            valid += 1
        return best


class FillOrder(VictimIndex):
    """Full blocks of a plane in the order in which they filled up."""

    blocks: LinkedLists  # by plane

    def __init__(self, planes: int, blocks_per_plane: int, pages_per_block: int) -> None:
        self.blocks = LinkedLists(planes, planes * blocks_per_plane)

    def filled(self, block: int, plane: int, valid: int) -> None:
        """Put a full block behind the others."""
        self.blocks.append(plane, block)

    def taken(self, block: int, plane: int, valid: int) -> None:
        """Forget a block that is being collected."""
        self.blocks.remove(plane, block)

    def oldest(self, plane: int) -> int:
        """Return the block of `plane` that has been full for longest, or -1."""
        return self.blocks.head(plane)


class FullBlocks(VictimIndex):
    """Full blocks of a plane as an array, to draw from."""

    blocks_per_plane: int
    members: Int32s  # by plane, its full blocks in no order
    position: Int32s  # by block: where it stands in `members`
    counts: Int32s  # by plane
    valid_pages: Int32s  # by block

    def __init__(self, planes: int, blocks_per_plane: int, pages_per_block: int) -> None:
        self.blocks_per_plane = blocks_per_plane
        self.members = array("i", [0]) * (planes * blocks_per_plane)
        self.position = array("i", [0]) * (planes * blocks_per_plane)
        self.counts = array("i", [0]) * planes
        self.valid_pages = array("i", [0]) * (planes * blocks_per_plane)

    def filled(self, block: int, plane: int, valid: int) -> None:
        """Add a full block."""
        self.position[block] = self.counts[plane]
        self.members[plane * self.blocks_per_plane + self.counts[plane]] = block
        self.counts[plane] += 1
        self.valid_pages[block] = valid

    def invalidated(self, block: int, plane: int, valid: int) -> None:
        """Note the valid pages of a block."""
        self.valid_pages[block] = valid

    def taken(self, block: int, plane: int, valid: int) -> None:
        """Put the last block in the place of one that is being collected."""
        self.counts[plane] -= 1
        moved: int = self.members[plane * self.blocks_per_plane + self.counts[plane]]
        self.members[plane * self.blocks_per_plane + self.position[block]] = moved
        self.position[moved] = self.position[block]

    def count(self, plane: int) -> int:
        """Return how many full blocks `plane` has."""
        return self.counts[plane]

    def at(self, plane: int, index: int) -> int:
        """Return one of them, 0 <= index < count."""
        return self.members[plane * self.blocks_per_plane + index]

    def valid(self, block: int) -> int:
        """Return the valid pages of full `block`."""
        return self.valid_pages[block]
