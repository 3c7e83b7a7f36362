cimport cython
from libc.stdint cimport int64_t

from ssdsim.buffer.entry cimport Entry, EntryList

cdef class Replacement:
    cdef public list lists              # of `EntryList`
    cdef public list dies               # in the order in which consecutive pages visit them
    cdef public object stripe
    cdef public int64_t planes_per_die, super_page, turn
    cpdef bind(self, object stripe, object hardware, int64_t super_page)
    cpdef int64_t lists_for(self, int64_t planes, int64_t planes_per_die) except -1
    cpdef int64_t list_of(self, int64_t lpa) except -1
    cpdef int64_t plane_of(self, int64_t lpa) except -1
    @cython.locals(entries=EntryList)
    cpdef insert(self, Entry entry)
    @cython.locals(entries=EntryList)
    cpdef touch(self, Entry entry)
    @cython.locals(entries=EntryList)
    cpdef remove(self, Entry entry)
    @cython.locals(entries=EntryList, entry=Entry)
    cpdef Entry oldest(self, int64_t number)
    cpdef list victims(self, int64_t count, bint force)
    cpdef list of_die(self, int64_t die)

cdef class Lru(Replacement):
    pass

cdef class ByDie(Replacement):
    @cython.locals(chosen=int64_t, chosen_pages=int64_t, step=int64_t, place=int64_t, pages=int64_t)
    cpdef list victims(self, int64_t count, bint force)
    cpdef int64_t size_of(self, int64_t die) except -1
    cpdef list take(self, int64_t die, int64_t count)

cdef class Epo(ByDie):
    cpdef int64_t lists_for(self, int64_t planes, int64_t planes_per_die) except -1
    cpdef int64_t list_of(self, int64_t lpa) except -1
    @cython.locals(entries=EntryList)
    cpdef int64_t size_of(self, int64_t die) except -1
    @cython.locals(_=int64_t)
    cpdef list take(self, int64_t die, int64_t count)
    @cython.locals(entries=EntryList)
    cpdef list of_die(self, int64_t die)

cdef class PlaneLists(ByDie):
    cpdef int64_t lists_for(self, int64_t planes, int64_t planes_per_die) except -1
    cpdef int64_t list_of(self, int64_t lpa) except -1
    @cython.locals(plane=int64_t, entries=EntryList, found=list)
    cdef list lists_of(self, int64_t die)
    @cython.locals(plane=int64_t, entries=EntryList, count=int64_t)
    cpdef int64_t size_of(self, int64_t die) except -1
    @cython.locals(plane=int64_t, found=list)
    cpdef list take(self, int64_t die, int64_t count)
    @cython.locals(plane=int64_t, found=list, entries=EntryList)
    cpdef list of_die(self, int64_t die)

cdef class PlaneTurns(PlaneLists):
    @cython.locals(step=int64_t, place=int64_t, entries=EntryList)
    cpdef list victims(self, int64_t count, bint force)
