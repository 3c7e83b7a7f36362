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
