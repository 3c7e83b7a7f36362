cimport cython
from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request

cdef class Entry:
    cdef public int64_t lpa, maker
    cdef public object touched              # a bit for each 512 bytes
    cdef public object data                 # of the parts that were written, where integrity is checked; else None
    cdef public int stream, access_latency  # of the last write
    cdef public bint evicting
    cdef public Eviction eviction
    cdef readonly Entry previous, next      # neighbours in its list

cdef class Eviction:
    cdef readonly Request payer
    cdef public int64_t left

@cython.final
cdef class EntryList:
    cdef readonly Entry head, tail          # the oldest and the youngest
    cdef readonly int64_t length
    cpdef append(self, Entry entry)
    cpdef remove(self, Entry entry)
    @cython.locals(entry=Entry, found=list)
    cpdef list listed(self)
