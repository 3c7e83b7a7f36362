cimport cython
from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request
from ssdsim.metrics.tally cimport Tally

cdef class Rounds:
    cdef int64_t requests
    cdef object report
    cdef readonly list finished     # the reports
    cdef dict unfinished            # tallies by round
    cdef dict given_up              # by round: requests that will never be complete
    @cython.locals(number=int64_t, tally=Tally)
    cpdef power_lost(self, int64_t sent)
    @cython.locals(tally=Tally)
    cpdef add(self, Request request, int64_t response_ns)
    @cython.locals(number=int, tally=Tally)
    cpdef finish(self)
