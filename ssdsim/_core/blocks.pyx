"""State of every block of the device: what its cells hold, which pages are valid, and which blocks are free.

A block goes free -> active -> full -> collecting -> free. Blocks, planes and pages are numbered over the whole device:
block = plane * blocks_per_plane + index, PPA = block * pages_per_block + page, and a block's pages are numbered in the
order in which they are programmed.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t

import numpy as np

from ssdsim.errors import FlashError

STATES = ("free", "active", "full", "collecting")

cdef extern from *:
    int __builtin_ctzll(uint64_t word) noexcept nogil


@cython.final
cdef class Blocks:
    """All blocks; `index` is told what happens to full ones, so that a victim can be chosen without a scan.

    With `least_worn_first` the free block with the fewest erases is taken first (dynamic wear leveling), else the one
    that has been free for longest. Positions are not checked: the caller owes numbers in range.
    """

    def __cinit__(
        self,
        int64_t planes,
        int64_t blocks_per_plane,
        int pages_per_block,
        VictimIndex index=None,
        bint least_worn_first=False,
    ):
        self.planes, self.blocks_per_plane, self.pages_per_block = planes, blocks_per_plane, pages_per_block
        self.count = planes * blocks_per_plane
        self.pages = self.count * pages_per_block
        self.words = (pages_per_block + 63) // 64
        self.index = VictimIndex() if index is None else index
        self.least_worn_first = least_worn_first
        self.spare = IndexTable(self.pages, self.pages)
        self.storage = []
        self.block = <Block*>self.allocate(self.count * sizeof(Block))
        self.bitmap = <uint64_t*>self.allocate(self.count * self.words * sizeof(uint64_t))
        self.heap = <Free*>self.allocate(self.count * sizeof(Free))
        self.free_count = <int32_t*>self.allocate(planes * sizeof(int32_t))
        self.unwritten = <int64_t*>self.allocate(planes * sizeof(int64_t))
        self.dead = <int64_t*>self.allocate(planes * sizeof(int64_t))
        cdef int64_t block
        for block in range(self.count):
            self.unwritten[self.plane_of(block)] += pages_per_block
            self.release(block)

    cdef void* allocate(self, int64_t size) except NULL:
        cdef unsigned char[::1] memory = np.zeros(size, np.uint8)
        self.storage.append(memory)
        return &memory[0]

    cpdef int64_t plane_of(self, int64_t block) noexcept:
        """Return the plane that `block` lies in."""
        return block // self.blocks_per_plane

    cpdef int64_t block_of(self, int64_t ppa) noexcept:
        """Return the block that page `ppa` lies in."""
        return ppa // self.pages_per_block

    cpdef int valid(self, int64_t block) noexcept:
        """Return how many pages of `block` hold current data."""
        return self.block[block].valid

    cpdef int written(self, int64_t block) noexcept:
        """Return how many pages of `block` were handed out to writes."""
        return self.block[block].written

    cpdef int programmed(self, int64_t block) noexcept:
        """Return how many pages of `block` the cells hold."""
        return self.block[block].programmed

    cpdef int readers(self, int64_t block) noexcept:
        """Return how many reads are on their way to `block`."""
        return self.block[block].readers

    cpdef int erases(self, int64_t block) noexcept:
        """Return how often `block` was erased."""
        return self.block[block].erases

    cpdef int state(self, int64_t block) noexcept:
        """Return the state of `block`, a position in `STATES`."""
        return self.block[block].state

    cpdef bint is_valid(self, int64_t ppa) noexcept:
        """Return whether page `ppa` holds current data."""
        cdef int64_t block = self.block_of(ppa)
        cdef int page = <int>(ppa - block * self.pages_per_block)
        return self.bitmap[block * self.words + (page >> 6)] >> (page & 63) & 1

    cpdef bint is_programmed(self, int64_t ppa) noexcept:
        """Return whether the cells hold page `ppa`; if not, its data is still in controller memory."""
        cdef int64_t block = self.block_of(ppa)
        return ppa - block * self.pages_per_block < self.block[block].programmed

    cpdef int free_blocks(self, int64_t plane) noexcept:
        """Return the number of free blocks of `plane`."""
        return self.free_count[plane]

    cpdef int64_t free_pages(self, int64_t plane) noexcept:
        """Return the number of pages of `plane` that were not handed out since their block's last erase."""
        return self.unwritten[plane]

    cpdef int64_t dead_pages(self, int64_t plane) noexcept:
        """Return the number of invalid pages in full blocks of `plane`: what collecting them all would gain."""
        return self.dead[plane]

    cpdef int64_t take_free(self, int64_t plane) noexcept:
        """Make a free block of `plane` active and return it, or -1 if there is none."""
        cdef Free* heap = self.heap + plane * self.blocks_per_plane
        cdef Free top, moved
        cdef int size = self.free_count[plane] - 1, hole = 0, child
        if size < 0:
            return -1
        self.free_count[plane] = size
        top, moved = heap[0], heap[size]
        while True:
            child = 2 * hole + 1
            if child + 1 < size and goes_first(&heap[child + 1], &heap[child]):
                child += 1
            if child >= size or goes_first(&moved, &heap[child]):
                break
            heap[hole] = heap[child]
            hole = child
        heap[hole] = moved
        self.block[top.block].state = ACTIVE
        return top.block

    cpdef int64_t append(self, int64_t block, int64_t lpa) noexcept:
        """Hand out the next page of active `block` for the data of `lpa` and return its PPA."""
        cdef Block* b = &self.block[block]
        cdef int page = b.written
        cdef int64_t ppa = block * self.pages_per_block + page
        b.written += 1
        b.valid += 1
        self.bitmap[block * self.words + (page >> 6)] |= <uint64_t>1 << (page & 63)
        self.spare.set(ppa, lpa)
        self.unwritten[self.plane_of(block)] -= 1
        return ppa

    cpdef int program(self, int64_t ppa) except -1:
        """Program page `ppa`; raise `FlashError` if it is not its block's next page in program order."""
        cdef int64_t block = self.block_of(ppa), plane
        cdef Block* b = &self.block[block]
        if ppa - block * self.pages_per_block != b.programmed or b.programmed >= b.written:
            raise FlashError(
                f"block {block}: page {ppa - block * self.pages_per_block} was programmed out of order; the block's "
                f"rule (sequential) allows page {b.programmed} next and {b.written} pages were handed out."
            )
        b.programmed += 1
        if b.programmed == self.pages_per_block:
            b.state = FULL
            plane = self.plane_of(block)
            self.dead[plane] += self.pages_per_block - b.valid
            self.index.filled(block, plane, b.valid)
        return 0

    cpdef void invalidate(self, int64_t ppa) noexcept:
        """Take note that valid page `ppa` no longer holds current data."""
        cdef int64_t block = self.block_of(ppa), plane
        cdef int page = <int>(ppa - block * self.pages_per_block)
        cdef Block* b = &self.block[block]
        self.bitmap[block * self.words + (page >> 6)] &= ~(<uint64_t>1 << (page & 63))
        b.valid -= 1
        if b.state == FULL:
            plane = self.plane_of(block)
            self.dead[plane] += 1
            self.index.invalidated(block, plane, b.valid)

    cpdef void add_reader(self, int64_t block) noexcept:
        """Take note of a read on its way to `block`."""
        self.block[block].readers += 1

    cpdef void remove_reader(self, int64_t block) noexcept:
        """Take note that a read of `block` has its data."""
        self.block[block].readers -= 1

    cpdef int collect(self, int64_t block) except -1:
        """Take full `block` out of the index: its valid pages are about to be moved."""
        cdef Block* b = &self.block[block]
        cdef int64_t plane = self.plane_of(block)
        if b.state != FULL:
            raise FlashError(f"block {block} is {STATES[b.state]}; only a full block can be collected.")
        b.state = COLLECTING
        self.dead[plane] -= self.pages_per_block - b.valid
        self.index.taken(block, plane, b.valid)
        return 0

    cpdef int next_valid(self, int64_t block, int page) noexcept:
        """Return the first valid page of `block` from `page` on, or -1."""
        cdef uint64_t* words = self.bitmap + block * self.words
        cdef int word = page >> 6
        cdef uint64_t bits
        if word >= self.words:
            return -1
        bits = words[word] >> (page & 63) << (page & 63)
        while not bits:
            word += 1
            if word == self.words:
                return -1
            bits = words[word]
        return (word << 6) + __builtin_ctzll(bits)

    cpdef int erase(self, int64_t block) except -1:
        """Erase collected `block` and free it; raise `FlashError` if that would lose data."""
        cdef Block* b = &self.block[block]
        if b.valid or b.readers or b.state != COLLECTING:
            raise FlashError(
                f"block {block} was erased while {STATES[b.state]} with {b.valid} valid pages and {b.readers} reads "
                "on their way."
            )
        b.written = b.programmed = 0
        b.erases += 1
        self.unwritten[self.plane_of(block)] += self.pages_per_block
        self.release(block)
        return 0

    cdef void release(self, int64_t block) noexcept:
        cdef int64_t plane = self.plane_of(block)
        cdef Free* heap = self.heap + plane * self.blocks_per_plane
        cdef Free entry
        cdef int hole = self.free_count[plane], parent
        entry.erases = self.block[block].erases if self.least_worn_first else 0
        entry.order = self.released
        entry.block = <int32_t>block
        self.released += 1
        self.free_count[plane] += 1
        self.block[block].state = FREE
        while hole:
            parent = (hole - 1) // 2
            if goes_first(&heap[parent], &entry):
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = entry

    def column(self, str name):
        """Return a copy of one field of every block as a NumPy array: valid, written, programmed, erases or state."""
        cdef int64_t[::1] out = np.empty(self.count, np.int64)
        cdef int64_t block
        cdef int field = ("valid", "written", "programmed", "readers", "erases", "state").index(name)
        for block in range(self.count):
            b = self.block[block]
            out[block] = (b.valid, b.written, b.programmed, b.readers, b.erases, b.state)[field]
        return np.asarray(out)


cdef inline bint goes_first(Free* a, Free* b) noexcept nogil:
    return a.erases < b.erases or (a.erases == b.erases and a.order < b.order)
