from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.random cimport RandomStream
from ssdsim.host.request cimport Request

cdef class PageTypeScheme:
    cdef public Blocks blocks
    cdef public int types
    cdef readonly bint is_by_page        # `by_page`, once it is bound
    cdef public int64_t page_bytes
    cdef public object buffer
    cdef public RandomStream random
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2
    cpdef int choose_page(self, int64_t plane) except? -1
