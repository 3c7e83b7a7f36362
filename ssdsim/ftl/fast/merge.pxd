cimport cython
from libc.stdint cimport int64_t

from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.task cimport Task
from ssdsim.ftl.reclaim.urgency cimport Urgency

cdef class UrgencyByRoom(Urgency):
    cdef WriteFrontier frontier
    @cython.locals(urgent=bint)
    cpdef update(self, Task task)

cdef class Merge(Task):
    cdef public int kind
    cdef public int64_t logical     # the logical block that is merged
    cdef public int64_t emptied     # the log block that is to be emptied, or -1
    cdef public int64_t oldest      # the random log block whose logical blocks are being merged, or -1
    cdef public bint leisurely      # which is done in idle time
    cdef public int reached         # pages of the logical block that have been seen to, in rows
    cdef public int filled          # pages of the target that have been handed out, in rows
    cdef public bint needed         # a write has found no random log block with room
    cdef public bint merging        # merges are under way, one after another
    cdef public dict pages          # by offset, pages that have been read, or None while that is under way
    cdef public list dead           # (aligned) blocks being erased
