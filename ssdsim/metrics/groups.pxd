cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.latency cimport LatencyRecorder

cpdef enum:
    SIZE_CLASSES = 7

cdef class Groups:
    cdef list response          # by group, then operation: a `LatencyRecorder`, or None
    cdef int64_t[::1] bytes     # likewise
    @cython.locals(at=int64_t, latency=LatencyRecorder)
    cpdef add(self, int64_t group, int op, int64_t response_ns, int64_t size_bytes)
    cpdef tuple of(self, int64_t group, int op)

@cython.locals(number=int, limit=int64_t)
cpdef int size_class(int64_t size_bytes) noexcept
