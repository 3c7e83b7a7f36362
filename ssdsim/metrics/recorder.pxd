cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim._core.latency cimport LatencyGroups
from ssdsim._core.window_counts cimport WindowCounts
from ssdsim._core.window_samples cimport WindowSamples
from ssdsim.flash.controller cimport FlashController
from ssdsim.host.request cimport Request
from ssdsim.metrics.rounds cimport Rounds
from ssdsim.metrics.tally cimport Tally

cpdef enum:
    OBSERVE_EVERY = 1024        # requests between two looks at the wall clock

@cython.final
cdef class Recorder(Tally):
    cdef readonly Windows windows
    cdef readonly LatencyGroups by_stream, by_size
    cdef readonly object request_log, observer, checker
    cdef readonly Rounds rounds             # or None
    cdef readonly int64_t last_ns
    cdef public int64_t due                 # requests, or -1
    cdef public object on_due
    @cython.locals(response=int64_t, op=int)
    cpdef request_done(self, Request request, int64_t now_ns)

@cython.final
cdef class Windows:
    cdef object sample
    cdef readonly list first_ns             # for how long each channel had been held at the start
    cdef readonly list channels, before_ns  # flash controllers, and for how long those before them were held
    cdef readonly int64_t start_ns, width_ns, limit
    cdef readonly int64_t current, end_ns   # the window that is open, and when it ends
    cdef readonly bint fixed
    cdef WindowSamples samples
    cdef readonly WindowCounts counts
    cpdef int add(self, int op, int64_t now_ns, int64_t response_ns, int64_t size_bytes) except -1
    cdef void add_of(self, int stream, int op, int64_t response_ns, int64_t size_bytes) noexcept
    cpdef int pass_time(self, int64_t now_ns) except -1
    @cython.locals(window=int64_t, outlasted=cython.bint)
    cpdef close(self, int64_t now_ns)
    @cython.locals(number=int, held=list, channel=FlashController)
    cpdef list held_ns(self, int64_t now_ns)
    cpdef go_on(self, object channels, int64_t lost_ns)

@cython.final
cdef class Closing(Routine):
    cdef object env
    cdef Windows windows
    cdef bint waited
