cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.block_pools cimport BlockPools
from ssdsim.ftl.frontier.interface cimport WriteFrontier

cdef class PageTypeFrontier(WriteFrontier):
    cdef readonly int types
    cdef readonly int owners            # 1 if the host's and moved data share blocks, else 2
    cdef readonly BlockPools pools      # by plane, owner and type: blocks whose next pages are of that type
    cdef int64_t[::1] active            # by plane, owner and type: the block that serves the type, or -1
    cdef signed char[::1] owner         # by block that is partly written
    cdef int[::1] alternates            # by type wanted: all types, in order of preference
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    cpdef bint has_room(self, int64_t plane) except -1
    cpdef int64_t free_blocks(self, int64_t unit) except -1
    cpdef bint has_room_for_translation(self, int64_t plane) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(ppa=int64_t)
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa, int page_type) except -1
    @cython.locals(choice=int, owner=int, given=int, block=int64_t, page=int, ppa=int64_t)
    cpdef int64_t allocate_beyond(self, int64_t plane, int purpose, int64_t lpa, int page_type, int kept) except -2
    cpdef int64_t slot(self, int64_t plane, int owner, int page_type) noexcept
    @cython.locals(slot=int64_t, block=int64_t)
    cpdef int64_t block_for(self, int64_t plane, int owner, int page_type, int kept) except -2
    @cython.locals(slot=int64_t)
    cpdef promote(self, int64_t plane, int64_t block, int page_type)
    @cython.locals(best=int64_t, most=int, pool=int64_t, block=int64_t, written=int, dead=int)
    cpdef int64_t last_resort(self, int64_t plane) except -2
    cpdef withdraw(self, int64_t plane, int64_t block)
    @cython.locals(page_type=int)
    cpdef int first_unfinished(self, int64_t block) noexcept
    @cython.locals(block=int64_t, plane=int64_t, page_type=int, owner=int)
    cpdef list reopen(self, list aligned_blocks)
