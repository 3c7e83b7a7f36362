cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler cimport SchedulingPolicy
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

cdef class MultiPlaneCommands:
    cdef SchedulingPolicy policy
    cdef Blocks blocks
    cdef int64_t planes_per_die, group
    cdef readonly bint same_block
    cdef signed char[::1] joins     # by operation
    @cython.locals(taken=int64_t, bit=int64_t, queue=TransactionQueue, transaction=Transaction, following=Transaction, last=Transaction)
    cpdef complete(self, Die die, Transaction first)
    @cython.locals(blocks=int64_t)
    cpdef bint fits(self, Transaction first, Transaction other)
