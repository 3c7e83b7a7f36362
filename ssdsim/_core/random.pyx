"""Seeded randomness, one stream for each purpose, drawn alike from Python and from compiled code."""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint64_t

import zlib

from numpy.random import PCG64, SeedSequence


@cython.final
cdef class RandomStream:
    """NumPy's PCG64, seeded by the run's seed and the name of the purpose."""

    def __cinit__(self, seed: int, str purpose):
        self.generator = PCG64(SeedSequence([seed, zlib.crc32(purpose.encode())]))
        self.bits = <bitgen_t*>PyCapsule_GetPointer(self.generator.capsule, "BitGenerator")

    cpdef uint64_t below(self, uint64_t bound) noexcept:
        """Return a whole number from 0 to `bound` - 1; the bias of the multiplication is below bound / 2**64."""
        return <uint64_t>((<uint128>self.bits.next_uint64(self.bits.state) * bound) >> 64)

    cpdef double uniform(self) noexcept:
        """Return a number in [0, 1)."""
        return self.bits.next_double(self.bits.state)
