"""The event kernel for compiled modules: cimport its classes, and the helpers that serve both kernels."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

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

cpdef enum:                   # what `Routine.go_on` returns in the place of a time; a mistaken one is likelier to be -1
    PAUSE = -2147483646
    END = -2147483645

cdef class Routine:
    cdef Environment clock    # our kernel's, on which it runs; None on another
    cdef Process process      # there: the event of its end; None from then on
    cdef object alarm         # on another kernel: the event that it waits for
    cdef bint resumed         # its next step is scheduled
    cpdef int64_t go_on(self) except? -2147483647

cdef class Timer:
    cpdef int due(self) except -1

cdef class Steps:
    cdef readonly Routine routine

cdef class Process(Event):
    cdef dict __dict__
    cdef object __weakref__
    cdef readonly object _generator
    cdef readonly object target   # the event it waits for; None once it has ended, and for a routine
    cdef int step(self, object event) except -1
    cdef bint wait_for(self, object event) except -1

cpdef object run_routine(object env, Routine routine)
cpdef int resume_routine(Routine routine, long long delay) except -1
cpdef object make_environment(str kernel, long long start_ns=*)
cpdef long long now(object env) except? -1
cpdef int fire(object event, object value=*, double delay=*) except -1
cpdef int set_timer(object env, long long delay, Timer timer) except -1
cpdef int run_before(object env, double end, list signals) except -1
cpdef int advance_clock(object env, long long time) except -1
cpdef double time_of(object env) except? -1
cpdef double next_time_of(object env) except? -1
cpdef int call_later(object env, double delay, object callback) except -1
