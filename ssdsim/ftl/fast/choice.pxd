cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.fast.log_blocks cimport LogFrontier
from ssdsim.ftl.reclaim.collector cimport GarbageCollector
from ssdsim.ftl.fast.mapping cimport FastMapping

cdef class MergeChoice(GarbageCollector):
    cdef LogFrontier log
    cdef FastMapping fast
    cdef readonly bint joins        # planes of a die merge along with one another
    cdef readonly int block_pages   # pages of an (aligned) block
    cdef int[::1] kind              # by unit: of the present merge
    cdef int64_t[::1] number        # by unit: the logical block that is merged
    cdef int64_t[::1] emptied       # by unit: the log block that is to be emptied, or -1
    cdef int64_t[::1] oldest        # by unit: the random log block whose logical blocks are being merged, or -1
    cdef int[::1] reached           # by unit: pages of the logical block that have been seen to, in rows
    cdef int[::1] filled            # by unit: pages of the target that have been handed out, in rows
    cdef signed char[::1] needed    # by unit: a write has found no random log block with room
    cdef signed char[::1] merging   # by unit: merges are under way
    @cython.locals(which=int64_t)
    cpdef consider(self, int64_t plane)
    @cython.locals(which=int64_t)
    cpdef write_done(self, int64_t plane)
    cpdef bint is_wanted(self, int64_t which) except -1
    @cython.locals(urgent=bint)
    cpdef mark(self, int64_t which, int64_t level)
    @cython.locals(which=int64_t)
    cpdef bint must_wait(self, int64_t plane, int64_t lpa) except -1
    @cython.locals(which=int64_t)
    cpdef int64_t stand_in(self, int64_t plane) except -2
    cpdef bint is_due(self, int64_t which) except -1
    @cython.locals(logs=list, wanted=bint)
    cpdef bint takes_random(self, int64_t which) except -1
    @cython.locals(first=int64_t, other=int64_t)
    cpdef invite_partners(self, int64_t which)
    cpdef bint begin(self, int64_t which) except -1
    @cython.locals(aligned=int64_t, number=int64_t, whole=bint)
    cpdef bint begin_sequential(self, int64_t which) except -1
    @cython.locals(aligned=int64_t, number=int64_t, lpa=int64_t)
    cpdef bint begin_random(self, int64_t which) except -1
    @cython.locals(aligned=int64_t)
    cpdef bint may_merge(self, int64_t which, int64_t number) except -1
    @cython.locals(place=int, block=int64_t, page=int)
    cpdef int64_t first_valid(self, int64_t aligned) except -2
    cpdef take_up(self, int64_t aligned, int kind)
    cpdef start(self, int64_t which, int kind, int64_t number, int64_t source, int64_t target)
