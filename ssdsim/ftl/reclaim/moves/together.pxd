cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves
from ssdsim.host.request cimport WriteGroup

cdef class ParallelCollection(Collection):
    cdef public list pages          # by kind: read, and waiting to be placed by the row

cdef class ParallelMoves(PageMoves):
    @cython.locals(parallel=ParallelCollection, kind=int, pages=list)
    cpdef arrived(self, Collection collection, Transaction page)
    @cython.locals(kind=int)
    cpdef no_more(self, Collection collection)
    @cython.locals(plane=int64_t, page=Transaction, pages=list)
    cdef form(self, ParallelCollection collection, int kind, int fewest_pages)
    @cython.locals(place=int)
    cpdef list planes(self, Collection collection)
    @cython.locals(plane=int64_t)
    cpdef bint is_short(self, Collection collection, int kind) except -1
    @cython.locals(pages=int64_t, planes=list, points=list, shortest=int64_t, lagging=int64_t, level=int64_t, distance=int64_t, behind=int64_t, number=int, gap=int64_t)
    cdef int64_t lagging(self, Collection collection, int kind) except -2

cdef class RowCollection(Collection):
    cdef list held                  # rows read that the row being written has no room for

cdef class RowMoves(PageMoves):
    @cython.locals(position=int64_t, page=int64_t, span=int, group=WriteGroup, reads=list, read=Transaction)
    cpdef bint start(self, Collection collection) except -1
    @cython.locals(group=WriteGroup)
    cpdef arrived(self, Collection collection, Transaction page)
    @cython.locals(group=WriteGroup)
    cpdef dropped(self, Collection collection, Transaction page)
    @cython.locals(held=list, at=int)
    cpdef settle(self, RowCollection collection, WriteGroup group)
    @cython.locals(kind=int)
    cpdef bint fits(self, Collection collection, WriteGroup group) except -1
    @cython.locals(page=Transaction)
    cpdef place(self, Collection collection, WriteGroup group)
    @cython.locals(rows=RowCollection, held=list, kind=int)
    cpdef no_more(self, Collection collection)
