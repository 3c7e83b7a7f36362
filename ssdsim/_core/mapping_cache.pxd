from libc.stdint cimport int32_t, int64_t, uint8_t

from ssdsim._core.table cimport IndexTable

cdef struct Entry:
    int64_t lpa
    int64_t ppa                 # where it lies, or -1
    int32_t next, previous      # neighbours in its segment, from the one used last on; `next` links free slots, and
                                # leaving entries of a translation page: a ring, of which the first follows the last
    int32_t next_dirty, previous_dirty      # other dirty entries of the same translation page
    uint8_t segment
    uint8_t dirty

cdef class MappingCache:
    cdef readonly int64_t capacity, protected_capacity
    cdef readonly int64_t used
    cdef readonly int64_t staying   # of those used, entries that are not leaving
    cdef readonly int64_t entries_per_page
    cdef object storage             # the NumPy array that owns `entry`
    cdef Entry* entry
    cdef int32_t slots, free
    cdef int32_t[2] head, tail      # of the probationary and the protected segment
    cdef int64_t[2] length
    cdef IndexTable slot_of         # by LPA
    cdef IndexTable dirty_of        # by translation page: the first of its dirty entries
    cdef IndexTable leaving_of      # by translation page: the last of its leaving entries
    cpdef bint holds(self, int64_t lpa) noexcept
    cpdef int64_t find(self, int64_t lpa) noexcept
    cpdef bint touch(self, int64_t lpa) noexcept
    cpdef insert(self, int64_t lpa, int64_t ppa, bint cold=*)
    cpdef int64_t change(self, int64_t lpa, int64_t ppa) noexcept
    cpdef bint is_dirty(self, int64_t lpa) noexcept
    cpdef int64_t victim(self) noexcept
    cpdef bint leave(self, int64_t lpa) noexcept
    cpdef void end_leaving(self, int64_t page) noexcept
    cpdef void remove(self, int64_t lpa) noexcept
    cpdef int64_t write_back(self, int64_t page, IndexTable table) noexcept
    cpdef IndexTable overlay(self, IndexTable table)
    cdef void link(self, int32_t slot, int segment, bint last) noexcept
    cdef void unlink(self, int32_t slot) noexcept
    cdef void demote(self) noexcept
    cdef void release(self, int32_t slot) noexcept
    cdef void make_clean(self, int32_t slot) noexcept
    cdef grow(self)
