cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.die cimport Die
from ssdsim.ftl.reclaim.unit cimport CollectionUnit

cdef class Urgency:
    cdef Die die                    # to be told, None before flash has timing
    cdef readonly bint urgent       # before the host's writes
    cdef readonly bint critical     # urgent, and before the host's reads
    cpdef bind(self, Die die)
    cpdef update(self)
    cpdef set(self, bint urgent, bint critical)
    cpdef began(self, int64_t sequence)

cdef class UrgencyByLevel(Urgency):
    cdef CollectionUnit unit
    cdef int64_t number
    cdef bint yields_to_reads
    cpdef update(self)
    @cython.locals(urgent=bint)
    cpdef hold_against(self, int64_t level)
