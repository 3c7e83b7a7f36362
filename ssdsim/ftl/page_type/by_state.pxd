cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.random cimport RandomStream
from ssdsim.ftl.page_type.interface cimport PageTypeScheme
from ssdsim.host.request cimport Request

cdef class WriteBuffer(PageTypeScheme):
    cdef public bint may_pass
    cpdef bind(self, Blocks blocks, int64_t page_bytes, object buffer, RandomStream random)
    cpdef int choose(self, Request request) except? -2

cdef class Utilization(PageTypeScheme):
    @cython.locals(unused=int64_t, page_type=int, place=int64_t)
    cpdef int choose(self, Request request) except? -2
