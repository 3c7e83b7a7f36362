cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.table cimport IndexTable

cdef class Contents:
    cdef int64_t pages_per_block
    cdef int64_t[::1] held              # by PPA: versions
    cdef int64_t[::1] word, stamp       # by PPA
    cdef int64_t[::1] unmapped          # by LPA
    cdef int64_t[::1] acknowledged, durable     # by LPA
    cdef int64_t stamps                 # given so far
    cdef readonly dict notes            # by PPA: what a backup covers
    cdef public object data             # in the cells (`ssdsim.check.data`), where integrity is checked; else None
    cpdef put(self, int64_t ppa, int64_t lpa, int64_t version)
    cdef put_padding(self, int64_t ppa)
    @cython.locals(lpa=int64_t, ppa=int64_t)
    cpdef filled(self, IndexTable mapping)
    cdef put_backup(self, int64_t ppa, object note, int64_t version, int64_t word)
    cpdef int64_t get(self, int64_t ppa) noexcept
    cpdef int64_t word_of(self, int64_t ppa) noexcept
    cpdef int64_t stamp_of(self, int64_t ppa) noexcept
    cpdef erased(self, object transaction)
    @cython.locals(first=int64_t, ppa=int64_t)
    cpdef forget_block(self, int64_t block)
    cpdef unmap(self, int64_t lpa, int64_t version)
    cpdef acknowledge(self, int64_t lpa, int64_t version)
    cdef make_durable(self, int64_t lpa, int64_t version)
    cdef int64_t of_unmapped(self, int64_t lpa) noexcept
    cpdef forget(self, int64_t ppa)
    cpdef destroy(self, int64_t ppa)
    cpdef columns(self)
