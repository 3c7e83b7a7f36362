from libc.stdint cimport int32_t, int64_t

cdef struct Free:           # a free block, or free aligned blocks, ordered by erases where wear counts, then by `order`
    int32_t erases
    int32_t block
    int64_t order           # counts releases, or turns of addresses

cdef class FreeBlocks:
    cdef readonly object heaps          # the NumPy arrays that own the memory below
    cdef readonly object counts
    cdef int64_t blocks_per_unit
    cdef bint by_address
    cdef Free* heap                     # a binary heap for each unit
    cdef int32_t* count                 # by unit
    cdef int64_t[::1] next_address      # by unit: where the turn of addresses stands, times round the unit included
    cdef int64_t released
    cdef int64_t take(self, int64_t unit) noexcept
    cdef void put(self, int64_t aligned, int erases) noexcept
