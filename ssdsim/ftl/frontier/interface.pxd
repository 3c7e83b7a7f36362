cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.frontier.roles cimport AnnouncedRows, CopyTargets, PartlyWritten, Rows, WritePoints
from ssdsim.ftl.frontier.separation cimport Separation
from ssdsim.ftl.frontier.tables cimport TableBlocks

cdef class WriteFrontier:
    cdef public Blocks blocks
    cdef public Separation separation
    cdef readonly list hosts, moved         # the kinds that the host's data and moved data may be of
    cdef readonly int kinds                 # of data
    cdef readonly int last_moved            # the highest of the kinds that moved data may be of
    cdef signed char[::1] may_be            # by kind: whether data of the host may be of it; then whether moved data may
    cdef public int reserved                # (aligned) blocks that are for the collector alone
    cdef readonly bint at_once              # the next active block is taken as soon as one is filled
    cdef readonly int span
    cdef readonly int64_t unit_pages        # pages of an (aligned) block
    cdef readonly bint by_rows
    cdef public int64_t first_translation
    cdef public CopyTargets copies
    cdef public WritePoints points
    cdef public Rows rows
    cdef public PartlyWritten partly_written
    cdef public AnnouncedRows announced
    cdef public TableBlocks tables
    cpdef int active_blocks(self, object hardware, object config) except -1
    cpdef bind(self, Blocks blocks, object config)
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(kind=int)
    cpdef int kind_of(self, Transaction write) except -1
    cpdef int64_t allocate(self, int64_t plane, Transaction write) except -1
    cpdef int64_t free_blocks(self, int64_t unit) except -1
    cpdef int64_t free_pages(self, int64_t unit) except -1
    cpdef int64_t room_for_moves(self, int64_t unit) except? -1
    cpdef bint has_room_beside(self, int64_t unit, int kind) except -1
    cpdef list open_blocks(self)
    cpdef take_stock(self, list in_use)
    @cython.locals(per_unit=int64_t)
    cpdef list reopen(self, list aligned_blocks)
    cpdef bint take_over(self, int64_t unit, int64_t aligned) except -1
    cpdef list members_open(self, object found)
    cpdef bint is_in_line(self, list left) except -1
    cpdef bint has_typed_rows(self, int64_t aligned) except -1
    cpdef bint is_in_page_order(self, int64_t aligned) except -1
    cpdef bint holds_translation(self, int64_t aligned) except -1
