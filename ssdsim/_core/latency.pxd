from libc.stdint cimport int64_t

cdef class LatencyRecorder:
    cdef readonly int64_t count, largest
    cdef double total, squares
    cdef int64_t[::1] exact         # the first values themselves
    cdef int64_t[::1] bins          # counts, log-linear
    cpdef void add(self, int64_t value) noexcept
    cdef void grow(self)
