from libc.stdint cimport int32_t, uint8_t, uint16_t

cdef enum:
    MOST_TYPES = 4      # page types of a block: one for each bit of a cell

cdef class ProgramOrder:
    cdef readonly str rule
    cdef readonly int wordlines, types, pages
    cdef readonly bint free                 # pages are programmed in any order
    cdef const uint8_t[::1] type_at         # by page
    cdef const uint16_t[::1] wordline_at    # by page
    cdef const int32_t[::1] page_at         # by type, then wordline
    cdef const uint16_t[:, ::1] needs       # by page, then type: how many pages of that type come before it
    cdef bint allows(self, const uint16_t* programmed, int page) noexcept
    cdef int candidate(self, const uint16_t* programmed, int page_type) noexcept
    cpdef int type_of(self, int page) noexcept
    cpdef int wordline_of(self, int page) noexcept
    cpdef int page_of(self, int wordline, int page_type) noexcept
