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
    cdef readonly bint own_first    # a command of collection is joined by more of it before anything of the host's
    cdef signed char[::1] joins     # by operation
    cdef int64_t command            # the number of the one that is being put together
    cdef int64_t first_plane        # of its group
    cdef int64_t left               # planes of the group that may still join it
    cdef int64_t[::1] taken_by      # by plane of a group: the last command that took it
    cpdef Transaction complete(self, Die die, Transaction first)
    cdef join_both(self, Die die, Transaction first, TransactionQueue host, TransactionQueue others)
    @cython.locals(transaction=Transaction, following=Transaction)
    cdef Transaction join(self, Die die, TransactionQueue queue, Transaction first, Transaction last)
    @cython.locals(following=Transaction, before=Transaction, after=Transaction, head=Transaction)
    cdef Transaction by_plane(self, Transaction first)
    cpdef int64_t width(self, Die die, Transaction first) except -1
    @cython.locals(transaction=Transaction)
    cdef count_in(self, TransactionQueue queue, Transaction first)
    @cython.locals(place=int64_t)
    cdef void begin(self, Transaction first) noexcept
    @cython.locals(place=int64_t)
    cdef bint takes(self, Transaction first, Transaction other) except -1
    @cython.locals(blocks=int64_t)
    cdef bint fits(self, Transaction first, Transaction other) noexcept
    @cython.locals(pages=int64_t)
    cdef bint is_moved_alike(self, Transaction first, Transaction other) noexcept
    @cython.locals(pages=int64_t, each=Transaction)
    cdef void count_case(self, Die die, Transaction first) noexcept
    cdef int case_of(self, Die die, Transaction first) noexcept
    @cython.locals(transaction=Transaction)
    cdef bint waits_elsewhere(self, TransactionQueue queue, Transaction first) noexcept
