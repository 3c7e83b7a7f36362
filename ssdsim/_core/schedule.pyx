"""The clock and the schedule of an environment: its Python face, its growth and its release."""

from simpy.core import Infinity

from cpython.object cimport PyTypeObject, inquiry, traverseproc, visitproc
from cpython.ref cimport Py_DECREF
from libc.math cimport fabs
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

from ssdsim._core.clock cimport EXACT, as_number


cdef class Schedule:
    """Events in the order of their times; the clock starts at `initial_time`."""

    def __init__(self, initial_time=0):
        self.clock = initial_time
        if not (fabs(self.clock) < EXACT or isinstance(initial_time, float) and initial_time == initial_time):
            raise ValueError(f"Initial time {initial_time} is not a number below 2**53")

    def __dealloc__(self):
        drop(self)
        free(self.heap)
        free(self.line)

    @property
    def now(self):
        """The current time, an int when it is whole."""
        return as_number(self.clock)

    def peek(self):
        """The time of the next event, or infinity."""
        if is_empty(self):
            return Infinity
        if line_is_next(self):
            return as_number(self.clock)
        settle(self)
        return as_number(self.heap[0].time)


cdef int grow(Schedule schedule) except -1:
    """Make room for another entry."""
    cdef Py_ssize_t capacity = schedule.capacity * 2 if schedule.capacity else 64
    cdef void* heap = realloc(schedule.heap, capacity * sizeof(Entry))
    if heap == NULL:
        raise MemoryError
    schedule.heap = <Entry*>heap
    schedule.capacity = capacity
    return 0


cdef int grow_line(Schedule schedule) except -1:
    """Make room at the end of the line: that of those taken out, or more."""
    cdef Py_ssize_t capacity = schedule.line_capacity * 2 if schedule.line_capacity else 64
    cdef void* line
    if schedule.first > 0:
        memmove(schedule.line, &schedule.line[schedule.first], (schedule.end - schedule.first) * sizeof(Entry))
        schedule.end -= schedule.first
        schedule.first = 0
        return 0
    line = realloc(schedule.line, capacity * sizeof(Entry))
    if line == NULL:
        raise MemoryError
    schedule.line = <Entry*>line
    schedule.line_capacity = capacity
    return 0


cdef void drop(Schedule schedule) noexcept:
    """Release the events scheduled. Closing a process may schedule more, so that every step leaves a valid schedule."""
    while not is_empty(schedule):
        Py_DECREF(<object>pop(schedule).event)


# Garbage collection. Cython visits the attributes of a schedule; these add its events, through which an abandoned
# simulation is a cycle: environment, event, waiting process, its generator, environment.

cdef traverseproc traverse_attributes = (<PyTypeObject*>Schedule).tp_traverse
cdef inquiry clear_attributes = (<PyTypeObject*>Schedule).tp_clear


cdef int traverse(PyObject* schedule, visitproc visit, void* arg) noexcept:
    cdef Py_ssize_t i
    cdef int stop
    for i in range((<Schedule>schedule).hole, (<Schedule>schedule).size):
        stop = visit((<Schedule>schedule).heap[i].event, arg)
        if stop:
            return stop
    for i in range((<Schedule>schedule).first, (<Schedule>schedule).end):
        stop = visit((<Schedule>schedule).line[i].event, arg)
        if stop:
            return stop
    return traverse_attributes(schedule, visit, arg)


cdef int clear(PyObject* schedule) noexcept:
    drop(<Schedule>schedule)
    return clear_attributes(<object>schedule)


(<PyTypeObject*>Schedule).tp_traverse = <traverseproc>traverse
(<PyTypeObject*>Schedule).tp_clear = <inquiry>clear
