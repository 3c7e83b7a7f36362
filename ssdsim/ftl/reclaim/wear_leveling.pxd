cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks

cdef class WearLeveling:
    cpdef int64_t cold_block(self, int64_t unit) except -2
    cpdef block_erased(self, int64_t block)

cdef class StaticWearLeveling(WearLeveling):
    cdef Blocks blocks
    cdef readonly int threshold
    cdef int64_t[::1] least_erases     # by unit: the fewest erases of a full block when last searched
    cdef int64_t[::1] cold      # by unit: the (aligned) block to move next, or -1
    @cython.locals(found=int64_t)
    cpdef int64_t cold_block(self, int64_t unit) except -2
    @cython.locals(place=int)
    cpdef bint is_full(self, int64_t aligned) except -1
    @cython.locals(unit=int64_t, erases=int, fewest_erases=int, first=int64_t, found=int64_t, candidate=int64_t, worn=int)
    cpdef block_erased(self, int64_t block)
