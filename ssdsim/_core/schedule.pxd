"""What an environment has scheduled, for the kernel to inline, and what it schedules without an event.

What is to happen later is in a binary min-heap whose first entry, once taken out, leaves a hole: processing an event
usually schedules another, which then fills the hole in one pass. What is to happen in the same instant, as most of what
wakes another process is, comes after all that is scheduled for it already, and stands in a line: the clock is its time.
"""

from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.math cimport INFINITY
from libc.string cimport memcpy

from ssdsim._core.clock cimport EXACT

cdef extern from *:
    ctypedef unsigned long long uint128 "unsigned __int128"

cdef struct Turn:          # in the line
    uint64_t order         # in its instant, see `order_of`
    PyObject* event        # owned reference

cdef struct Entry:         # in the heap
    uint128 key            # order of processing, see `sort_key`
    double time
    PyObject* event        # owned reference

cdef enum Kind:            # of an event, the lowest bits of its order
    NATIVE                 # of the kernel's classes
    FOREIGN                # of another module's classes
    STEP                   # the routine itself, which takes its next step
    TIMER                  # a timer, which is due

cdef class Schedule:
    cdef dict __dict__
    cdef object __weakref__
    cdef double clock
    cdef Entry* heap          # by key
    cdef Py_ssize_t size      # entries, counting the hole
    cdef Py_ssize_t capacity
    cdef bint hole            # heap[0] has been taken out and its place is not filled yet
    cdef Turn* line           # of this instant and of normal priority, in the order in which they came
    cdef Py_ssize_t first     # in the line; those before have been taken out
    cdef Py_ssize_t end       # of the line
    cdef Py_ssize_t line_capacity
    cdef uint64_t pushed      # events ever

cdef enum:
    URGENT = 0   # SimPy's priority of what goes first in an instant
    NORMAL = 1   # its usual one

cpdef enum:                   # what `Routine.go_on` returns in the place of a time; a mistaken one is likelier to be -1
    PAUSE = -2147483646
    END = -2147483645

cdef class Routine:
    cdef Schedule clock       # our kernel's, on which it runs; None on another
    cdef object process       # there: the event of its end; None from then on
    cdef object alarm         # on another kernel: the event that it waits for
    cdef bint resumed         # its next step is scheduled
    cpdef int64_t go_on(self) except? -2147483647

cdef class Timer:
    cpdef int due(self) except -1

cpdef int resume_routine(Routine routine, long long delay) except -1
cdef int resume_otherwise(Routine routine, long long delay) except -1
cdef int leave(Routine routine) except -1
cdef int push(Schedule schedule, object event, double time, int priority, Kind kind) except -1
cdef int make_room(Schedule schedule) except -1
cdef void drop(Schedule schedule) noexcept


cdef inline uint64_t order_of(int priority, uint64_t insertion, Kind kind) noexcept:
    """The order within an instant: priority, then insertion."""
    return (<uint64_t>(priority + 128) << 56) | insertion << 2 | kind


cdef inline uint128 sort_key(double time, uint64_t order) noexcept:
    """Time and order as one integer: comparing two takes no branch, which halves the time of the heap."""
    cdef uint64_t bits
    memcpy(&bits, &time, sizeof(bits))
    bits ^= <uint64_t>(<int64_t>bits >> 63) | (<uint64_t>1 << 63)   # integers in the order of doubles of either sign
    return (<uint128>bits << 64) | order


cdef inline bint is_full(Schedule schedule) noexcept:
    """Whether there must be room made, in the line or the heap, before another event is put there."""
    return schedule.end == schedule.line_capacity or schedule.size == schedule.capacity


cdef inline void put_in_line(Schedule schedule, object event, Kind kind) noexcept:
    """Schedule an event of normal priority in this instant."""
    cdef Turn* turn = &schedule.line[schedule.end]
    turn.order = order_of(NORMAL, schedule.pushed, kind)
    turn.event = <PyObject*>event
    Py_INCREF(event)
    schedule.end += 1
    schedule.pushed += 1


cdef inline void put_in_heap(Schedule schedule, object event, double time, int priority, Kind kind) noexcept:
    """Schedule any event."""
    cdef Py_ssize_t i, parent
    cdef Entry* heap = schedule.heap
    cdef Entry* place
    cdef uint128 key = sort_key(time, order_of(priority, schedule.pushed, kind))
    if schedule.hole:
        schedule.hole = False
        place = place_of(schedule, key)
    else:
        i = schedule.size
        schedule.size += 1
        while i > 0:
            parent = (i - 1) >> 1
            if heap[parent].key < key:
                break
            heap[i] = heap[parent]
            i = parent
        place = &heap[i]
    place.key = key
    place.time = time
    place.event = <PyObject*>event
    Py_INCREF(event)
    schedule.pushed += 1


cdef inline Entry* place_of(Schedule schedule, uint128 key) noexcept:
    """Where an entry with this key goes when the first one is gone; earlier entries move up to make the place."""
    cdef Entry* heap = schedule.heap
    cdef Entry* end = heap + schedule.size
    cdef Entry* place = heap
    cdef Entry* child = heap + 1
    while child < end:
        if child + 1 < end:
            child += child[1].key < child.key
        if key < child.key:
            break
        place[0] = child[0]
        place = child
        child += child - heap + 1   # from position i to 2 * i + 1
    return place


cdef inline bint is_empty(Schedule schedule) noexcept:
    """Whether nothing is scheduled."""
    return schedule.first == schedule.end and schedule.size == schedule.hole


cdef inline Py_ssize_t least_of(Schedule schedule) noexcept:
    """Where the first entry of the heap is, behind its end if there is none."""
    cdef Py_ssize_t least = schedule.hole
    if least and schedule.size > 2 and schedule.heap[2].key < schedule.heap[1].key:
        least = 2
    return least


cdef inline bint line_is_next(Schedule schedule) noexcept:
    """Whether the first of the line goes before all of the heap, which may have something of this instant, too."""
    cdef Py_ssize_t least
    if schedule.first == schedule.end:
        return False
    least = least_of(schedule)
    if least >= schedule.size or schedule.heap[least].time != schedule.clock:
        return True
    return schedule.line[schedule.first].order < <uint64_t>schedule.heap[least].key


cdef inline double next_time(Schedule schedule) noexcept:
    """The time of the next event, or infinity. A hole is left to the next event that is scheduled."""
    cdef Py_ssize_t least = least_of(schedule)
    if schedule.first != schedule.end:
        return schedule.clock
    return schedule.heap[least].time if least < schedule.size else INFINITY


cdef inline PyObject* pop(Schedule schedule, Kind* kind) noexcept:
    """Advance the clock to the first event, and take that out with its reference; NULL if nothing is scheduled."""
    cdef Turn* turn
    cdef Entry last
    if line_is_next(schedule):
        turn = &schedule.line[schedule.first]
        schedule.first += 1
        if schedule.first == schedule.end:
            schedule.first = schedule.end = 0
        kind[0] = <Kind>(turn.order & 3)
        return turn.event
    if schedule.size == schedule.hole:
        return NULL
    if schedule.hole:   # which the last entry fills
        schedule.size -= 1
        last = schedule.heap[schedule.size]
        place_of(schedule, last.key)[0] = last
    schedule.hole = True
    schedule.clock = schedule.heap[0].time
    kind[0] = <Kind>(<uint64_t>schedule.heap[0].key & 3)
    return schedule.heap[0].event


cdef inline bint resume_at_once(Routine routine, long long delay) noexcept:
    """Schedule the next step of a routine, if there is nothing in the way: else it is for `resume_otherwise`."""
    cdef PyObject* clock = <PyObject*>routine.clock
    cdef double time
    if clock == <PyObject*>None or routine.resumed or delay < 0 or is_full(<Schedule>clock):
        return False
    if delay == 0:
        put_in_line(<Schedule>clock, routine, STEP)
    else:
        time = (<Schedule>clock).clock + delay
        if time >= EXACT:
            return False
        put_in_heap(<Schedule>clock, routine, time, NORMAL, STEP)
    routine.resumed = True
    return True
