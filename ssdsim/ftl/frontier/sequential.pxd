cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier

cdef class SequentialFrontier(WriteFrontier):
    cdef readonly bint shared
    cdef readonly bint mixed        # whether moved data goes to the same blocks as the host's
    cdef int64_t[::1] active        # by plane, then purpose: the block being filled, or -1
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    @cython.locals(free=int)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(free=int)
    cpdef bint has_room_for_translation(self, int64_t plane) except -1
    @cython.locals(block=int64_t, left=int)
    cpdef int64_t free_pages(self, int64_t unit) except -1
    cpdef int64_t slot_for(self, int64_t plane, int purpose) except -1
    @cython.locals(slot=int64_t, block=int64_t)
    cpdef int64_t open_slot(self, int64_t plane, int purpose) except -1
    @cython.locals(slot=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa, int page_type) except -1
    cpdef close_if_used_up(self, int64_t slot)
    @cython.locals(slot=int64_t, ppa=int64_t)
    cpdef int64_t allocate_copy(self, int64_t plane, int purpose, int64_t lpa, int page) except -1
    @cython.locals(room=int64_t, purpose=int, block=int64_t)
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    @cython.locals(block=int64_t)
    cpdef int64_t write_point(self, int64_t plane, int purpose) except -1
    @cython.locals(free=int)
    cpdef bint has_room_beside(self, int64_t plane, int purpose) except -1
    @cython.locals(slot=int64_t)
    cpdef list reopen(self, list aligned_blocks)
