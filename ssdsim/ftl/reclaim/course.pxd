cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport InstantFlash, Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves
from ssdsim.ftl.reclaim.port cimport MovePort
from ssdsim.stage cimport Stage

cdef class Course(Stage):
    cdef Reclaimer reclaimer
    cdef Blocks blocks
    cdef PageMoves moves
    cdef MovePort port
    cdef readonly int moves_in_flight
    cdef public bint quiet          # the host
    cdef object over                # to be called with a collection that is over
    @cython.final
    cdef bint is_stopped(self, Collection collection) except -1
    @cython.final
    cdef resume(self, Collection collection)
    @cython.locals(move_limit=int)
    @cython.final
    cdef go_on(self, Collection collection)
    @cython.locals(place=int)
    cpdef erase_victims(self, Collection collection)
    @cython.locals(collection=Collection)
    cpdef done(self, Transaction transaction)
    @cython.locals(instant=InstantFlash, plane=int64_t, ppa=int64_t, place=int)
    cpdef run_now(self, Collection collection)
    @cython.locals(place=int, block=int64_t, page=int)
    cdef expect_moves(self, Collection collection)
