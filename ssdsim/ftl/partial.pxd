cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction
from ssdsim.host.request cimport Request

@cython.final
cdef class PartialPages:
    cdef readonly int64_t page_bytes
    cdef readonly bint read_modify_write    # a write of part of a page reads the rest; else that is padded
    cdef readonly bint on_arrival           # a write takes its page and its turn before the rest has been read
    cdef bint reads_stored                  # what a page stores is read, whatever is wanted of it
    cdef bint programs_whole, programs_changed  # of a page that is written in part; else what it stores
    cdef readonly bint matters              # what pages store decides how long something takes
    cdef object whole_page                  # the bits of all sectors of a page
    cdef readonly dict parts                # by LPA written in part only, where that matters: the sectors, as bits
    cpdef bint needs_rest(self, Transaction transaction) except -1
    @cython.locals(lpa=int64_t)
    cdef int64_t rest_of(self, Transaction transaction) except -1
    cdef int64_t bytes_read(self, int64_t lpa, int64_t wanted) except -1
    @cython.locals(lpa=int64_t)
    cpdef keep(self, Transaction transaction)
