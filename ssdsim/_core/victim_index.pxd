from libc.stdint cimport int32_t, int64_t

cdef class VictimIndex:
    cpdef void filled(self, int64_t block, int64_t plane, int valid) noexcept
    cpdef void invalidated(self, int64_t block, int64_t plane, int valid) noexcept
    cpdef void taken(self, int64_t block, int64_t plane, int valid) noexcept

cdef class BlockLists(VictimIndex):
    cdef public int32_t[::1] first, last   # by list: its ends, -1 if empty
    cdef public int32_t[::1] before, after # by block: its neighbours in the list
    cdef void append(self, int64_t block, int64_t where) noexcept
    cdef void unlink(self, int64_t block, int64_t where) noexcept

cdef class ValidCountBuckets(BlockLists):
    cdef int pages                  # a block's pages: the highest valid count
    cdef public int64_t clock              # counts fillings and invalidations
    cdef public int64_t[::1] touched       # by block: clock of its last filling or invalidation
    cdef public int32_t[::1] lowest        # by plane: no bucket below this one holds a block
    cpdef int64_t least_valid(self, int64_t plane) noexcept
    cpdef int64_t lowest_least_valid(self, int64_t plane) noexcept
    cpdef int64_t best_cost_benefit(self, int64_t plane) noexcept
    cdef void enter(self, int64_t block, int64_t plane, int valid) noexcept

cdef class FillOrder(BlockLists):
    cpdef int64_t oldest(self, int64_t plane) noexcept

cdef class FullBlocks(VictimIndex):
    cdef int64_t blocks_per_plane
    cdef public int32_t[::1] member        # by plane, its full blocks in no order
    cdef public int32_t[::1] position      # by block: where it stands in `member`
    cdef public int32_t[::1] counts        # by plane
    cdef public int32_t[::1] valid_pages   # by block
    cpdef int64_t count(self, int64_t plane) noexcept
    cpdef int64_t at(self, int64_t plane, int64_t index) noexcept
    cpdef int valid(self, int64_t block) noexcept
