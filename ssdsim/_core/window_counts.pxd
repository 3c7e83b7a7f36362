from libc.stdint cimport int32_t, int64_t

cdef class WindowCounts:
    cdef int keys
    cdef int64_t[:, ::1] sums       # by key, of the current window: see `records`
    cdef int32_t[:, ::1] bins       # likewise: counts
    cdef int32_t[:, ::1] used       # likewise: which bins count something, in the order in which they came to
    cdef int32_t[::1] used_count
    cdef int64_t[:, ::1] closed     # rows of `records`, and where the entries of each begin
    cdef int32_t[:, ::1] entries    # of what is closed: bin and count
    cdef int64_t closed_count, entry_count
    cpdef void add(self, int key, int64_t value, int64_t size) noexcept
    cpdef close(self, int64_t window)
    cpdef halve(self)
    cdef write(self, int64_t window, int key)
    cdef void load(self, int64_t row) noexcept
    cdef void clear(self, int key) noexcept
