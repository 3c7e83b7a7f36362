cimport cython
from libc.stdint cimport int64_t

from ssdsim.buffer.entry cimport Entry

cdef class Replacement:
    cdef public list lists
    cdef public list dies               # in the order in which consecutive pages visit them
    cdef public object stripe
    cdef public int64_t planes_per_die, super_page, turn
    cpdef bind(self, object stripe, object hardware, int64_t super_page)
    cpdef int64_t lists_for(self, int64_t planes, int64_t planes_per_die) except -1
    cpdef int64_t list_of(self, int64_t lpa) except -1
    cpdef int64_t plane_of(self, int64_t lpa) except -1
    cpdef insert(self, Entry entry)
    cpdef touch(self, Entry entry)
    cpdef remove(self, Entry entry)
    cpdef Entry oldest(self, int64_t number)
    cpdef list victims(self, int64_t count, bint force)
    cpdef list of_die(self, int64_t die)

cdef class ByDie(Replacement):
    @cython.locals(chosen=int64_t, most=int64_t, step=int64_t, place=int64_t, pages=int64_t)
    cpdef list victims(self, int64_t count, bint force)
    cpdef int64_t size_of(self, int64_t die) except -1
    cpdef list take(self, int64_t die, int64_t count)
