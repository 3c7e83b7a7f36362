cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.collector cimport Collector
from ssdsim.ftl.reclaim.course cimport Course
from ssdsim.ftl.reclaim.unit cimport CollectionUnit
from ssdsim.stage cimport Stage

cdef class BesideOthers(CollectionUnit):
    cdef int64_t unmoved                # valid pages of the victims under way in the unit that is asked about
    cdef int64_t most_unmoved
    @cython.locals(victim=int64_t, level=int64_t, pages=int64_t)
    cpdef int64_t next_victim(self, int64_t unit, int64_t threshold) except -2

cdef class SideBySide(Collector):
    cdef int places                     # collections of a unit at once
    cdef int64_t[::1] free_before       # by unit: free blocks at the last look
    @cython.locals(collection=Collection)
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener, Stage rows
    )
    cpdef consider(self, int64_t plane)
    cdef reconsider(self, int64_t plane)
    cdef write_done(self, int64_t plane)
    @cython.locals(level=int64_t, taken=bint, place=int64_t)
    cpdef look(self, int64_t number, bint at_once)
    @cython.locals(place=int64_t)
    cdef begin_another(self, int64_t number, bint at_once)
    @cython.locals(place=int64_t)
    cdef bint is_collected(self, int64_t number) except -1
    @cython.locals(place=int64_t)
    cpdef bint choose(self, Collection collection) except -1
    cpdef collect(self, Collection collection)
    cpdef over(self, Collection collection)

cdef class SideBySideCourse(Course):
    @cython.locals(number=int64_t, collector=SideBySide)
    cpdef done(self, Transaction transaction)
