cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation

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
