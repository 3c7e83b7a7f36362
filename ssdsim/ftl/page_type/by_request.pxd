cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.page_type.interface cimport PageTypeScheme
from ssdsim.host.request cimport Request

cdef class HostGuided(PageTypeScheme):
    @cython.locals(hint=int)
    cpdef int choose(self, Request request) except? -2

cdef class SizeBased(PageTypeScheme):
    cdef int64_t most_bytes, most_pages
    @cython.locals(first=int64_t, last=int64_t)
    cpdef int choose(self, Request request) except? -2

cdef class QueueDepth(PageTypeScheme):
    cdef int64_t threshold
    cpdef int choose(self, Request request) except? -2
