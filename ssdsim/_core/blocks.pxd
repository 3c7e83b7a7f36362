from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from ssdsim._core.free_blocks cimport FreeBlocks
from ssdsim._core.program_order cimport MOST_TYPES, ProgramOrder
from ssdsim._core.table cimport IndexTable
from ssdsim._core.victim_index cimport VictimIndex

cdef extern from *:
    int __builtin_ctzll(uint64_t word) noexcept nogil

cpdef enum:     # in the order of `STATES`
    FREE, ACTIVE, FULL, COLLECTING, SET_ASIDE, CACHED

# `ssdsim.assembly.memory` keeps the numbers of blocks below 2**30, the pages of a die below 2**31 and wordlines below
# 2**16, which is why blocks, counts of a unit and their products with pages fit 32 bits. Erases of a block and reads on
# their way to it would take longer, and more memory, than there is.

cdef struct Block:          # 32 bytes; `BLOCK` says the same to NumPy
    # by page type: pages handed out to writes, which is what an FTL records, two bytes a type (six for TLC: PA-SSD, 4.5)
    uint16_t[MOST_TYPES] written
    uint16_t[MOST_TYPES] programmed     # by page type: pages that the cells hold, known to the flash; programmed <= written
    int32_t valid           # pages that hold current data: the set bits of the block's bitmap
    int32_t readers         # reads on their way to the block, and writes that replace its data: its erase waits for them
    int32_t erases
    uint8_t state
    uint8_t slc             # 1 in SLC mode, 2 also kept for it
    uint8_t round           # counts erases, up to 255 and then from 0 on: that of aligned blocks is the same, or their erase is under way

cdef class Blocks:
    cdef readonly int64_t planes, blocks_per_plane, count
    cdef readonly int span              # planes in a unit
    cdef readonly int64_t units
    cdef public int stripe              # pages of a block that follow one another, before those of the next plane in a unit
    cdef readonly bint by_least
    cdef readonly int pages_per_block
    cdef readonly int64_t pages
    cdef bint least_worn_first
    cdef readonly ProgramOrder order
    cdef readonly int page_types
    cdef public bint has_slc            # a block may be in SLC mode
    cdef readonly int given_type        # type of the page that was handed out last
    cdef readonly int64_t erased        # erases so far
    cdef readonly int64_t wasted        # pages that were unused when their block was reclaimed
    cdef public IndexTable spare        # by PPA: the LPA written there with the data
    cdef readonly VictimIndex index
    cdef readonly FreeBlocks free
    cdef readonly dict arrays           # by name, the NumPy arrays that own the memory below
    cdef Block* block
    cdef uint64_t* bitmap               # valid bits, `words` to a block
    cdef int words
    cdef int64_t* unwritten             # by unit: pages not handed out, in free and active blocks
    cdef int64_t* unwritten_by_type     # the same over the whole device, by page type
    cdef int32_t* places                # by place in a row: which plane of the unit it is
    cdef int32_t* valid_if_full         # by aligned blocks: their valid pages, -1 unless all are full; NULL where a unit is a plane
    cdef int64_t* dead                  # by unit: invalid pages in full blocks
    cdef public int64_t wasted_for_parity   # pages skipped because a copy-back needs a page of the other parity
    cdef uint64_t* skipped              # a bitmap like `bitmap`: pages that were passed over; NULL where none ever was
    cdef uint64_t* cells                # a bitmap like `bitmap`: pages programmed; NULL where they are in order
    cdef uint16_t* backed_up            # by block and page type: wordlines; NULL where nothing waits for a backup
    cpdef int64_t plane_of(self, int64_t block) noexcept
    cpdef int64_t unit_of(self, int64_t block) noexcept
    cpdef int64_t aligned_of(self, int64_t block) noexcept
    cpdef int64_t member(self, int64_t aligned, int place) noexcept
    cpdef int64_t block_of(self, int64_t ppa) noexcept
    cpdef int written_in(self, int64_t aligned) noexcept
    cpdef int unwritten_in(self, int64_t aligned) noexcept
    cpdef int programmed_in(self, int64_t aligned) noexcept
    cpdef int valid_in(self, int64_t aligned) noexcept
    cpdef int place_in_row(self, int64_t aligned, int page_type=*) noexcept
    cdef int handed_out(self, int64_t block, int page_type) noexcept
    cpdef int64_t next_member(self, int64_t aligned, int page_type=*) noexcept
    cpdef bint has_type_left(self, int64_t aligned, int page_type) noexcept
    cpdef int valid(self, int64_t block) noexcept
    cpdef int written(self, int64_t block) noexcept
    cpdef int programmed(self, int64_t block) noexcept
    cpdef int unwritten_of(self, int64_t block, int page_type) noexcept
    cpdef int readers(self, int64_t block) noexcept
    cpdef bint may_erase(self, int64_t block) noexcept
    cpdef int erases(self, int64_t block) noexcept
    cpdef int wear(self, int64_t aligned) noexcept
    cpdef int state(self, int64_t block) noexcept
    cpdef bint is_valid(self, int64_t ppa) noexcept
    cpdef bint is_programmed(self, int64_t ppa) noexcept
    cpdef int type_of(self, int64_t ppa) noexcept
    cpdef int slc(self, int64_t block) noexcept
    cpdef open_slc(self, int64_t aligned, bint kept)
    cdef int64_t bit_of(self, int64_t block, int64_t page) noexcept
    cdef void count_room(self, int64_t block, int sign) noexcept
    cdef void set_state(self, int64_t aligned, int state) noexcept
    cpdef int free_blocks(self, int64_t unit) noexcept
    cpdef int64_t all_free_blocks(self) noexcept
    cpdef int64_t free_pages(self, int64_t unit) noexcept
    cpdef int64_t free_of_type(self, int page_type) noexcept
    cpdef int64_t valid_pages(self, int64_t unit) noexcept
    cpdef int64_t dead_pages(self, int64_t unit) noexcept
    cpdef int64_t take_free(self, int64_t unit) noexcept
    cpdef int64_t append(self, int64_t block, int64_t lpa) noexcept
    cpdef int candidate(self, int64_t block, int page_type) noexcept
    cpdef int64_t hand_out(self, int64_t block, int page, int64_t lpa) noexcept
    cpdef int skip(self, int64_t block) except -1
    cdef void close_if_full(self, int64_t block) noexcept
    cpdef void fill(self, int64_t block) noexcept
    cdef void mark_valid(self, int64_t block, int64_t page, int64_t lpa) noexcept
    cdef void fill_rest(self, int64_t block) noexcept
    cdef void pass_skipped(self, int64_t block) noexcept
    cpdef bint may_program(self, int64_t block, int page) noexcept
    cpdef int look_ahead(self, int64_t block, int page, int change) except -1
    cpdef back_up(self, int64_t block, int page_type, int wordlines)
    cpdef int wordlines_backed_up(self, int64_t block, int page_type) noexcept
    cdef bint lower_pages_backed_up(self, int64_t block, int page) noexcept
    cpdef int64_t set_aside(self, int64_t unit) noexcept
    cpdef give_back(self, int64_t aligned)
    cpdef close(self, int64_t block)
    cpdef int program(self, int64_t ppa) except -1
    cdef void filled(self, int64_t block) noexcept
    cdef int refuse(self, int64_t block, int page) except -1
    cdef bint all_in(self, int64_t aligned, int state) noexcept
    cdef int rank(self, int64_t aligned) noexcept
    cpdef void invalidate(self, int64_t ppa) noexcept
    cpdef void add_reader(self, int64_t block) noexcept
    cpdef void remove_reader(self, int64_t block) noexcept
    cpdef int collect(self, int64_t aligned) except -1
    cpdef int keep(self, int64_t aligned) except -1
    cpdef int reclaim(self, int64_t aligned) except -1
    cpdef int next_valid(self, int64_t block, int page) noexcept
    cpdef int erase(self, int64_t block) except -1
    cpdef void release(self, int64_t aligned) noexcept
    cdef void* allocate(self, str name, shape, dtype) except NULL
