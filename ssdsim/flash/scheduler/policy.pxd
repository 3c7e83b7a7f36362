cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.die cimport Die
from ssdsim.flash.multi_plane cimport MultiPlaneCommands
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

cdef class ErasesLast(ReadPriority):
    @cython.locals(read=Transaction, erase=Transaction, transaction=Transaction)
    cpdef Transaction choose(self, TransactionQueue reads, TransactionQueue writes)
    @cython.locals(chosen=Transaction, awaited=Transaction)
    cpdef Transaction select(self, Die die)
    @cython.locals(transaction=Transaction)
    cpdef Transaction first_awaited(self, TransactionQueue queue)
    @cython.locals(before=int64_t)
    cpdef bint is_awaited(self, Transaction transaction)

cdef class Paq(ReadPriority):
    cdef readonly int64_t pass_limit
    cdef MultiPlaneCommands multi_plane
    cpdef bind_multi_plane(self, object multi_plane)
    @cython.locals(chosen=Transaction)
    cpdef Transaction select(self, Die die)
    @cython.locals(largest_width=int64_t, width=int64_t, widest=Transaction, transaction=Transaction)
    cdef Transaction widest(self, Die die, TransactionQueue queue)
    @cython.locals(older=Transaction)
    cpdef taken(self, Die die, Transaction transaction)

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
