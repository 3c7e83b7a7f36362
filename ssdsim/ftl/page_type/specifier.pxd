cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim.ftl.page_type.interface cimport PageTypeScheme
from ssdsim.host.request cimport Request

cdef int BY_PAGE, PASS

@cython.final
cdef class PageTypeSpecifier:
    cdef list streams               # by stream: its schemes, a list
    cdef list moved_data
    cdef object switches
    cdef list lists                 # of schemes: those of the streams at first, and of the switches
    cpdef int64_t switch(self, int64_t now_ns) except -2
    cpdef int of_request(self, Request request) except? -2
    @cython.locals(page_type=int)
    cpdef int of_moved_data(self, int64_t plane) except -1
    @cython.locals(scheme=PageTypeScheme, schemes=list)
    cpdef int of_page(self, Request request, int64_t plane) except -1
    @cython.locals(page_type=int, scheme=PageTypeScheme)
    cpdef int ask(self, list schemes, Request request) except? -2

@cython.final
cdef class Switching(Routine):
    cdef object env
    cdef PageTypeSpecifier page_types
    cdef int64_t start_ns

@cython.locals(page_type=int)
cdef int ask_one(PageTypeScheme scheme, Request request) except? -2
@cython.locals(page_type=int)
cdef int ask_for_page(PageTypeScheme scheme, int64_t plane) except -1
