cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.latency cimport LatencyRecorder
from ssdsim.host.request cimport Request

cdef class Recorder:
    cdef readonly Windows windows
    cdef readonly object request_log, observer, checker
    cdef int64_t[::1] counts, bytes         # by operation
    cdef readonly list response             # of reads, of writes
    cdef int64_t[::1] parts                 # by operation, then part: nanoseconds
    cdef readonly int64_t done, last_ns
    @cython.locals(op=int, response=int64_t, queue=int64_t)
    cpdef request_done(self, Request request, int64_t now_ns)
    cpdef int64_t count(self, int op) noexcept
    cpdef int64_t size_bytes(self, int op) noexcept

cdef class Windows:
    cdef object sample
    cdef readonly int64_t start_ns, width_ns, limit, current
    cdef public list rows
    cdef int64_t[::1] sums                  # of the current window: requests, response times, bytes of read and write
    cpdef add(self, int op, int64_t now_ns, int64_t response_ns, int64_t size_bytes)
    @cython.locals(at=int, sums=list)
    cpdef close(self, int64_t now_ns)
