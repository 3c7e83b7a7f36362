cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation

cdef class StaticPlaneAllocation(PlaneAllocation):
    cdef readonly str order
    cdef readonly int64_t super_page    # logical pages that go together
    cdef int64_t[::1] stripe        # by place in the stripe: a plane

cdef class ChipPlaneAllocation(PlaneAllocation):
    cdef readonly int64_t channels, chips_per_channel, chips, planes_per_chip
    @cython.locals(chip=int64_t, beyond=int64_t, plane=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(first=int64_t, found=int64_t, plane=int64_t)
    cdef int64_t plane_in(self, int64_t chip) except -2

cdef class TokenPlaneAllocation(PlaneAllocation):
    cdef PageMapping mapping
    cdef Blocks blocks
    cdef readonly int64_t token     # new pages so far, and planes passed over
    cdef int64_t share              # logical pages that fall to each plane
    cdef int64_t[::1] pages         # by plane: the logical pages that lie there, or are on their way
    cdef bint counted               # whether those are counted yet
    @cython.locals(ppa=int64_t, plane=int64_t, _=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(lpa=int64_t, ppa=int64_t, plane=int64_t)
    cpdef count(self)
