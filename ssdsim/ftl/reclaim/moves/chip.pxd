cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.single cimport SingleMoves

cdef class ChipMoves(SingleMoves):
    cdef readonly int64_t planes_per_chip
    @cython.locals(kind=int)
    cpdef arrived(self, Collection collection, Transaction page)
    @cython.locals(frontier=WriteFrontier, planes=int64_t, first=int64_t, beyond=int64_t, found=int64_t)
    cpdef int64_t plane_for(self, int64_t plane, int kind) except -1
    @cython.locals(write=Transaction, kind=int)
    cpdef int64_t move_now(self, Collection collection, int64_t plane, int64_t ppa) except -1
