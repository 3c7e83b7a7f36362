from libc.stdint cimport uint32_t, uint64_t

ctypedef struct bitgen_t:           # NumPy's interface to a bit generator, declared so that no build needs NumPy
    void* state
    uint64_t (*next_uint64)(void*) noexcept nogil
    uint32_t (*next_uint32)(void*) noexcept nogil
    double (*next_double)(void*) noexcept nogil
    uint64_t (*next_raw)(void*) noexcept nogil

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
