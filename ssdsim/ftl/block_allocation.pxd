cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks

cdef class WriteFrontier:
    cdef Blocks blocks
    cdef int pages_per_block
    cdef readonly bint shared
    cdef int64_t[::1] active        # by plane, then purpose: the block being filled, or -1
    cpdef int64_t slot(self, int64_t plane, int purpose) noexcept
    @cython.locals(free=int)
    cpdef bint has_room(self, int64_t plane) noexcept
    @cython.locals(slot=int64_t, block=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa) except -1
