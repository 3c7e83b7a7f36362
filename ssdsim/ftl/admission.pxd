cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.reclaim.idle cimport HostActivity
from ssdsim.host.request cimport Request

@cython.final
cdef class Admission:
    cdef public int64_t version             # of the last page write or trim admitted: they are numbered from 1
    cdef readonly int64_t writes_in_flight  # page writes admitted and not yet programmed
    cdef list flushes                       # those under way: the last version before each, and its request
    cdef public HostActivity activity       # to be told of page writes, where collection waits for idle time; else None
    cpdef int64_t number(self) except -1
    cpdef int64_t began(self) except -1
    cpdef int programmed(self, int64_t version) except -1
    cdef int count_for_flushes(self, int64_t version) except -1
    cpdef flush(self, Request request)
