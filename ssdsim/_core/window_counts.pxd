from libc.stdint cimport int32_t, int64_t

cdef class WindowCounts:
    cdef int keys
    cdef int64_t[:, ::1] sums       # by key: how many values, their sum, their bytes, and the largest value
    cdef int32_t[:, ::1] bins       # by key: counts
    cdef int32_t[:, ::1] used       # by key: which bins count something, in the order in which they came to
    cdef int32_t[::1] used_count
    cpdef void add(self, int key, int64_t value, int64_t size) noexcept
