cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim.host.request cimport Request

@cython.final
cdef class Stream:
    cdef readonly int index, weight, queue_depth
    cdef readonly int access_latency                # the hint of requests that come without one
    cdef readonly object name
    cdef int64_t start_ns                           # when the workload's clock starts
    cdef object chunks
    cdef readonly object ahead, unannounced         # chunks read whose admission, whose arrival has not begun
    cdef const int64_t[::1] announced_ns
    cdef int64_t announced_row, announced_rows      # the next to arrive of the chunk announced, and how many it has
    cdef int64_t announced, loaded                  # chunks of which the arrivals, the admission have begun
    cdef public int64_t idle_ns                     # closed loop: still to pass before the next request; 0: none
    cdef const int64_t[::1] arrival_ns, offset_bytes, size_bytes
    cdef const unsigned char[::1] op, hint
    cdef int64_t row, rows                          # of the chunk that is being admitted
    cdef readonly int64_t arrived
    cdef readonly int64_t admitted
    cdef int round                                  # of the next request
    cdef int64_t round_requests, round_end          # requests a round, and those up to the end of this one; 0: one round
    cdef public int64_t outstanding
    cdef readonly bint exhausted
    cdef public Routine caught_up                   # the process of arrivals, while it waits for admission to catch up
    cpdef bint ready(self) noexcept
    cpdef bint next_chunk(self) except -1
    cpdef bint announce(self) except -1
    cpdef int64_t next_arrival_ns(self) noexcept
    cpdef bint arrive(self) noexcept
    cpdef load_next(self)
    cpdef void expect_idle_time(self) noexcept
    @cython.locals(row=int64_t)
    cpdef int take_into(self, Request request, int64_t now_ns) except -1
    cpdef int64_t last_arrival_ns(self) noexcept
    cpdef power_lost(self)
