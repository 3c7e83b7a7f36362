cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.reclaim.task cimport Task

cdef class Collection(Task):
    cdef readonly Blocks blocks
    cdef public int64_t next_position   # to go on at in the victims
    cdef public int victim_count
    cdef public bint holding            # requests wait for its end
    cdef public int64_t reading         # of the moves, those whose page is being read
    cdef public int64_t placed          # and those whose program has been issued
    cdef public int64_t futile          # how often the unit was collected since the host last wrote there
    cdef readonly int64_t[::1] victims  # the blocks being collected
    @cython.locals(count=int, at=int64_t, best=int64_t, place=int, page=int)
    cpdef int64_t left(self) except -2
    cdef read_to(self, int64_t position)
    @cython.locals(position=int64_t)
    cdef int64_t take_next(self) except -2
    cdef int64_t block_at(self, int64_t position) except -1
    cpdef int64_t ppa_at(self, int64_t position) except -1
    @cython.locals(count=int64_t, place=int)
    cpdef int64_t valid_pages(self) except -1
