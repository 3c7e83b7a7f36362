cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier

cdef class AlignedFrontier(WriteFrontier):
    cdef readonly bint shared
    cdef readonly bint mixed            # whether moved data goes to the same blocks as the host's
    cdef readonly bint by_rows          # whether the host writes whole rows
    cdef readonly int span
    cdef readonly int64_t[::1] rows     # by unit, then purpose: the aligned blocks being filled, or -1
    cdef int[::1] places                # by unit, then purpose: the plane whose turn it is in the row
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    @cython.locals(unit=int64_t, free=int)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(unit=int64_t, free=int, slot=int64_t, rows=int)
    cpdef bint has_room_for_translation(self, int64_t plane) except -1
    @cython.locals(aligned=int64_t, free=int64_t, place=int)
    cpdef int64_t free_pages(self, int64_t unit) except -1
    cpdef int64_t slot_for(self, int64_t plane, int purpose) except -1
    @cython.locals(slot=int64_t, aligned=int64_t, place=int, block=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa, int page_type) except -1
    @cython.locals(unit=int64_t, free=int, slot=int64_t)
    cpdef bint has_room_beside(self, int64_t plane, int purpose) except -1
    cpdef int place_in_row(self, int64_t plane, int purpose) except -1
    @cython.locals(slot=int64_t, place=int)
    cpdef list reopen(self, list aligned_blocks)
    @cython.locals(rows=int, begun=int, place=int, beyond=int, block=int64_t)
    cpdef int place_reached(self, int64_t aligned) except -2
