cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.transaction cimport Transaction, TransactionPool

cdef class InstantFlash:
    cdef Blocks blocks
    cdef TransactionPool pool
    cdef list queued, sensed, programmed, erased    # by event: whom to tell
    @cython.locals(transaction=Transaction)
    cpdef program(self, int source, int64_t ppa, object data=*)
    @cython.locals(transaction=Transaction)
    cpdef move(self, int source, int64_t old_ppa, int64_t ppa)
    @cython.locals(transaction=Transaction)
    cpdef erase(self, int source, int64_t block)
    cpdef carry_out(self, Transaction transaction, int64_t ppa)
