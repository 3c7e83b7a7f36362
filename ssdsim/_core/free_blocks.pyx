"""The free blocks of each unit, in the order in which they are taken."""

cimport cython

import numpy as np

from ssdsim._core.table cimport memory_of


@cython.final
cdef class FreeBlocks:
    """Heaps of free blocks: those with the fewest erases go first, as far as `put` is told of these.

    Of equals the one that has been free for longest does or, if `by_address`, the first one behind that taken last,
    round and round.
    """

    def __cinit__(self, int64_t units, int64_t blocks_per_unit, bint by_address):
        self.blocks_per_unit, self.by_address = blocks_per_unit, by_address
        self.heaps = np.zeros((units, blocks_per_unit), [("erases", np.int32), ("block", np.int32), ("order", np.int64)])
        self.counts = np.zeros(units, np.int32)
        self.heap, self.count = <Free*>memory_of(self.heaps), <int32_t*>memory_of(self.counts)
        self.next_address = np.zeros(units, np.int64)

    cdef int64_t take(self, int64_t unit) noexcept:
        """Take the first free block of `unit` and return its number, or -1 if there is none."""
        cdef Free* heap = self.heap + unit * self.blocks_per_unit
        cdef Free top, moved
        cdef int size = self.count[unit] - 1, hole = 0, child
        if size < 0:
            return -1
        self.count[unit] = size
        top, moved = heap[0], heap[size]
        self.next_address[unit] = top.order + 1
        while True:
            child = 2 * hole + 1
            if child + 1 < size and goes_first(&heap[child + 1], &heap[child]):
                child += 1
            if child >= size or goes_first(&moved, &heap[child]):
                break
            heap[hole] = heap[child]
            hole = child
        heap[hole] = moved
        return top.block

    cdef void put(self, int64_t aligned, int erases) noexcept:
        """Add a block that has become free."""
        cdef int64_t unit = aligned // self.blocks_per_unit, turn
        cdef Free* heap = self.heap + unit * self.blocks_per_unit
        cdef Free entry
        cdef int hole = self.count[unit], parent
        entry.erases, entry.block, entry.order = erases, <int32_t>aligned, self.released
        if self.by_address:  # the first turn of this address that is still to come
            turn = (aligned - self.next_address[unit]) % self.blocks_per_unit
            entry.order = self.next_address[unit] + (turn + self.blocks_per_unit if turn < 0 else turn)
        self.released += 1
        self.count[unit] += 1
        while hole:
            parent = (hole - 1) // 2
            if goes_first(&heap[parent], &entry):
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = entry


cdef inline bint goes_first(Free* a, Free* b) noexcept nogil:
    return a.erases < b.erases or (a.erases == b.erases and a.order < b.order)
