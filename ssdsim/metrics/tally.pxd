cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.latency cimport LatencyGroups, LatencyParts
from ssdsim.host.request cimport Request

cdef class Tally:
    cdef LatencyGroups times                # of one group
    cdef LatencyParts parts                 # by operation
    cdef int64_t[::1] by_type               # writes, by the slowest page type that they were given
    cdef readonly int64_t done
    cpdef int add(self, Request request, int64_t response_ns) except -1
    cpdef list writes_by_type(self)
