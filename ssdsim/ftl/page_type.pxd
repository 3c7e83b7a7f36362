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
    cpdef int choose_page(self, int64_t plane) except? -1

cdef class Uniform(PageTypeScheme):
    cdef bint at_random
    cdef int last
    cpdef int choose(self, Request request) except? -2

cdef class HostGuided(PageTypeScheme):
    @cython.locals(hint=int)
    cpdef int choose(self, Request request) except? -2

cdef class LsbFirst(PageTypeScheme):
    cpdef int choose(self, Request request) except? -2

cdef class SlowestFirst(PageTypeScheme):
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

cdef class PageTypeSpecifier:
    cdef list streams               # by stream: its schemes, a list
    cdef list moved_data
    cdef object switches
    cpdef int of_request(self, Request request) except? -2
    @cython.locals(page_type=int)
    cpdef int of_moved_data(self, int64_t plane) except -1
    @cython.locals(scheme=PageTypeScheme, schemes=list)
    cpdef int of_page(self, Request request, int64_t plane) except -1
    @cython.locals(page_type=int)
    cpdef int ask(self, list schemes, Request request) except? -2

cdef int ask_one(PageTypeScheme scheme, Request request) except? -2
cdef int ask_for_page(PageTypeScheme scheme, int64_t plane) except -1
