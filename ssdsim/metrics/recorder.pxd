cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.window_counts cimport WindowCounts
from ssdsim.flash.controller cimport FlashController
from ssdsim.host.request cimport Request
from ssdsim.metrics.groups cimport Groups
from ssdsim.metrics.rounds cimport Rounds
from ssdsim.metrics.tally cimport Tally

cpdef enum:
    OBSERVE_EVERY = 1024        # requests between two looks at the wall clock

cdef class Recorder(Tally):
    cdef readonly Windows windows
    cdef readonly Groups by_stream, by_size
    cdef readonly object request_log, observer, checker
    cdef readonly Rounds rounds             # or None
    cdef readonly int64_t last_ns
    @cython.locals(response=int64_t)
    cpdef request_done(self, Request request, int64_t now_ns)

cdef class Windows:
    cdef object sample
    cdef readonly list first_ns             # for how long each channel had been held at the start
    cdef readonly list channels, before_ns  # flash controllers, and for how long those before them were held
    cdef bint by_stream
    cdef readonly int64_t start_ns, width_ns, limit, current
    cdef readonly bint fixed
    cdef public list rows
    cdef readonly dict busy_ns              # by window
    cdef readonly WindowCounts counts
    cdef int64_t[::1] sums                  # of the current window: requests, response times, bytes of read and write
    cpdef add(self, int op, int64_t now_ns, int64_t response_ns, int64_t size_bytes, int stream=*)
    cpdef int64_t end_ns(self) noexcept
    cpdef pass_time(self, int64_t now_ns)
    @cython.locals(at=int, sums=list, sample=tuple, window=int64_t, closed=int64_t, passed=int64_t, outlasted=cython.bint)
    cpdef close(self, int64_t now_ns)
    @cython.locals(number=int, held=list, channel=FlashController)
    cpdef list held_ns(self, int64_t now_ns)
    cpdef go_on(self, object channels, int64_t lost_ns)
