"""What an environment has scheduled, for the kernel to inline.

What is to happen later is in a binary min-heap whose first entry, once taken out, leaves a hole: processing an event
usually schedules another, which then fills the hole in one pass. What is to happen in the same instant, as most of what
wakes another process is, comes after all that is scheduled for it already, and stands in a line.
"""

from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

cdef extern from *:
    ctypedef unsigned long long uint128 "unsigned __int128"

cdef struct Entry:
    uint128 key        # order of processing, see `sort_key`
    double time
    PyObject* event    # owned reference

cdef enum Kind:        # of an entry, the lowest bits of its key
    NATIVE             # an event of the kernel's
    FOREIGN            # an event of another module's classes
    RESUMPTION         # a process of the kernel's that goes on, not its end

cdef class Schedule:
    cdef dict __dict__
    cdef object __weakref__
    cdef double clock
    cdef Entry* heap          # by key
    cdef Py_ssize_t size      # entries, counting the hole
    cdef Py_ssize_t capacity
    cdef bint hole            # heap[0] has been taken out and its place is not filled yet
    cdef Entry* line          # of this instant and of normal priority, so in the order of their keys
    cdef Py_ssize_t first     # in the line; those before have been taken out
    cdef Py_ssize_t end       # of the line
    cdef Py_ssize_t line_capacity
    cdef uint64_t pushed      # events ever

cdef enum:
    NORMAL = 1   # SimPy's usual priority

cdef int grow(Schedule schedule) except -1
cdef int grow_line(Schedule schedule) except -1
cdef void drop(Schedule schedule) noexcept


cdef inline uint128 sort_key(double time, int priority, uint64_t insertion) noexcept:
    """Time, priority, insertion as one integer: comparing two takes no branch, which halves the time of the heap."""
    cdef uint64_t bits
    memcpy(&bits, &time, sizeof(bits))
    bits ^= <uint64_t>(<int64_t>bits >> 63) | (<uint64_t>1 << 63)   # integers in the order of doubles of either sign
    return (<uint128>bits << 64) | (<uint64_t>(priority + 128) << 56) | insertion


cdef inline int push(Schedule schedule, object event, double time, int priority, Kind kind) except -1:
    """Schedule an event, of a priority in -128..127; its `kind` is kept with it for `kind_of`."""
    cdef Py_ssize_t i, parent
    cdef Entry* heap
    cdef uint128 key = sort_key(time, priority, schedule.pushed << 2 | kind)
    schedule.pushed += 1
    Py_INCREF(event)
    if time == schedule.clock and priority == NORMAL:
        if schedule.end == schedule.line_capacity:
            grow_line(schedule)
        heap = schedule.line
        i = schedule.end
        schedule.end += 1
    elif schedule.hole:
        schedule.hole = False
        i = place_of(schedule, key)
        heap = schedule.heap
    else:
        if schedule.size == schedule.capacity:
            grow(schedule)
        heap = schedule.heap
        i = schedule.size
        schedule.size += 1
        while i > 0:
            parent = (i - 1) >> 1
            if heap[parent].key < key:
                break
            heap[i] = heap[parent]
            i = parent
    heap[i].key = key
    heap[i].time = time
    heap[i].event = <PyObject*>event
    return 0


cdef inline Py_ssize_t place_of(Schedule schedule, uint128 key) noexcept:
    """Where an entry with this key goes when the first one is gone; earlier entries move up to make the place."""
    cdef Entry* heap = schedule.heap
    cdef Py_ssize_t i = 0, child = 1, size = schedule.size
    while child < size:
        if child + 1 < size:
            child += heap[child + 1].key < heap[child].key
        if key < heap[child].key:
            break
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    return i


cdef inline void settle(Schedule schedule) noexcept:
    """Fill the hole, if any, with the last entry."""
    cdef Entry last
    if schedule.hole:
        schedule.hole = False
        schedule.size -= 1
        last = schedule.heap[schedule.size]
        schedule.heap[place_of(schedule, last.key)] = last


cdef inline bint is_empty(Schedule schedule) noexcept:
    """Whether nothing is scheduled."""
    return schedule.first == schedule.end and schedule.size == schedule.hole


cdef inline bint line_is_next(Schedule schedule) noexcept:
    """Whether the first of the line goes before all of the heap, which may have something of this instant, too."""
    cdef Py_ssize_t least = schedule.hole
    if schedule.first == schedule.end:
        return False
    if least and schedule.size > 2 and schedule.heap[2].key < schedule.heap[1].key:
        least = 2
    return least >= schedule.size or schedule.line[schedule.first].key < schedule.heap[least].key


cdef inline Entry pop(Schedule schedule) noexcept:
    """Take out the first entry of a schedule that is not empty, and with it the reference to the event."""
    cdef Entry* entry
    if line_is_next(schedule):
        entry = &schedule.line[schedule.first]
        schedule.first += 1
        if schedule.first == schedule.end:
            schedule.first = schedule.end = 0
        return entry[0]
    settle(schedule)
    schedule.hole = True
    return schedule.heap[0]


cdef inline Kind kind_of(Entry entry) noexcept:
    """The kind with which the event was pushed."""
    return <Kind>(<uint64_t>entry.key & 3)
