cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier

cdef class ReturnToFastFrontier(WriteFrontier):
    cdef readonly int most          # active blocks of a plane
    cdef int64_t[::1] active        # by plane, then in the order in which they became active: blocks, then -1
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    cpdef bint has_room(self, int64_t plane) except -1
    cpdef bint has_room_for_translation(self, int64_t plane) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(slot=int64_t, block=int64_t, ppa=int64_t, keeps=bint)
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa, int page_type) except -1
    @cython.locals(first=int64_t, count=int, wanted=bint)
    cpdef int64_t slot_for(self, int64_t plane, int page_type, bint leaves_reserve) except -1
    @cython.locals(last=int64_t)
    cpdef retire(self, int64_t plane, int64_t slot)
    @cython.locals(slot=int64_t, end=int64_t)
    cpdef list reopen(self, list aligned_blocks)
