cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks

cdef class WriteFrontier:
    cdef public Blocks blocks
    cdef public int pages_per_block, reserved
    cdef public int64_t first_translation
    cdef public bint translation_waits
    cdef bint has_tables            # whether there has been a block for translation pages since power is on
    cdef int64_t[::1] tables        # by plane: the block being filled with translation pages, or -1
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef bint has_room(self, int64_t plane) except -1
    cpdef bint has_room_for_translation(self, int64_t plane) except -1
    cpdef bint begin_row(self, list lpas) except -1
    cpdef int64_t allocate_copy(self, int64_t plane, int purpose, int64_t lpa, int page) except -1
    cpdef int64_t allocate(self, int64_t plane, int purpose, int64_t lpa, int page_type) except -1
    cpdef int64_t free_blocks(self, int64_t unit) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    @cython.locals(free=int)
    cpdef bint has_table_room(self, int64_t plane) except -1
    cpdef int64_t pages_for_data(self, int64_t plane) except -1
    @cython.locals(block=int64_t)
    cpdef int table_pages(self, int64_t plane) except -1
    @cython.locals(block=int64_t, page_type=int, ppa=int64_t)
    cpdef int64_t allocate_translation(self, int64_t plane, int64_t lpa) except -1
    cpdef bint reopen_table(self, int64_t block) except -1
    cpdef int64_t last_resort(self, int64_t plane) except -2
    cpdef withdraw(self, int64_t plane, int64_t block)
    cpdef int64_t write_point(self, int64_t plane, int purpose) except -1
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    cpdef bint has_room_beside(self, int64_t plane, int purpose) except -1
    cpdef int place_in_row(self, int64_t plane, int purpose) except -1
    cpdef take_stock(self, list in_use)
    cpdef list reopen(self, list aligned_blocks)
