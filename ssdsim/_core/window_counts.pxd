from libc.stdint cimport int32_t, int64_t, uint64_t

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
