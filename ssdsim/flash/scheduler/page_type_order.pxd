cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler.policy cimport SchedulingPolicy
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

cdef class PageTypeOrder(SchedulingPolicy):
    cdef readonly SchedulingPolicy base
    cdef readonly int64_t[::1] limits       # by page type: passes after which a program is passed no more
    cpdef bind(self, Blocks blocks)
    cpdef bind_multi_plane(self, object multi_plane)
    cpdef bint may_start(self, Transaction transaction)
    @cython.locals(chosen=Transaction)
    cpdef Transaction select(self, Die die)
    @cython.locals(lowest=int, page_type=int, quickest=Transaction, transaction=Transaction)
    cdef Transaction next_program(self, TransactionQueue queue)
    cpdef taken(self, Die die, Transaction transaction)
    @cython.locals(passed=bint, moved=Transaction, transaction=Transaction, following=Transaction)
    cdef move_back(self, TransactionQueue queue, int64_t sequence)
