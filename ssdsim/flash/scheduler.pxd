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
    cpdef bint may_start(self, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cpdef Transaction first(self, TransactionQueue queue)

cdef class Fcfs(SchedulingPolicy):
    @cython.locals(read=Transaction, write=Transaction)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)

cdef class ReadPriority(SchedulingPolicy):
    @cython.locals(read=Transaction)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)

cdef class TransactionSchedulingUnit:
    cdef object env, bell
    cdef readonly SchedulingPolicy policy
    cdef readonly list dies
    cdef Blocks blocks
    cdef FlashTiming timing
    cdef int64_t planes_per_die
    cdef list controllers, woken
    cdef int64_t sequence
    @cython.locals(die=Die)
    cpdef submit(self, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cpdef Transaction take(self, Die die)
