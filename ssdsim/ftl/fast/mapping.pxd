cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.table cimport IndexTable
from ssdsim.ftl.mapping.page cimport PageMapping

cdef class FastMapping(PageMapping):
    cdef readonly Blocks blocks
    cdef readonly int span, together
    cdef int64_t[::1] stripe            # by place: the plane, or the first of those that a super page goes to
    cdef int64_t[::1] place_of          # by such a plane: its place in the stripe
    cdef readonly int64_t places
    cdef readonly int64_t plane_pages   # logical pages that fall to a plane
    cdef readonly int block_pages       # pages of an (aligned) block
    cdef readonly int64_t logical_blocks    # of a unit
    cdef readonly int64_t log_pages     # that random log blocks can have, on the whole device
    cdef readonly int64_t[::1] data     # by unit and logical block: its (aligned) data block, or -1
    cdef public int64_t[::1] merges     # by kind
    cpdef int64_t unit_of(self, int64_t lpa) noexcept
    @cython.locals(number=int64_t, place=int)
    cpdef int64_t index_of(self, int64_t lpa) noexcept
    @cython.locals(place=int, beside=int, number=int64_t)
    cpdef int64_t lpa_at(self, int64_t unit, int64_t index) noexcept
    @cython.locals(block=int64_t)
    cpdef int64_t page_at(self, int64_t aligned, int64_t offset) noexcept
    @cython.locals(ppa=int64_t, index=int64_t, aligned=int64_t)
    cpdef int64_t lookup(self, int64_t lpa) noexcept
    @cython.locals(before=int64_t)
    cpdef int64_t update(self, int64_t lpa, int64_t ppa) noexcept
    @cython.locals(index=int64_t, aligned=int64_t)
    cdef bint is_own_place(self, int64_t lpa, int64_t ppa) noexcept
    @cython.locals(lpa=int64_t, table=IndexTable)
    cpdef IndexTable current(self)
    cpdef int64_t data_block(self, int64_t unit, int64_t number) noexcept
    @cython.locals(at=int64_t, before=int64_t, offset=int, ppa=int64_t)
    cpdef int64_t adopt(self, int64_t unit, int64_t number, int64_t aligned) noexcept
