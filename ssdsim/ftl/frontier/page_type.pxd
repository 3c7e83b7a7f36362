cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.block_pools cimport BlockPools
from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.frontier.roles cimport CopyTargets, PartlyWritten, Rows

cdef class PageTypeFrontier(WriteFrontier):
    cdef readonly int types
    cdef readonly BlockPools pools      # by unit, kind and type: blocks whose next pages are of that type
    cdef int64_t[::1] active            # by unit, kind and type: the (aligned) block that serves the type, or -1
    cdef signed char[::1] owner         # by (aligned) block that is partly written: the kind that it is for
    cdef int64_t[::1] begun             # by unit and kind, where rows are whole: the block with the row begun, or -1
    cdef int[::1] begun_type            # by unit and kind: the type of that row
    cdef int[::1] alternates            # by type wanted: all types, in order of preference
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(beyond=int64_t)
    cpdef bint has_room_beside(self, int64_t unit, int kind) except -1
    cpdef int64_t free_blocks(self, int64_t unit) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(unit=int64_t, ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write) except -1
    @cython.locals(at=int64_t, aligned=int64_t, ppa=int64_t)
    cdef int64_t continue_row(self, int64_t unit, int kind, int64_t lpa) except -2
    @cython.locals(choice=int, owner=int, given=int, aligned=int64_t, ppa=int64_t)
    cdef int64_t allocate_beyond(self, int64_t unit, int kind, int64_t lpa, int page_type, int kept) except -2
    @cython.locals(block=int64_t, page=int, ppa=int64_t)
    cpdef int64_t hand_out(self, int64_t unit, int64_t aligned, int page_type, int64_t lpa) except -2
    cpdef int64_t slot(self, int64_t unit, int owner, int page_type) noexcept
    @cython.locals(slot=int64_t, aligned=int64_t)
    cdef int64_t block_for(self, int64_t unit, int owner, int page_type, int kept) except -2
    @cython.locals(slot=int64_t)
    cdef promote(self, int64_t unit, int64_t aligned, int page_type)
    @cython.locals(page_type=int)
    cdef int first_unfinished(self, int64_t aligned) noexcept
    cpdef list open_blocks(self)
    @cython.locals(page_type=int, owner=int)
    cpdef bint take_over(self, int64_t unit, int64_t aligned) except -1

cdef class TypedRows(Rows):
    cdef PageTypeFrontier frontier
    @cython.locals(frontier=PageTypeFrontier, unit=int64_t, aligned=int64_t)
    cpdef int place(self, int64_t plane, int kind) except -1
    @cython.locals(at=int64_t)
    cpdef int page_type(self, int64_t plane, int kind) except -2

cdef class Candidates(PartlyWritten):
    cdef PageTypeFrontier frontier
    @cython.locals(frontier=PageTypeFrontier, best=int64_t, most_dead=int, pool=int64_t, aligned=int64_t, written=int, dead=int)
    cpdef int64_t best(self, int64_t unit) except -2
    @cython.locals(frontier=PageTypeFrontier, slot=int64_t)
    cpdef withdraw(self, int64_t unit, int64_t aligned)

cdef class TypeTargets(CopyTargets):
    cdef PageTypeFrontier frontier
    @cython.locals(frontier=PageTypeFrontier, page_type=int, block=int64_t)
    cpdef int64_t passed_over(self, int64_t plane, Transaction write, int page) except -2
    @cython.locals(frontier=PageTypeFrontier, page_type=int, block=int64_t)
    cpdef int64_t allocate(self, int64_t plane, Transaction write, int page) except -1

cdef class TwoPhaseFrontier(PageTypeFrontier):
    pass
