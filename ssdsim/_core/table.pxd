from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef class IndexTable:
    cdef readonly int64_t size, limit
    cdef readonly bint wide     # 8 bytes an entry instead of 4
    cdef object storage         # the NumPy array that owns the memory
    cdef uint32_t* narrow       # value + 1, so that 0, what fresh memory holds, means none
    cdef uint64_t* broad
    cpdef int64_t get(self, int64_t index) noexcept
    cpdef void set(self, int64_t index, int64_t value) noexcept
    cpdef void prefetch(self, int64_t index) noexcept
    cpdef int64_t swap(self, int64_t index, int64_t value) noexcept
