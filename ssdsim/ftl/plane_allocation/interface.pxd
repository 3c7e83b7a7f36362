from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier

cdef class PlaneAllocation:
    cdef public WriteFrontier frontier
    cdef public int64_t planes
    cpdef bind(self, object hardware, WriteFrontier frontier)
    cpdef bind_mapping(self, object mapping, Blocks blocks)
    cpdef connect(self, list dies, list controllers)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    cpdef list cycle(self)
    cpdef trimmed(self, int64_t ppa)
    cpdef filled(self)
