from libc.stdint cimport int64_t

from ssdsim.flash.transaction cimport Transaction
from ssdsim.host.request cimport Request, WriteGroup

cdef class Stage:
    cpdef submit(self, Request request)
    cpdef completed(self, Request request)
    cpdef part_done(self, Request request)
    cdef finish_part(self, Transaction transaction)
    cdef transferred(self, Transaction transaction)
    cpdef done(self, Transaction transaction)
    cdef translated(self, Transaction transaction)
    cdef int64_t source_of(self, int64_t ppa) except -2
    cdef write_placed(self, int64_t lpa)
    cpdef space_freed(self, int64_t unit)
    cpdef bint ask_for(self, int64_t die, int64_t wanted) except -1
    cpdef place_beside(self, list transactions, int64_t plane, int kind)
    cpdef fill(self, WriteGroup group, int64_t lpa)
    cdef bint would_wait(self, int64_t lpa) except -1
    cpdef take_back(self, list transactions)
