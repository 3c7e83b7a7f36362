cimport cython
from libc.stdint cimport int64_t, uint16_t

@cython.final
cdef class Hotness:
    cdef readonly int64_t super_page, window_ns
    cdef readonly int updates
    cdef int64_t[::1] window        # by (super) page: the window of the count
    cdef uint16_t[::1] now, before  # by (super) page: updates in that window, and in the one before it
    @cython.locals(at=int64_t, window=int64_t)
    cpdef int64_t enter(self, int64_t lpa, int64_t at_ns) except -1
    @cython.locals(at=int64_t)
    cpdef int updated(self, int64_t lpa, int64_t at_ns) except -1
    @cython.locals(at=int64_t)
    cpdef bint is_hot(self, int64_t lpa, int64_t at_ns) except -1
