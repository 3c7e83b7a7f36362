cimport cython
from libc.stdint cimport int64_t

cdef class Request:
    cdef public object owner            # the `Stage` to be told of its completion
    cdef public Request next, previous  # neighbours among the outstanding ones; next also behind it in the pool
    cdef public int64_t id
    cdef public int stream, op
    cdef public int64_t arrival_ns, offset_bytes, size_bytes
    cdef public int64_t remaining       # parts not yet done
    cdef public int64_t bus_ns, array_ns, gc_ns

cdef class RequestPool:
    cdef Request free
    @cython.locals(request=Request)
    cpdef Request take(self)
    cpdef give_back(self, Request request)
