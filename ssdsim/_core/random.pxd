from libc.stdint cimport uint64_t

from ssdsim._core.schedule cimport uint128

ctypedef struct bitgen_t:           # NumPy's interface to a bit generator, declared so that no build needs NumPy
    void* state
    uint64_t (*next_uint64)(void*) noexcept nogil
    void* next_uint32
    double (*next_double)(void*) noexcept nogil

cdef class RandomStream:
    cdef object generator       # keeps the bit generator alive
    cdef bitgen_t* bits
    cpdef uint64_t below(self, uint64_t bound) noexcept
    cpdef double uniform(self) noexcept
