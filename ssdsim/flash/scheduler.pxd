cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.die cimport Die
from ssdsim.flash.timing cimport FlashTiming
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

cdef class SchedulingPolicy:
    cdef public Blocks blocks
    cpdef bind(self, Blocks blocks)
    @cython.locals(chosen=Transaction)
    cpdef Transaction select(self, Die die)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)
    cpdef taken(self, Die die, Transaction transaction)
    cpdef bint may_start(self, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cpdef Transaction first(self, TransactionQueue queue)

cdef class Fcfs(SchedulingPolicy):
    @cython.locals(read=Transaction, write=Transaction)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)

cdef class ReadPriority(SchedulingPolicy):
    @cython.locals(read=Transaction)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)

cdef class PageTypeOrder(SchedulingPolicy):
    cdef readonly SchedulingPolicy base
    cdef readonly int64_t[::1] limits       # by page type: passes after which a program is passed no more
    cpdef bind(self, Blocks blocks)
    cpdef bint may_start(self, Transaction transaction)
    @cython.locals(chosen=Transaction)
    cpdef Transaction select(self, Die die)
    @cython.locals(lowest=int, page_type=int, quickest=Transaction, transaction=Transaction)
    cdef Transaction next_program(self, TransactionQueue queue)
    cpdef taken(self, Die die, Transaction transaction)
    @cython.locals(passed=bint, moved=Transaction, transaction=Transaction, following=Transaction)
    cdef move_back(self, TransactionQueue queue, int64_t sequence)

cdef class TransactionSchedulingUnit:
    cdef object env, bell
    cdef readonly SchedulingPolicy policy
    cdef readonly list dies
    cdef Blocks blocks
    cdef FlashTiming timing
    cdef int64_t planes_per_die
    cdef list controllers, woken
    cdef object multi_plane         # `MultiPlaneCommands` or None
    cdef int64_t sequence
    @cython.locals(die=Die)
    cpdef submit(self, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cpdef Transaction take(self, Die die)
