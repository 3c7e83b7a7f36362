cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.latency cimport LatencyParts, LatencyRecorder
from ssdsim.host.request cimport Request

cdef class Tally:
    cdef int64_t[::1] counts, bytes         # by operation
    cdef int64_t[::1] by_type               # writes, by the slowest page type that they were given
    cdef readonly list response, parts      # by operation
    cdef readonly int64_t done
    @cython.locals(op=int, latency=LatencyRecorder, parts=LatencyParts)
    cpdef add(self, Request request, int64_t response_ns)
    cpdef int64_t count(self, int op) noexcept
    cpdef int64_t size_bytes(self, int op) noexcept
    cpdef list writes_by_type(self)
