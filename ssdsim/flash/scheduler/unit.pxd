cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.kernel cimport Routine
from ssdsim.flash.die cimport Die
from ssdsim.flash.multi_plane cimport MultiPlaneCommands
from ssdsim.flash.scheduler.policy cimport SchedulingPolicy
from ssdsim.flash.timing cimport FlashTiming
from ssdsim.flash.transaction cimport Transaction

@cython.final
cdef class TransactionSchedulingUnit(Routine):
    cdef object env
    cdef bint rung                          # its process is going to be resumed, or has not begun
    cdef readonly SchedulingPolicy policy
    cdef readonly list dies
    cdef Blocks blocks
    cdef FlashTiming timing
    cdef int64_t planes_per_die
    cdef list woken                         # of which so many have work since the process ran
    cdef int wakings
    cdef MultiPlaneCommands multi_plane     # or None
    cdef list queued                        # whom to tell of programs (`ssdsim.flash.observer`)
    cdef readonly int64_t sequence      # of the next transaction to be submitted
    @cython.locals(die=Die)
    cpdef int submit(self, Transaction transaction) except -1
    cpdef int wake(self, Die die) except -1
    cpdef int wake_for(self, int64_t block) except -1
    @cython.locals(transaction=Transaction)
    cpdef Transaction take(self, Die die)
    @cython.locals(transaction=Transaction)
    cdef Transaction take_of_collection(self, Die die)
    cpdef Transaction taken(self, Die die, Transaction transaction)
