cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation

cdef class ChipPlaneAllocation(PlaneAllocation):
    cdef readonly int64_t channels, chips_per_channel, chips, planes_per_chip
    @cython.locals(chip=int64_t, beyond=int64_t, plane=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(first=int64_t, found=int64_t, plane=int64_t)
    cpdef int64_t plane_in(self, int64_t chip) except -2
