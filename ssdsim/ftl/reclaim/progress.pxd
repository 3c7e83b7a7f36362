cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class Progress:
    cdef int64_t pages_a_write      # as a constant that compiled code need not look up
    cdef readonly int64_t unpaid    # pages of victims, less `PAGES_A_WRITE` for each write of the host
    cdef readonly int64_t unpaid_limit
    cpdef host_wrote(self)
    cpdef bint is_made(self, int64_t pages) except -1
