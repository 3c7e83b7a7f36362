"""The least that a simulator of this kind has to do: what `experiments.validation.bench` measures the rest against."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np

cdef struct Event:
    int64_t time
    int64_t order


cdef inline int64_t below(uint64_t state, int64_t bound) noexcept nogil:
    """Map the upper half of `state` to 0 .. bound - 1 without a division; bound < 2**32."""
    return <int64_t>(((state >> 32) * <uint64_t>bound) >> 32)


cdef inline bint before(Event* a, Event* b) noexcept nogil:
    return a.time < b.time or (a.time == b.time and a.order < b.order)


cdef inline void replace_first(Event* heap, int size, Event moved) noexcept nogil:
    cdef int hole = 0, child
    while True:
        child = 2 * hole + 1
        if child + 1 < size and before(&heap[child + 1], &heap[child]):
            child += 1
        if child >= size or before(&moved, &heap[child]):
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = moved


def event_floor(int64_t transactions, int in_flight, int64_t physical_pages) -> int:
    """Do three events and five random table accesses a transaction, and nothing else; return a checksum.

    The heap holds `in_flight` events; the tables are a mapping and a spare area of `physical_pages` entries.
    """
    cdef uint32_t[::1] mapping = np.ones(physical_pages, np.uint32), spare = np.ones(physical_pages, np.uint32)
    cdef int64_t[:, ::1] memory = np.repeat(np.arange(in_flight), 2).reshape(-1, 2)
    cdef Event* heap = <Event*>&memory[0, 0]
    cdef Event event
    cdef uint64_t state = 88172645463325252, checksum = 0
    cdef int64_t order
    cdef int i
    for order in range(transactions):
        for i in range(3):
            event = heap[0]
            state ^= state << 13   # a xorshift generator
            state ^= state >> 7
            state ^= state << 17
            event.time += 1 + <int64_t>(state & 0xFFFFF)
            event.order = 3 * order + i
            replace_first(heap, in_flight, event)
            spare[below(state, physical_pages)] += 1
        mapping[below(state << 10, physical_pages)] += 1
        checksum += mapping[below(state << 20, physical_pages)]
    return int(checksum)
