cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.transaction cimport Transaction
from ssdsim.ftl.fast.choice cimport MergeChoice

cdef class LogMerges(MergeChoice):
    cdef list pages                 # by unit: by offset, pages that have been read, or None while that is under way
    cdef list dead                  # by unit: (aligned) blocks being erased
    cpdef collect(self, int64_t which)
    @cython.locals(aligned=int64_t)
    cpdef erase_victims(self, int64_t which)
    cpdef go_on(self, int64_t which)
    @cython.locals(first=int, end=int, pages=dict, reads=list, offset=int, ppa=int64_t, transaction=Transaction)
    cpdef read_row(self, int64_t which)
    @cython.locals(lpa=int64_t, ppa=int64_t, aligned=int64_t)
    cpdef int64_t page_to_move(self, int64_t which, int64_t offset) except -2
    @cython.locals(first=int, end=int, pages=dict, offset=int, transaction=Transaction)
    cpdef bint place_row(self, int64_t which) except -1
    @cython.locals(which=int64_t, pages=dict)
    cpdef done(self, Transaction transaction)
    @cython.locals(kind=int, target=int64_t, before=int64_t, source=int64_t, aligned=int64_t)
    cpdef settle(self, int64_t which)
    @cython.locals(place=int, transaction=Transaction)
    cpdef erase(self, int64_t which, int64_t aligned)
    cpdef finish(self, int64_t which)
    @cython.locals(offset=int, ppa=int64_t, aligned=int64_t)
    cpdef collect_now(self, int64_t which)
    @cython.locals(place=int, block=int64_t)
    cpdef erase_now(self, int64_t aligned)
