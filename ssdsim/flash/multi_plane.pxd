cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.counters cimport FlashCounters
from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler.policy cimport SchedulingPolicy
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

@cython.final
cdef class MultiPlaneCommands:
    cdef SchedulingPolicy policy
    cdef Blocks blocks
    cdef FlashCounters counters
    cdef int64_t planes_per_die, group
    cdef readonly bint same_block, same_source
    cdef readonly bint any_page     # programs join at any page of their planes
    cdef signed char[::1] joins     # by operation
    cdef int64_t command            # the number of the one that is being put together
    cdef int64_t[::1] taken_by      # by plane of a die: the last command that took it
    @cython.locals(queue=TransactionQueue, transaction=Transaction, following=Transaction, last=Transaction)
    cpdef Transaction complete(self, Die die, Transaction first)
    @cython.locals(following=Transaction, before=Transaction, after=Transaction, head=Transaction)
    cpdef Transaction by_plane(self, Transaction first)
    @cython.locals(width=int64_t, queue=TransactionQueue, transaction=Transaction)
    cpdef int64_t width(self, Die die, Transaction first) except -1
    cpdef begin(self, Transaction first)
    @cython.locals(place=int64_t)
    cpdef bint takes(self, Transaction first, Transaction other) except -1
    @cython.locals(blocks=int64_t)
    cpdef bint fits(self, Transaction first, Transaction other)
    @cython.locals(pages=int64_t)
    cpdef bint is_moved_alike(self, Transaction first, Transaction other)
    cpdef bint same_group(self, Transaction first, Transaction other)
    @cython.locals(pages=int64_t, each=Transaction)
    cpdef count_case(self, Die die, Transaction first)
    @cython.locals(queue=TransactionQueue)
    cpdef int case_of(self, Die die, Transaction first) except -1
    @cython.locals(transaction=Transaction)
    cpdef bint waits_elsewhere(self, TransactionQueue queue, Transaction first)
