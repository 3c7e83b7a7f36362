from libc.stdint cimport int64_t

from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation

cdef class StaticPlaneAllocation(PlaneAllocation):
    cdef readonly str order
    cdef readonly int64_t super_page    # logical pages that go together
    cdef int64_t[::1] stripe        # by place in the stripe: a plane
