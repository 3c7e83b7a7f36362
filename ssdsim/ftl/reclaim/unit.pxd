cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.victims cimport VictimPolicy
from ssdsim.ftl.reclaim.wear_leveling cimport WearLeveling

cdef class CollectionUnit:
    cdef readonly Blocks blocks
    cdef readonly WriteFrontier frontier
    cdef readonly VictimPolicy policy
    cdef readonly WearLeveling wear_leveling
    cdef readonly int width, at_once
    cdef readonly bint by_pages
    cdef readonly int64_t soft, hard, early
    cdef readonly int64_t background    # free blocks below which idle time is used
    cdef int most_valid             # pages that a victim may have valid above the hard threshold
    cdef int planes_together(self, object hardware) except -1
    cpdef int64_t poorest(self, int64_t number) except -1
    cpdef int64_t level(self, int64_t number) except -1
    cdef int64_t level_of(self, int64_t unit) except -1
    cpdef bint has_room(self, int64_t number) except -1
    cdef bint may_stand_in(self, int64_t plane) except -1
    cdef bint wants_background(self, int64_t number) except -1
    cpdef int64_t dead_pages(self, int64_t number) except -1
    cdef bint can_gain(self, int64_t number, int64_t level) except -1
    cpdef int choose(self, int64_t number, int64_t threshold, int64_t[::1] victims) except -1
    @cython.locals(place=int)
    cpdef int take(self, int64_t victim, int64_t[::1] victims, int at) except -1
    @cython.locals(victim=int64_t, level=int64_t)
    cpdef int64_t next_victim(self, int64_t unit, int64_t threshold) except -2
    @cython.locals(victim=int64_t)
    cdef int64_t selected(self, int64_t unit) except -2
    cpdef bint fits(self, int64_t unit, int64_t victim) except -1
    @cython.locals(best=int64_t, offset=int64_t, aligned=int64_t, full=int, place=int)
    cpdef int64_t least_valid(self, int64_t unit) except -2
    @cython.locals(count=int64_t, place=int)
    cpdef int64_t valid(self, int64_t victim) except -1

cdef class ParallelPlanes(CollectionUnit):
    cdef readonly double partner_gain
    cdef int planes_together(self, object hardware) except -1
    @cython.locals(best=int64_t, plane=int64_t, gains=bint)
    cpdef int64_t poorest(self, int64_t number) except -1
    @cython.locals(count=int64_t, plane=int64_t)
    cpdef int64_t dead_pages(self, int64_t number) except -1
    @cython.locals(plane=int64_t, count=int, offset=int64_t, wanted=double, other=int64_t, partner=int64_t)
    cpdef int choose(self, int64_t number, int64_t threshold, int64_t[::1] victims) except -1
    @cython.locals(dead=int64_t)
    cdef bint is_worth(self, int64_t block, double wanted) except -1
