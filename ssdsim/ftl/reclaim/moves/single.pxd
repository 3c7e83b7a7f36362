cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves

cdef class SingleMoves(PageMoves):
    cpdef arrived(self, Collection collection, Transaction page)

cdef class ChipMoves(SingleMoves):
    cdef readonly int64_t planes_per_chip
    @cython.locals(kind=int)
    cpdef arrived(self, Collection collection, Transaction page)
    @cython.locals(frontier=WriteFrontier, planes=int64_t, first=int64_t, beyond=int64_t, found=int64_t)
    cpdef int64_t plane_for(self, int64_t plane, int kind) except -1
    @cython.locals(write=Transaction, kind=int)
    cdef int64_t move_now(self, Collection collection, int64_t plane, int64_t ppa) except -1

cdef class CopyBackCollection(Collection):
    cdef public int64_t to_waste    # pages that it may still pass over, -1 if it copies none back

cdef class CopyBackMoves(SingleMoves):
    cdef readonly double most_wasted    # the share of a victim's dead pages that a collection may waste
    cdef readonly int64_t conventional  # collections that copied none back
    cdef readonly int64_t through_controller    # pages that were not copied back, of these and of others
    @cython.locals(copying=CopyBackCollection, blocks=Blocks, place=int, dead=int64_t, allowed=int64_t, foreseen=int64_t)
    cpdef begin(self, Collection collection)
    @cython.locals(copying=CopyBackCollection)
    cdef bint takes_controller(self, Collection collection) except -1
    @cython.locals(blocks=Blocks, page=int, copies=list)
    cpdef int64_t foreseen(self, int64_t victim) except -1
    @cython.locals(blocks=Blocks, plane=int64_t, passed=int64_t)
    cpdef bint copies(self, CopyBackCollection collection, Transaction write) except -1
    @cython.locals(position=int64_t, write=Transaction)
    cpdef bint start(self, Collection collection) except -1
    @cython.locals(write=Transaction)
    cdef int64_t move_now(self, Collection collection, int64_t plane, int64_t ppa) except -1
