from libc.stdint cimport int64_t

cdef class LatencyRecorder:
    cdef readonly int64_t count, largest
    cdef double total, squares
    cdef int64_t[::1] exact         # the first values themselves
    cdef int64_t[::1] bins          # counts, log-linear
    cdef int64_t next_batch, batch_size     # values before the next batch ends; values in a batch
    cdef list batch_ends            # count, sum and bins at the end of each, once the values are no more kept
    cpdef void add(self, int64_t value) noexcept
    cdef void grow(self)
    cdef void end_batch(self)
