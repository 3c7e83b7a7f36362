cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.mapping_cache cimport MappingCache
from ssdsim.ftl.mapping.page cimport PageMapping

cdef class DemandMapping(PageMapping):
    cdef readonly MappingCache cache
    cdef readonly int64_t entries_per_page
    cdef readonly int64_t unit_pages
    cdef readonly int64_t[::1] pages_in_unit        # by unit: translation pages that lie there
    @cython.locals(page=int64_t, ppa=int64_t)
    cpdef count_by_unit(self, int64_t units, int64_t unit_pages)
    @cython.locals(ppa=int64_t)
    cpdef int64_t lookup(self, int64_t lpa) noexcept
    cpdef bint holds(self, int64_t lpa) noexcept
    @cython.locals(before=int64_t)
    cpdef int64_t update(self, int64_t lpa, int64_t ppa) noexcept
