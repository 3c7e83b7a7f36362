cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks

@cython.final
cdef class TableBlocks:
    cdef Blocks blocks
    cdef readonly int reserved, pages_needed
    cdef readonly bint by_type
    cdef public bint wait
    cdef readonly int64_t[::1] active       # by unit: the (aligned) block that is being filled, or -1
    @cython.locals(free=int)
    cpdef bint has_room(self, int64_t unit) except -1
    cpdef int64_t left(self, int64_t unit) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    cpdef int64_t opened(self, int64_t unit) except -1
    cpdef skip(self, int64_t unit)
    cdef close_if_used_up(self, int64_t unit)
    @cython.locals(aligned=int64_t, page_type=int, block=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t unit, int64_t lpa) except -1
    @cython.locals(page_type=int)
    cpdef int next_type(self, int64_t aligned) except -1
    cpdef bint reopen(self, int64_t unit, int64_t aligned) except -1
