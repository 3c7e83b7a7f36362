from libc.stdint cimport int64_t

from ssdsim._core.victim_index cimport BlockLists

cdef class BlockPools(BlockLists):
    cpdef push(self, int64_t pool, int64_t block)
    cpdef int64_t pop(self, int64_t pool) noexcept
    cpdef remove(self, int64_t pool, int64_t block)
    cpdef int64_t head(self, int64_t pool) noexcept
    cpdef int64_t following(self, int64_t block) noexcept
