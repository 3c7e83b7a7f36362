cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.frontier.roles cimport AnnouncedRows
from ssdsim.ftl.fast.mapping cimport FastMapping

cdef class LogFrontier(WriteFrontier):
    cdef readonly int random_blocks, sequential_blocks  # that a unit has at most
    cdef FastMapping mapping
    cdef readonly int block_pages
    cdef readonly int64_t[::1] sequential   # by unit: the (aligned) log block for pages that come in order, or -1
    cdef readonly int64_t[::1] logical      # by unit: the logical block that it is for
    cdef public int64_t[::1] target         # by unit: the (aligned) block that a merge fills, or -1
    cdef readonly int64_t[::1] newest       # by unit: the random log block that is being filled, or -1
    cdef readonly bint in_place             # a page goes to its data block if its place is free
    cdef public int64_t[::1] merged         # by unit: the logical block that is being merged, or -1
    cdef readonly list random       # by unit: the random log blocks, oldest first
    cdef readonly list retired      # by unit: former sequential log blocks, each with its logical block, oldest first
    cdef bint mixed_row             # the row being written is none of a logical block
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef bind_mapping(self, FastMapping mapping)
    cpdef bint has_room(self, int64_t plane) except -1
    cdef bint may_begin(self, int64_t unit) except -1
    @cython.locals(unit=int64_t, index=int64_t, is_owner=bint)
    cdef bint takes_over(self, int64_t plane, int64_t lpa) except -1
    @cython.locals(unit=int64_t, index=int64_t)
    cdef bint waits_for_block(self, int64_t plane, int64_t lpa) except -1
    @cython.locals(aligned=int64_t, kept=int64_t)
    cdef bint goes_in_place(self, int64_t unit, int64_t index) except -1
    @cython.locals(aligned=int64_t)
    cdef int64_t append_in_place(self, int64_t unit, int64_t index, int64_t lpa) except -1
    cpdef bint is_used_up(self, int64_t unit) except -1
    @cython.locals(aligned=int64_t, ppa=int64_t)
    cdef int64_t append_random(self, int64_t unit, int64_t lpa) except -1
    @cython.locals(unit=int64_t, lpa=int64_t, index=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write) except -1
    cdef begin_sequential(self, int64_t unit, int64_t number)
    @cython.locals(aligned=int64_t)
    cdef bint continues(self, int64_t unit, int64_t index) except -1
    @cython.locals(aligned=int64_t, ppa=int64_t)
    cdef int64_t append_sequential(self, int64_t unit, int64_t lpa) except -1
    cdef retire(self, int64_t unit)
    @cython.locals(aligned=int64_t)
    cpdef int64_t take_free(self, int64_t unit) except -1
    cpdef int64_t append(self, int64_t aligned, int64_t lpa) except -1
    cdef pass_over(self, int64_t aligned)
    cpdef int written(self, int64_t aligned) except -1
    cpdef int valid(self, int64_t aligned) except -1
    @cython.locals(full=int, place=int)
    cpdef bint is_full(self, int64_t aligned) except -1
    cpdef bint is_sequential(self, int64_t unit, int64_t aligned) except -1
    cpdef take_stock(self, list in_use)
    cpdef list reopen(self, list aligned_blocks)
    cpdef list open_blocks(self)

cdef class RowsInOrder(AnnouncedRows):
    cdef LogFrontier frontier
    @cython.locals(frontier=LogFrontier, first=int64_t)
    cpdef bint begin(self, list lpas) except -1
