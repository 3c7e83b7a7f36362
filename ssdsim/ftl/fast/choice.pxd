cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.fast.log_blocks cimport LogFrontier
from ssdsim.ftl.fast.mapping cimport FastMapping
from ssdsim.ftl.fast.merge cimport Merge
from ssdsim.ftl.reclaim.interface cimport Reclaimer

cdef class MergeChoice:
    cdef Reclaimer reclaimer
    cdef Blocks blocks
    cdef LogFrontier log
    cdef FastMapping mapping
    cdef list merges
    cdef readonly bint joins        # planes of a die merge along with one another
    cdef readonly int block_pages   # pages of an (aligned) block
    cdef int64_t units_per_die
    cdef readonly int64_t background    # free blocks below which idle time is used
    cdef public bint quiet          # the host
    cpdef bint is_due(self, Merge merge) except -1
    cdef bint presses(self, Merge merge) except -1
    @cython.locals(logs=list, wanted=bint)
    cdef bint must_empty(self, Merge merge) except -1
    @cython.locals(logs=list)
    cdef bint takes_random(self, Merge merge) except -1
    @cython.locals(first=int64_t, number=int64_t, other=Merge)
    cdef invite_partners(self, Merge merge)
    cpdef bint begin(self, Merge merge) except -1
    @cython.locals(aligned=int64_t, number=int64_t, whole=bint)
    cdef bint begin_sequential(self, Merge merge) except -1
    @cython.locals(aligned=int64_t, number=int64_t, lpa=int64_t, hurries=bint)
    cdef bint begin_random(self, Merge merge) except -1
    @cython.locals(aligned=int64_t)
    cdef bint may_merge(self, Merge merge, int64_t number) except -1
    @cython.locals(place=int, block=int64_t, page=int)
    cdef int64_t first_valid(self, int64_t aligned) except -2
    @cython.locals(place=int, block=int64_t)
    cpdef take_up(self, int64_t aligned, int kind)
    cpdef start(self, Merge merge, int kind, int64_t number, int64_t source, int64_t target)
