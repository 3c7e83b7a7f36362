cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.random cimport RandomStream
from ssdsim._core.victim_index cimport FillOrder, FullBlocks, ValidCountBuckets, VictimIndex

cdef class VictimPolicy:
    cdef public FullBlocks full
    cdef public RandomStream random
    cpdef VictimIndex make_index(self, int64_t planes, int64_t blocks_per_plane, int pages_per_block, object seed)
    cpdef int64_t select(self, int64_t plane) except -2

cdef class Greedy(VictimPolicy):
    cdef ValidCountBuckets buckets

cdef class GreedyInOrder(Greedy):
    pass

cdef class CostBenefit(Greedy):
    pass

cdef class Fifo(VictimPolicy):
    cdef FillOrder queue

cdef class Random(VictimPolicy):
    @cython.locals(count=int64_t)
    cpdef int64_t select(self, int64_t plane) except -2

cdef class RandomizedGreedy(VictimPolicy):
    cdef readonly int choices
    @cython.locals(count=int64_t, best=int64_t, block=int64_t, _=int64_t)
    cpdef int64_t select(self, int64_t plane) except -2
