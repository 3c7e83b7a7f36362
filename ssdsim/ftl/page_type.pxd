cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.random cimport RandomStream
from ssdsim.host.request cimport Request

cdef class PageTypeScheme:
    cdef public Blocks blocks
    cdef public int types
    cdef public int64_t page_bytes
    cdef public object buffer
    cdef public RandomStream random
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2

cdef class Uniform(PageTypeScheme):
    cdef bint at_random
    cdef int last
    cpdef int choose(self, Request request) except? -2

cdef class HostGuided(PageTypeScheme):
    @cython.locals(hint=int)
    cpdef int choose(self, Request request) except? -2

cdef class LsbFirst(PageTypeScheme):
    cpdef int choose(self, Request request) except? -2

cdef class SizeBased(PageTypeScheme):
    cdef int64_t most_bytes, most_pages
    @cython.locals(first=int64_t, last=int64_t)
    cpdef int choose(self, Request request) except? -2

cdef class QueueDepth(PageTypeScheme):
    cdef int64_t threshold
    cpdef int choose(self, Request request) except? -2

cdef class WriteBuffer(PageTypeScheme):
    cdef public bint may_pass
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2

cdef class Utilization(PageTypeScheme):
    @cython.locals(unused=int64_t, page_type=int, place=int64_t)
    cpdef int choose(self, Request request) except? -2

cdef class PageTypeSpecifier:
    cdef list streams               # by stream: its schemes, a list
    cdef list moved_data
    cdef object switches
    cpdef int of_request(self, Request request) except? -2
    cpdef int of_moved_data(self) except -2
    @cython.locals(page_type=int)
    cpdef int ask(self, list schemes, Request request) except -2

cdef int ask_one(PageTypeScheme scheme, Request request) except -2
