cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.frontier.roles cimport CopyTargets, Rows, WritePoints

cdef class SequentialFrontier(WriteFrontier):
    cdef readonly bint stops        # the host waits at the reserve, whatever its active blocks have left
    cdef readonly bint mixed        # whether moved data goes to the same blocks as the host's
    cdef int64_t[::1] active        # by unit, then kind: the (aligned) block being filled, or -1
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    @cython.locals(unit=int64_t, free=int, kind=int)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(fewest=int64_t, kind=int)
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(room=int64_t, kind=int)
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    @cython.locals(aligned=int64_t)
    cpdef int64_t left(self, int64_t unit, int kind) except -1
    @cython.locals(slot=int64_t, aligned=int64_t, other=int)
    cdef int64_t open_slot(self, int64_t unit, int kind) except -1
    @cython.locals(unit=int64_t, slot=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write) except -1
    @cython.locals(aligned=int64_t, ppa=int64_t)
    cpdef int64_t append(self, int64_t slot, int64_t lpa) except -1
    cdef close_if_used_up(self, int64_t slot)
    @cython.locals(unit=int64_t, kept=int)
    cpdef close(self, int64_t slot)
    @cython.locals(free=int)
    cpdef bint has_room_beside(self, int64_t unit, int kind) except -1
    cpdef list open_blocks(self)
    cpdef list reopen(self, list aligned_blocks)
    @cython.locals(kind=int)
    cpdef bint take_over(self, int64_t unit, int64_t aligned) except -1

cdef class SequentialRows(Rows):
    cdef SequentialFrontier frontier
    @cython.locals(frontier=SequentialFrontier, unit=int64_t, aligned=int64_t)
    cpdef int place(self, int64_t plane, int kind) except -1

cdef class SequentialPoints(WritePoints):
    cdef SequentialFrontier frontier
    @cython.locals(frontier=SequentialFrontier, block=int64_t)
    cpdef int64_t reached(self, int64_t plane, int kind) except -1
    @cython.locals(best=int64_t, best_score=int64_t, plane=int64_t, score=int64_t)
    cdef int64_t filled_next(self, int64_t first, int64_t count, int kind) except -2

cdef class ParityTargets(CopyTargets):
    cdef SequentialFrontier frontier
    cpdef int64_t between(self, int64_t point, int64_t page) except -1
    @cython.locals(points=list, wasted=int64_t, passed=int64_t)
    cpdef int64_t foreseen(self, int64_t plane, list copies) except -1
    @cython.locals(frontier=SequentialFrontier, blocks=Blocks, slot=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write, int page) except -1
