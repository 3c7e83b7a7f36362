cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Die
from ssdsim.ftl.reclaim.task cimport Task
from ssdsim.ftl.reclaim.unit cimport CollectionUnit

cdef class Urgency:
    cpdef update(self, Task task)
    @cython.locals(die=Die)
    cpdef set(self, Task task, bint urgent, bint critical)
    @cython.locals(die=Die)
    cpdef began(self, Task task, int64_t sequence)

cdef class UrgencyByLevel(Urgency):
    cdef CollectionUnit unit
    cdef bint yields_to_reads, lasts
    cpdef update(self, Task task)
    @cython.locals(urgent=bint)
    @cython.final
    cdef hold_against(self, Task task, int64_t level)
