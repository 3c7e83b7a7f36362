"""The clock and the schedule of an environment, and the routines and timers that it schedules without an event."""

from simpy.core import Infinity

from cpython.object cimport PyTypeObject, inquiry, traverseproc, visitproc
from cpython.ref cimport Py_DECREF
from libc.math cimport fabs
from libc.stdlib cimport free, realloc
from libc.string cimport memmove

from ssdsim._core.clock cimport EXACT, as_number, check_exact


cdef class Schedule:
    """Events in the order of their times; the clock starts at `initial_time`."""

    def __init__(self, initial_time: float = 0):
        self.clock = initial_time
        if not (fabs(self.clock) < EXACT or isinstance(initial_time, float) and initial_time == initial_time):
            raise ValueError(f"Initial time {initial_time} is not a number below 2**53")

    def __dealloc__(self):
        drop(self)
        free(self.heap)
        free(self.line)

    @property
    def now(self) -> int | float:
        """The current time, an int when it is whole."""
        return as_number(self.clock)

    def peek(self) -> int | float:
        """The time of the next event, or infinity."""
        return Infinity if is_empty(self) else as_number(next_time(self))   # SimPy asks whether it `is` that


cdef int push(Schedule schedule, object event, double time, int priority, Kind kind) except -1:
    """Schedule an event, of a priority in -128..127; its `kind` is kept with it."""
    if is_full(schedule):
        make_room(schedule)
    if time == schedule.clock and priority == NORMAL:
        put_in_line(schedule, event, kind)
    else:
        put_in_heap(schedule, event, time, priority, kind)
    return 0


cdef int make_room(Schedule schedule) except -1:
    """Make room for another event in line and heap; in the line that of those taken out, if there are any."""
    if schedule.size == schedule.capacity:
        schedule.heap = <Entry*>grown(schedule.heap, &schedule.capacity, sizeof(Entry))
    if schedule.end < schedule.line_capacity:
        return 0
    if 2 * schedule.first <= schedule.line_capacity:   # else it would be moved again before long
        schedule.line = <Turn*>grown(schedule.line, &schedule.line_capacity, sizeof(Turn))
    schedule.end -= schedule.first
    memmove(schedule.line, &schedule.line[schedule.first], schedule.end * sizeof(Turn))
    schedule.first = 0
    return 0


cdef void* grown(void* memory, Py_ssize_t* capacity, size_t size) except NULL:
    """Twice the memory for entries of this size."""
    cdef Py_ssize_t wanted = capacity[0] * 2 if capacity[0] else 64
    memory = realloc(memory, wanted * size)
    if memory == NULL:
        raise MemoryError
    capacity[0] = wanted
    return memory


cdef void drop(Schedule schedule) noexcept:
    """Release the events scheduled. Closing a process may schedule more, so that every step leaves a valid schedule."""
    cdef Kind kind
    cdef double clock = schedule.clock
    cdef PyObject* event
    while not is_empty(schedule):
        event = pop(schedule, &kind)
        schedule.clock = clock
        Py_DECREF(<object>event)


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


cdef class Routine:
    """What a process does, without a generator, so that all of its state is in its fields; see `run_routine`.

    It waits for a time, or for a call of `resume_routine`. On our kernel neither needs an event.
    """

    cpdef int64_t go_on(self) except? -2147483647:
        """Take the step after the last wait, and return how long the next one is, or PAUSE, or END.

        PAUSE waits for `resume_routine`, which may also have been called since this step began.
        """
        raise NotImplementedError


cdef class Timer:
    """What is to be done once, some time after it is set (`set_timer`); on our kernel no event is needed for that."""

    cpdef int due(self) except -1:
        """Do it."""
        raise NotImplementedError

    def _due(self, event):
        self.due()


cdef int leave(Routine routine) except -1:
    """End a routine: it takes no more steps."""
    routine.clock = routine.process = routine.alarm = None
    return 0


cpdef int resume_routine(Routine routine, long long delay) except -1:
    """Schedule the next step of a routine `delay` from now; it pauses, or will have by then.

    ValueError if that is negative, RuntimeError if it is going to already, has not begun, or has ended.
    """
    return 0 if resume_at_once(routine, delay) else resume_otherwise(routine, delay)


cdef int resume_otherwise(Routine routine, long long delay) except -1:
    """Do the same on either kernel and where there must be room made, or say why it cannot be done."""
    if delay < 0:
        raise ValueError(f"Negative delay {delay}")
    if routine.clock is routine.alarm:   # both None
        raise RuntimeError(f"{type(routine).__name__} does not run")
    if routine.resumed:
        raise RuntimeError(f"{type(routine).__name__} is already going to be resumed")
    if routine.clock is None:
        routine.alarm._ok, routine.alarm._value = True, None
        routine.alarm.env.schedule(routine.alarm, delay=delay)
    else:
        check_exact(routine.clock.clock, delay)
        push(routine.clock, routine, routine.clock.clock + delay, NORMAL, STEP)
    routine.resumed = True
    return 0
