cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks

cdef class WearLeveling:
    cpdef int64_t cold_block(self, int64_t plane) except -2
    cpdef block_erased(self, int64_t plane, int64_t block)

cdef class StaticWearLeveling(WearLeveling):
    cdef Blocks blocks
    cdef readonly int threshold
    cdef int64_t[::1] least     # by plane: the fewest erases of a full block when last searched
    cdef int64_t[::1] cold      # by plane: the block to move next, or -1
    @cython.locals(block=int64_t)
    cpdef int64_t cold_block(self, int64_t plane) except -2
    @cython.locals(erases=int, least=int, first=int64_t, found=int64_t, candidate=int64_t)
    cpdef block_erased(self, int64_t plane, int64_t block)
