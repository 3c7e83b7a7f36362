cimport cython
from libc.stdint cimport int64_t

cdef class Entry:
    cdef public int64_t lpa
    cdef public object touched              # a bit for each 512 bytes
    cdef public int stream, access_latency  # of the last write
    cdef public bint evicting
    cdef public Entry next, previous

cdef class EntryList:
    cdef readonly Entry head, tail
    cpdef append(self, Entry entry)
    @cython.locals(before=Entry, after=Entry)
    cpdef remove(self, Entry entry)
