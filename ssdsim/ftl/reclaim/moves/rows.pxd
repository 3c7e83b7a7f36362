cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves
from ssdsim.host.request cimport WriteGroup

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
