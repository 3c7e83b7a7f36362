"""The event kernel for `either_kernel`, by which all else uses it."""

from cpython.ref cimport PyObject

from ssdsim._core.schedule cimport Schedule

cdef class Environment(Schedule):
    cdef bint plain           # not a subclass: nothing is overridden
    cdef PyObject* active     # the process or routine that runs, borrowed from whoever resumes it

cdef class Event:
    cdef readonly Environment env
    cdef Process waiter       # the only waiting process, in place of a list; None once there is a list
    cdef list waiting         # the callbacks, once somebody has asked for them or a second process waits
    cdef public object _value
    cdef double delay         # of a Timeout; kept here so that both share one free list
    cdef public bint _ok      # SimPy's classes set it, as they set `_value` and `_defused`
    cdef public bint _defused
    cdef readonly bint processed   # its callbacks have been called

cdef class Timeout(Event):
    pass

cdef class Process(Event):
    cdef dict __dict__
    cdef object __weakref__
    cdef readonly object _generator
    cdef readonly object target   # the event it waits for; None once it has ended, and for a routine
    cdef int step(self, object event) except -1
    cdef bint wait_for(self, object event) except -1

cdef int process_events(Environment env, int most) except -1
cdef int settle_as(Event event, bint ok, value, double delay) except -1
cdef bint is_native(event) noexcept
cdef Timeout timeout_of(Environment env, double delay, value)
