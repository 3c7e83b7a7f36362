from libc.stdint cimport int64_t

from ssdsim.flash.transaction cimport Transaction
from ssdsim.host.request cimport Request, WriteGroup

cdef class Stage:
    cpdef submit(self, Request request)
    cpdef completed(self, Request request)
    cpdef part_done(self, Request request)
    cpdef finish_part(self, Transaction transaction)
    cpdef transferred(self, Transaction transaction)
    cpdef done(self, Transaction transaction)
    cpdef translated(self, Transaction transaction)
    cpdef int64_t source_of(self, int64_t ppa) except -2
    cpdef write_placed(self, int64_t lpa)
    cpdef space_freed(self, int64_t unit)
    cpdef bint ask_for(self, int64_t die, int64_t wanted) except -1
    cpdef place_beside(self, list transactions, int64_t plane, int kind)
    cpdef fill(self, WriteGroup group, int64_t lpa)
    cpdef bint would_wait(self, int64_t lpa) except -1
    cpdef take_back(self, list transactions)
