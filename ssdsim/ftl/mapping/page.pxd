from libc.stdint cimport int64_t

from ssdsim._core.table cimport IndexTable

cdef class PageMapping:
    cdef readonly IndexTable table
    cdef readonly int64_t logical_pages, translation_pages
    cpdef int64_t lookup(self, int64_t lpa) noexcept
    cpdef bint holds(self, int64_t lpa) noexcept
    cdef expect(self, int64_t lpa)
    cpdef int64_t update(self, int64_t lpa, int64_t ppa) noexcept
