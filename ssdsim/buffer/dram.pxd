cimport cython
from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request
from ssdsim.stage cimport Stage

cdef class Dram(Stage):
    cdef object env
    cdef readonly double access_ns, ns_per_byte
    cdef int64_t free_ns            # when all that was asked for is done
    cdef readonly object line       # (request, duration), oldest first
    cpdef bind(self, object env)
    @cython.locals(duration=int64_t)
    cdef int64_t occupy(self, int64_t pages, int64_t size_bytes) except -1
    @cython.locals(duration=int64_t)
    cpdef move(self, Request request, int64_t pages, int64_t size_bytes)
    @cython.locals(request=Request)
    cpdef moved(self, object event)
