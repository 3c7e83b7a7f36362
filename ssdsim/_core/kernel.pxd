"""The event kernel for compiled modules: cimport its classes, and the helpers that serve both kernels."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

cdef extern from *:
    ctypedef unsigned long long uint128 "unsigned __int128"

cdef struct Entry:
    uint128 key        # order of processing, see `sort_key`
    double time
    PyObject* event    # owned reference

cdef class Environment:
    cdef dict __dict__
    cdef object __weakref__
    cdef double clock
    cdef Entry* heap          # binary min-heap by key
    cdef Py_ssize_t size      # entries, counting the hole
    cdef Py_ssize_t capacity
    cdef bint hole            # heap[0] has been taken out and its place is not filled yet
    cdef bint plain           # not a subclass: nothing is overridden
    cdef uint64_t scheduled   # events ever
    cdef PyObject* active     # the process that runs, borrowed from whoever resumes it

cdef class Event:
    cdef readonly Environment env
    cdef Process waiter       # the only waiting process, in place of a list; None once there is a list
    cdef list waiting         # the callbacks, once somebody has asked for them or a second process waits
    cdef public object _value
    cdef double delay         # of a Timeout; kept here so that both share one free list
    cdef public bint _ok      # SimPy's classes set it, as they set `_value` and `_defused`
    cdef public bint _defused
    cdef bint is_processed

cdef class Timeout(Event):
    pass

cdef class Process(Event):
    cdef dict __dict__
    cdef object __weakref__
    cdef readonly object _generator
    cdef readonly object target   # the event it waits for; None once it has ended
    cdef int step(self, object event) except -1
    cdef bint wait_for(self, object event) except -1

cpdef object make_environment(str kernel)
cpdef long long now(object env) except? -1
cpdef object new_event(object env)
cpdef object hold(object env, long long delay)
cpdef int fire(object event, long long delay=*) except -1
