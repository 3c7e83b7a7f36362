"""The event kernel for compiled modules: cimport its classes, and the helpers that serve both kernels."""

from cpython.ref cimport PyObject

from ssdsim._core.schedule cimport Schedule

cdef class Environment(Schedule):
    cdef bint plain           # not a subclass: nothing is overridden
    cdef PyObject* active     # the process that runs, borrowed from whoever resumes it

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

cdef class Routine:
    cdef Process process      # that runs it on our kernel; None on another
    cdef object stock_env     # of another kernel
    cdef object alarm         # there: the event that `resume` triggers, or None before there was one
    cpdef object go_on(self)
    cpdef object sleep(self, long long delay)
    cpdef object pause(self)
    cpdef int resume(self, long long delay) except -1
    cdef int set_alarm(self) except -1

cdef class Steps:
    cdef readonly Routine routine

cdef class Process(Event):
    cdef dict __dict__
    cdef object __weakref__
    cdef readonly object _generator
    cdef Routine routine          # that it runs instead of a generator, or None
    cdef readonly object target   # the event it waits for; None once it has ended, and while its routine is paused
    cdef bint paused              # its routine waits to be resumed
    cdef bint resumed             # and that is scheduled
    cdef int step(self, object event) except -1
    cdef bint wait_for(self, object event) except -1

cpdef object run_routine(object env, Routine routine)
cpdef object make_environment(str kernel, long long start_ns=*)
cpdef long long now(object env) except? -1
cpdef object new_event(object env)
cpdef object hold(object env, long long delay)
cpdef int fire(object event, long long delay=*) except -1
