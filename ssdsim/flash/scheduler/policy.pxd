cimport cython

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.die cimport Die
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

cdef class SchedulingPolicy:
    cdef public Blocks blocks
    cpdef bind(self, Blocks blocks)
    cpdef bind_multi_plane(self, object multi_plane)
    @cython.locals(chosen=Transaction, others=Transaction)
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

cdef class HostReadsFirst(ReadPriority):
    @cython.locals(read=Transaction, write=Transaction)
    cpdef Transaction select(self, Die die)
