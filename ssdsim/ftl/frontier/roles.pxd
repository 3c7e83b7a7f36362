from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction

cdef class CopyTargets:
    cpdef int64_t passed_over(self, int64_t plane, Transaction write, int page) except -2
    cpdef int64_t foreseen(self, int64_t plane, list copies) except -1
    cpdef int64_t allocate(self, int64_t plane, Transaction write, int page) except -1

cdef class WritePoints:
    cpdef int64_t reached(self, int64_t plane, int kind) except -1
    cpdef bint has_room_beside(self, int64_t plane, int kind) except -1
    cdef int64_t filled_next(self, int64_t first, int64_t count, int kind) except -2

cdef class Rows:
    cdef public bint are_whole
    cpdef int place(self, int64_t plane, int kind) except -1
    cpdef int page_type(self, int64_t plane, int kind) except -2
    cpdef bint has_room_beside(self, int64_t plane, int kind) except -1

cdef class PartlyWritten:
    cpdef int64_t best(self, int64_t unit) except -2
    cpdef withdraw(self, int64_t unit, int64_t aligned)

cdef class AnnouncedRows:
    cpdef bint begin(self, list lpas) except -1
