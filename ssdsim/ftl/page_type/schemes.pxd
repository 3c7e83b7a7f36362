cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.random cimport RandomStream
from ssdsim.ftl.page_type.interface cimport PageTypeScheme
from ssdsim.host.request cimport Request

cdef class Uniform(PageTypeScheme):
    cdef bint at_random
    cdef int last
    cpdef int choose(self, Request request) except? -2

cdef class LsbFirst(PageTypeScheme):
    cpdef int choose(self, Request request) except? -2

cdef class SlowestFirst(PageTypeScheme):
    cpdef int choose(self, Request request) except? -2

cdef class WriteBuffer(PageTypeScheme):
    cdef public bint may_pass
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2

cdef class Utilization(PageTypeScheme):
    @cython.locals(unused=int64_t, page_type=int, place=int64_t)
    cpdef int choose(self, Request request) except? -2

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

cdef class Adaptive(PageTypeScheme):
    cdef readonly double u_high, u_low, quota
    cdef readonly int64_t initial           # the quota before the first write, in pages
    cdef signed char[::1] last              # by plane: the type given last in turn
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2
    @cython.locals(utilization=double)
    cpdef int choose_page(self, int64_t plane) except? -1
    cpdef int in_turn(self, int64_t plane) except -1
    cpdef int64_t left(self) except? -1
