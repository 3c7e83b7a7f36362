cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.latency cimport LatencyRecorder
from ssdsim.host.request cimport Request

cdef class Tally:
    cdef int64_t[::1] counts, bytes         # by operation
    cdef int64_t[::1] by_type               # writes, by the slowest page type that they were given
    cdef readonly list response             # of reads, of writes
    cdef double[::1] parts                  # by operation, then part: nanoseconds
    cdef readonly int64_t done
    @cython.locals(op=int, latency=LatencyRecorder)
    cpdef add(self, Request request, int64_t response_ns, int64_t queue_ns)
    cpdef int64_t count(self, int op) noexcept
    cpdef int64_t size_bytes(self, int op) noexcept
    cpdef list writes_by_type(self)
