from libc.stdint cimport uint64_t
from numpy.random cimport bitgen_t

cdef class RandomStream:
    cdef object generator       # keeps the bit generator alive
    cdef bitgen_t* bits
    cpdef uint64_t below(self, uint64_t bound) noexcept
    cpdef double uniform(self) noexcept

cdef extern from *:
    """
    #define MULTIPLY_HIGH(a, b) ((uint64_t)(((unsigned __int128)(a) * (b)) >> 64))
    """
    uint64_t MULTIPLY_HIGH(uint64_t a, uint64_t b) noexcept nogil
