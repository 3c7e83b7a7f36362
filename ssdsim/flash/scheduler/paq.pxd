cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.die cimport Die
from ssdsim.flash.multi_plane cimport MultiPlaneCommands
from ssdsim.flash.scheduler.policy cimport ReadPriority
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

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
