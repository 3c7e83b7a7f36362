cimport cython
from libc.stdint cimport int64_t

@cython.final
cdef class WriteGroup:
    cdef public int size
    cdef public list members
    cdef public int64_t collection, since_ns

@cython.final
cdef class Request:
    cdef public object owner            # the `Stage` to be told of its completion
    cdef public object about            # what its owner remembers by it
    cdef public object data             # by LPA, what a write brings or a read found, where integrity is checked; else None
    cdef public WriteGroup group        # that its page belongs to, or None
    cdef public Request next, previous  # neighbours among the outstanding ones; next also behind it in the pool
    cdef public int64_t id
    cdef public int stream, op
    cdef public int access_latency      # the host's hint: 0 none, 1 idle, 2 normal, 3 low
    cdef public int round               # of a workload that is repeated, from 0
    cdef public int queue_length        # requests in the device queue when this one was admitted, itself included
    cdef public int page_type           # that was specified for a write
    cdef public int slowest_type        # the slowest page type that any page of a write was given; -1: none was
    cdef public int64_t arrival_ns, admitted_ns, offset_bytes, size_bytes
    cdef public int64_t buffer_pages    # that the write buffer served
    cdef public int64_t remaining       # parts not yet done
    cdef public int64_t bus_ns, array_ns, gc_ns, urgent_gc_ns, mapping_ns, buffer_ns, held_ns
    cpdef void needed_no_flash(self, int64_t mapping_ns, int64_t buffer_ns) noexcept
    @cython.locals(start=int64_t)
    cpdef int64_t bytes_of(self, int64_t lpa, int64_t page_bytes) except? -1
    @cython.locals(start=int64_t, end=int64_t)
    cpdef object touched(self, int64_t lpa, int64_t page_bytes)

@cython.final
cdef class RequestPool:
    cdef Request free
    @cython.locals(request=Request)
    cpdef Request take(self)
    cpdef void give_back(self, Request request) noexcept
