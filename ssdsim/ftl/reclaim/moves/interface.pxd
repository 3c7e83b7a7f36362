cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.port cimport MovePort
from ssdsim.host.request cimport WriteGroup

cdef class PageMoves:
    cdef MovePort port
    cdef readonly bint can_stop
    cpdef bind(self, MovePort port)
    cpdef begin(self, Collection collection)
    cdef bint takes_controller(self, Collection collection) except -1
    cpdef bint start(self, Collection collection) except -1
    cpdef arrived(self, Collection collection, Transaction page)
    cpdef dropped(self, Collection collection, Transaction page)
    cpdef no_more(self, Collection collection)
    @cython.locals(write=Transaction)
    cdef int64_t move_now(self, Collection collection, int64_t plane, int64_t ppa) except -1
    cdef moved_now(self, Collection collection)
    cpdef bint takes(self, Collection collection, WriteGroup group) except -1
    cpdef complete(self, Collection collection, WriteGroup group)
