cimport cython
from libc.stdint cimport int64_t

cdef class Contents:
    cdef int64_t pages_per_block
    cdef int64_t[::1] held              # by PPA
    cdef int64_t[::1] unmapped          # by LPA
    cdef int64_t[::1] acknowledged      # by LPA
    cpdef put(self, int64_t ppa, int64_t version)
    cpdef int64_t get(self, int64_t ppa) noexcept
    @cython.locals(first=int64_t, ppa=int64_t)
    cpdef erased(self, int64_t block)
    cpdef unmap(self, int64_t lpa, int64_t version)
    cpdef acknowledge(self, int64_t lpa, int64_t version)
    cpdef int64_t expected(self, int64_t lpa) noexcept
    cpdef int64_t of_unmapped(self, int64_t lpa) noexcept
    cpdef verify(self, int64_t lpa, int64_t found, int64_t expected)
