from libc.stdint cimport int64_t

from ssdsim.buffer.entry cimport Entry

cdef class Replacement:
    cdef public list lists
    cdef public object stripe
    cdef public int64_t planes_per_die, turn
    cpdef bind(self, object stripe, int64_t planes_per_die)
    cpdef int64_t lists_for(self, int64_t planes, int64_t planes_per_die) except -1
    cpdef int64_t list_of(self, int64_t lpa) except -1
    cpdef insert(self, Entry entry)
    cpdef touch(self, Entry entry)
    cpdef remove(self, Entry entry)
    cpdef Entry oldest(self, int64_t number)
    cpdef list victims(self)
