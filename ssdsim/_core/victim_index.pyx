"""Indexes over a plane's full blocks, kept as pages die, from which a victim is chosen without a scan.

`Blocks` tells its index when a block fills up, loses a valid page, or is taken for collection. Every update is O(1).
Blocks and planes are numbered over the whole device.
"""

import numpy as np


cdef class VictimIndex:
    """Keeps nothing; the base of the indexes below."""

    cpdef void filled(self, int64_t block, int64_t plane, int valid) noexcept:
        """React when the last page of `block` has been programmed and `valid` of its pages are valid."""

    cpdef void invalidated(self, int64_t block, int64_t plane, int valid) noexcept:
        """React when a page of full `block` became invalid, which leaves `valid`."""

    cpdef void taken(self, int64_t block, int64_t plane, int valid) noexcept:
        """Forget `block`: it is being collected."""

    def holdings(self, int64_t plane) -> list[tuple[int, int]] | None:
        """Return (block, valid pages or -1 if not known) of the blocks held for `plane`; None if none are ever held."""
        return None


cdef class BlockLists(VictimIndex):
    """Doubly linked lists of blocks; a block stands in one of them at most."""

    def __init__(self, int64_t planes, int64_t blocks_per_plane, int pages_per_block):
        self.before = np.full(planes * blocks_per_plane, -1, np.int32)
        self.after = np.full(planes * blocks_per_plane, -1, np.int32)

    def listed(self, int64_t where) -> list[int]:
        """Return the blocks of list `where`, in order."""
        blocks, block = [], self.first[where]
        while block >= 0:
            blocks.append(block)
            block = self.after[block]
        return blocks

    cdef void append(self, int64_t block, int64_t where) noexcept:
        cdef int64_t tail = self.last[where]
        self.before[block] = <int32_t>tail
        self.after[block] = -1
        if tail < 0:
            self.first[where] = <int32_t>block
        else:
            self.after[tail] = <int32_t>block
        self.last[where] = <int32_t>block

    cdef void unlink(self, int64_t block, int64_t where) noexcept:
        cdef int32_t before = self.before[block], after = self.after[block]
        if before < 0:
            self.first[where] = after
        else:
            self.after[before] = after
        if after < 0:
            self.last[where] = before
        else:
            self.before[after] = before


cdef class ValidCountBuckets(BlockLists):
    """Full blocks of a plane by valid count; within a count, the one untouched for longest comes first."""

    def __init__(self, int64_t planes, int64_t blocks_per_plane, int pages_per_block):
        BlockLists.__init__(self, planes, blocks_per_plane, pages_per_block)
        self.pages = pages_per_block
        self.first = np.full(planes * (pages_per_block + 1), -1, np.int32)
        self.last = np.full(planes * (pages_per_block + 1), -1, np.int32)
        self.touched = np.zeros(planes * blocks_per_plane, np.int64)
        self.lowest = np.full(planes, pages_per_block, np.int32)

    cpdef void filled(self, int64_t block, int64_t plane, int valid) noexcept:
        self.enter(block, plane, valid)

    cpdef void invalidated(self, int64_t block, int64_t plane, int valid) noexcept:
        self.unlink(block, plane * (self.pages + 1) + valid + 1)
        self.enter(block, plane, valid)

    cpdef void taken(self, int64_t block, int64_t plane, int valid) noexcept:
        self.unlink(block, plane * (self.pages + 1) + valid)

    cdef void enter(self, int64_t block, int64_t plane, int valid) noexcept:
        self.clock += 1
        self.touched[block] = self.clock
        self.append(block, plane * (self.pages + 1) + valid)
        if valid < self.lowest[plane]:
            self.lowest[plane] = valid

    def holdings(self, int64_t plane) -> list[tuple[int, int]] | None:
        cdef int64_t base = plane * (self.pages + 1), block
        cdef int valid
        held = []
        for valid in range(self.pages + 1):
            block = self.first[base + valid]
            while block >= 0:
                held.append((block, valid))
                block = self.after[block]
        return held

    cpdef int64_t least_valid(self, int64_t plane) noexcept:
        """Return the full block of `plane` with the fewest valid pages, or -1; of equals the longest untouched.

        The search goes up from the lowest count that can be filled, which rises only here: O(1) amortised.
        """
        cdef int64_t base = plane * (self.pages + 1)
        cdef int valid = self.lowest[plane]
        while valid < self.pages and self.first[base + valid] < 0:
            valid += 1
        self.lowest[plane] = valid
        return self.first[base + valid]

    cpdef int64_t lowest_least_valid(self, int64_t plane) noexcept:
        """Return the full block of `plane` with the fewest valid pages, or -1; of equals that of the lowest number."""
        cdef int64_t best = self.least_valid(plane), block = best
        while block >= 0:
            if block < best:
                best = block
            block = self.after[block]
        return best

    cpdef int64_t best_cost_benefit(self, int64_t plane) noexcept:
        """Return the full block of `plane` with the highest age * (1 - u) / 2u, or -1.

        u is the valid share and age the count of fillings and invalidations anywhere since the block's last one
        (Kawaguchi, Nishioka and Motoda, "A flash-memory based file system", USENIX 1995; age in events, so that a run
        without timing decides alike). In each bucket the first block is the oldest, so only bucket heads compete; the
        search stops where even the oldest conceivable block could no longer win.
        """
        cdef int64_t base = plane * (self.pages + 1), best = -1
        cdef double score, best_score = -1
        cdef int valid
        cdef int64_t block
        if self.least_valid(plane) < 0:
            return -1
        for valid in range(self.lowest[plane], self.pages + 1):
            if valid and self.clock * (self.pages - valid) <= best_score * 2 * valid:
                break
            block = self.first[base + valid]
            if block < 0:
                continue
            if valid == 0:
                return block
            score = <double>(self.clock - self.touched[block]) * (self.pages - valid) / (2.0 * valid)
            if score > best_score:
                best, best_score = block, score
        return best


cdef class FillOrder(BlockLists):
    """Full blocks of a plane in the order in which they filled up."""

    def __init__(self, int64_t planes, int64_t blocks_per_plane, int pages_per_block):
        BlockLists.__init__(self, planes, blocks_per_plane, pages_per_block)
        self.first = np.full(planes, -1, np.int32)
        self.last = np.full(planes, -1, np.int32)

    cpdef void filled(self, int64_t block, int64_t plane, int valid) noexcept:
        self.append(block, plane)

    cpdef void taken(self, int64_t block, int64_t plane, int valid) noexcept:
        self.unlink(block, plane)

    def holdings(self, int64_t plane) -> list[tuple[int, int]] | None:
        return [(block, -1) for block in self.listed(plane)]

    cpdef int64_t oldest(self, int64_t plane) noexcept:
        """Return the block of `plane` that has been full for longest, or -1."""
        return self.first[plane]


cdef class FullBlocks(VictimIndex):
    """Full blocks of a plane as an array, to draw from."""

    def __init__(self, int64_t planes, int64_t blocks_per_plane, int pages_per_block):
        self.blocks_per_plane = blocks_per_plane
        self.member = np.zeros(planes * blocks_per_plane, np.int32)
        self.position = np.zeros(planes * blocks_per_plane, np.int32)
        self.counts = np.zeros(planes, np.int32)
        self.valid_pages = np.zeros(planes * blocks_per_plane, np.int32)

    cpdef void filled(self, int64_t block, int64_t plane, int valid) noexcept:
        self.position[block] = self.counts[plane]
        self.member[plane * self.blocks_per_plane + self.counts[plane]] = <int32_t>block
        self.counts[plane] += 1
        self.valid_pages[block] = valid

    cpdef void invalidated(self, int64_t block, int64_t plane, int valid) noexcept:
        self.valid_pages[block] = valid

    cpdef void taken(self, int64_t block, int64_t plane, int valid) noexcept:
        cdef int32_t moved
        self.counts[plane] -= 1
        moved = self.member[plane * self.blocks_per_plane + self.counts[plane]]
        self.member[plane * self.blocks_per_plane + self.position[block]] = moved
        self.position[moved] = self.position[block]

    def holdings(self, int64_t plane) -> list[tuple[int, int]] | None:
        return [(self.at(plane, i), self.valid_pages[self.at(plane, i)]) for i in range(self.counts[plane])]

    cpdef int64_t count(self, int64_t plane) noexcept:
        """Return how many full blocks `plane` has."""
        return self.counts[plane]

    cpdef int64_t at(self, int64_t plane, int64_t index) noexcept:
        """Return one of them, 0 <= index < count."""
        return self.member[plane * self.blocks_per_plane + index]

    cpdef int valid(self, int64_t block) noexcept:
        """Return the valid pages of full `block`."""
        return self.valid_pages[block]
