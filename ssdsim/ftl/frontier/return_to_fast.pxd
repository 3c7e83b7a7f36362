cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.frontier.roles cimport Rows

cdef class ReturnToFastFrontier(WriteFrontier):
    cdef readonly int block_limit          # active blocks of a unit
    cdef int64_t[::1] active        # by unit, then in the order in which they became active: (aligned) blocks, then -1
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(beyond=int64_t)
    cpdef bint has_room_beside(self, int64_t unit, int kind) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(unit=int64_t, slot=int64_t, aligned=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write) except -1
    @cython.locals(slot=int64_t)
    cdef int64_t row_begun(self, int64_t unit) except -2
    cpdef int next_type(self, int64_t aligned) except -1
    @cython.locals(first=int64_t, count=int, wanted=bint)
    cdef int64_t slot_for(self, int64_t unit, int page_type) except -1
    @cython.locals(last=int64_t)
    cdef retire(self, int64_t unit, int64_t slot)
    cpdef list open_blocks(self)
    @cython.locals(slot=int64_t, end=int64_t)
    cpdef bint take_over(self, int64_t unit, int64_t aligned) except -1

cdef class OldestRows(Rows):
    cdef ReturnToFastFrontier frontier
    @cython.locals(frontier=ReturnToFastFrontier, unit=int64_t, aligned=int64_t, slot=int64_t)
    cpdef int place(self, int64_t plane, int kind) except -1
    @cython.locals(slot=int64_t, is_data=bint)
    cpdef int page_type(self, int64_t plane, int kind) except -2
