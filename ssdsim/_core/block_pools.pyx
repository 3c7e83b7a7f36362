"""Pools of blocks, first in, first out: what a write frontier keeps its partly written blocks in."""

import numpy as np


cdef class BlockPools(BlockLists):
    """`pools_per_plane` queues of blocks a plane, numbered plane * pools_per_plane + pool; a block is in one at most."""

    def __init__(self, int64_t planes, int64_t blocks_per_plane, int pools_per_plane):
        BlockLists.__init__(self, planes, blocks_per_plane, 0)
        self.first = np.full(planes * pools_per_plane, -1, np.int32)
        self.last = np.full(planes * pools_per_plane, -1, np.int32)

    cpdef push(self, int64_t pool, int64_t block):
        """Put `block` at the end of `pool`."""
        self.append(block, pool)

    cpdef int64_t pop(self, int64_t pool) noexcept:
        """Take the block that has been in `pool` for longest out and return it, or -1."""
        cdef int64_t block = self.first[pool]
        if block >= 0:
            self.unlink(block, pool)
        return block

    cpdef remove(self, int64_t pool, int64_t block):
        """Take `block` out of `pool`, wherever it stands."""
        self.unlink(block, pool)

    cpdef int64_t head(self, int64_t pool) noexcept:
        """Return the block that has been in `pool` for longest, or -1."""
        return self.first[pool]

    cpdef int64_t following(self, int64_t block) noexcept:
        """Return the block that came into the pool of `block` after it, or -1."""
        return self.after[block]
