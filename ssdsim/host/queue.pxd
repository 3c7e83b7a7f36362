cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim.host.arbitration cimport Arbitration
from ssdsim.host.request cimport Request, RequestPool
from ssdsim.host.stream cimport Stream
from ssdsim.metrics.recorder cimport Recorder
from ssdsim.stage cimport Stage

@cython.final
cdef class HostQueue(Stage):
    cdef readonly object env
    cdef readonly list streams
    cdef readonly Arbitration arbitration
    cdef readonly int64_t queue_depth
    cdef Stage device
    cdef Recorder recorder
    cdef object activity, oracle
    cdef RequestPool pool
    cdef readonly int64_t in_flight, admitted, done
    cdef int64_t next_id            # goes on where an earlier queue with the same streams stopped
    cdef readonly int64_t most_in_flight
    cdef int64_t depth_ns           # in_flight, summed over time up to `depth_since_ns`
    cdef int64_t depth_since_ns
    cdef readonly Request newest    # head of the list of outstanding requests
    cdef Routine idle               # the admitting process, while that waits
    cdef readonly object finished
    @cython.locals(request=Request, now_ns=int64_t)
    cpdef int admit(self, Stream stream) except -1
    cdef void count_depth(self, int64_t now_ns) noexcept
    cpdef int64_t depth_integral_ns(self, int64_t now_ns) noexcept
    cpdef void unlink(self, Request request) noexcept
    @cython.locals(request=Request)
    cpdef list outstanding(self)
    cdef int ring(self) except -1
    cdef Stream choose_stream(self)
    cdef bint all_exhausted(self) except -1

@cython.final
cdef class Admitting(Routine):
    cdef HostQueue queue
    cdef Stream next_stream

@cython.final
cdef class Arriving(Routine):
    cdef HostQueue queue
    cdef Stream stream
    cdef bint waited            # for the arrival of the next request

@cython.final
cdef class Idling(Routine):
    cdef HostQueue queue
    cdef Stream stream
    cdef bint waited            # for the end of the idle time
