cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.block_allocation.frontier cimport WriteFrontier

cdef class PlaneAllocation:
    cdef public WriteFrontier frontier
    cdef public int64_t planes
    cpdef bind(self, object hardware, WriteFrontier frontier)
    cpdef int64_t plane_for(self, int64_t lpa) except -2

cdef class StaticPlaneAllocation(PlaneAllocation):
    cdef readonly str order
    cdef int64_t[::1] stripe        # by place in the stripe: a plane

cdef class RoundRobinPlaneAllocation(PlaneAllocation):
    cdef int64_t[::1] stripe
    cdef int64_t last               # place in the stripe of the last write
    @cython.locals(plane=int64_t, _=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
