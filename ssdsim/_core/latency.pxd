from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from *:
    int __builtin_clzll(unsigned long long word) noexcept nogil
    int __builtin_ctzll(unsigned long long word) noexcept nogil

cdef enum:
    SUBDIVISION = 8         # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
    BINS = (64 - SUBDIVISION + 1) << SUBDIVISION
    COARSER = 2             # bits: a window has a quarter of these bins

cdef inline int64_t bin_of(int64_t value) noexcept nogil:
    cdef int64_t shift = (__builtin_clzll(value | 1 << SUBDIVISION) ^ 63) - SUBDIVISION     # 0 for the smallest
    return (shift << SUBDIVISION) + (value >> shift)

cdef class LatencyGroups:
    cdef list recorders             # by group, then operation: a `LatencyRecorder`, or None
    cdef int64_t[::1] bytes         # likewise
    cdef int64_t limit
    cpdef int add(self, int64_t group, int op, int64_t value, int64_t size) except -1

cdef class LatencyRecorder:
    cdef readonly int64_t count
    cdef int64_t limit              # how many values are kept as they are
    cdef int64_t summed             # values that the sums, and the largest, are of: all once some are not kept
    cdef double sum, squares
    cdef int64_t maximum            # the largest value
    cdef int64_t[::1] exact         # the first values themselves
    cdef int64_t room               # of them, for so many
    cdef object ranked              # an array of them by size, as it was when last asked for
    cdef int64_t[::1] bins          # counts, log-linear, of all values once some are not kept
    cdef int64_t next_batch, batch_size     # values before the next batch ends; values in a batch
    cdef list batch_ends            # count and sum at the end of each, once the values are no more kept
    cpdef void add(self, int64_t value) noexcept
    cdef void grow(self) noexcept
    cdef void count_in(self, int64_t value) noexcept
    cdef void add_up(self) noexcept
    cdef void end_batch(self) noexcept
    cdef void count_exact(self, int64_t[::1] bins) noexcept

cdef class WindowCounts:
    cdef int keys
    cdef int64_t[:, ::1] sums       # by key, of the current window: see `records`
    cdef int32_t[:, ::1] bins       # likewise: counts
    cdef uint64_t[:, ::1] used      # likewise: which bins count something, a bit each, by octave
    cdef uint64_t[::1] octaves      # likewise: of which octaves any does
    cdef int64_t[:, ::1] closed     # rows of `records`, and where the entries of each begin
    cdef int32_t[:, ::1] entries    # of what is closed: bin and count
    cdef int64_t closed_count, entry_count
    cpdef void add(self, int key, int64_t value, int64_t size) noexcept
    cpdef close(self, int64_t window)
    cpdef halve(self)
    cdef write(self, int64_t window, int key)
    cdef void write_bins(self, int key) noexcept
    cdef void load(self, int64_t row) noexcept
    cdef void mark(self, int key, int64_t at) noexcept
