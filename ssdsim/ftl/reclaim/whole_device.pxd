cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.reclaim.unit cimport CollectionUnit

cdef class WholeDevice(CollectionUnit):
    cdef int planes_together(self, object hardware) except -1
    @cython.locals(level=int64_t, plane=int64_t)
    cpdef int64_t level(self, int64_t number) except -1
    @cython.locals(plane=int64_t)
    cpdef bint has_room(self, int64_t number) except -1
    cdef bint may_stand_in(self, int64_t plane) except -1
    @cython.locals(count=int64_t, plane=int64_t)
    cpdef int64_t dead_pages(self, int64_t number) except -1
    @cython.locals(free=int64_t, plane=int64_t)
    cdef bint wants_background(self, int64_t number) except -1
    cdef bint can_gain(self, int64_t number, int64_t level) except -1
    @cython.locals(best=int64_t, plane=int64_t, level=int64_t, victim=int64_t)
    cpdef int choose(self, int64_t number, int64_t threshold, int64_t[::1] victims) except -1
