cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves
from ssdsim.host.request cimport WriteGroup

cdef class DieCollection(Collection):
    cdef list pages                 # by kind: read, and not yet enough for a row
    cdef list writes                # the host's pages that wait for moved ones
    cdef bint asked                 # the host was asked for pages
    cdef bint awaited               # and is to give some
    cdef int64_t[::1] next_of       # by victim: the page to go on at
    @cython.locals(best=int64_t, place=int, page=int)
    cpdef int64_t left(self) except -2
    cdef read_to(self, int64_t position)

cdef class DieMoves(PageMoves):
    cdef readonly bint combines
    @cython.locals(die=DieCollection, place=int)
    cpdef begin(self, Collection collection)
    @cython.locals(die=DieCollection)
    cpdef arrived(self, Collection collection, Transaction page)
    cdef form(self, DieCollection die)
    @cython.locals(new=int, kind=int, pages=list)
    cdef bint form_row(self, DieCollection die) except -1
    @cython.locals(pages=list, writes=list)
    cpdef write_row(self, DieCollection die, int kind, int moved, int new)
    @cython.locals(die=DieCollection, kind=int, last=int, moved=int, new=int, span=int, pages=list, writes=list)
    cpdef no_more(self, Collection collection)
    @cython.locals(kind=int)
    cdef moved_now(self, Collection collection)
    cpdef bint has_room_beside(self, DieCollection die, int kind) except -1
    @cython.locals(pages=list)
    cpdef int waiting(self, DieCollection die, int kind) except -1
    cdef bint asks(self, DieCollection die, int wanted) except -1
    @cython.locals(die=DieCollection)
    cpdef complete(self, Collection collection, WriteGroup group)
    @cython.locals(die=DieCollection)
    cpdef bint takes(self, Collection collection, WriteGroup group) except -1
