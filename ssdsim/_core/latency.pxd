from libc.stdint cimport int64_t

cdef extern from *:
    int __builtin_clzll(unsigned long long word) noexcept nogil

cdef enum:
    SUBDIVISION = 8         # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
    BINS = (64 - SUBDIVISION + 1) << SUBDIVISION
    COARSER = 2             # bits: what takes more memory has a quarter of these bins
    PARTS = 8               # values in a row of `LatencyParts`, which is a line of the cache

cdef inline int64_t bin_of(int64_t value) noexcept nogil:
    cdef int shift
    if value < 1 << SUBDIVISION:
        return value
    shift = 63 - __builtin_clzll(value) - SUBDIVISION
    return (<int64_t>(shift + 1) << SUBDIVISION) + (value >> shift) - (1 << SUBDIVISION)

cdef class LatencyParts:
    cdef double[:, ::1] sums        # by bin: how many, their values, and the parts of these; in 64 bits, 10**7 waits
                                    # of 1000 s would run over
    cpdef void add(
        self, int64_t value, int64_t bus, int64_t array, int64_t gc, int64_t urgent_gc, int64_t mapping, int64_t buffer
    ) noexcept

cdef class LatencyRecorder:
    cdef readonly int64_t count, largest
    cdef int64_t limit              # how many values are kept as they are
    cdef double total, squares
    cdef int64_t[::1] exact         # the first values themselves
    cdef int64_t[::1] bins          # counts, log-linear, of all values once some are not kept
    cdef int64_t next_batch, batch_size     # values before the next batch ends; values in a batch
    cdef list batch_ends            # count, sum and bins at the end of each, once the values are no more kept
    cpdef void add(self, int64_t value) noexcept
    cdef void grow(self)
    cdef void end_batch(self)
    cdef up_to_largest(self, int64_t[::1] bins)
    cdef void count_exact(self, int64_t[::1] bins) noexcept
