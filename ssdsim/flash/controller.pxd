cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.bus cimport BusArbiter
from ssdsim.flash.counters cimport FlashCounters
from ssdsim.flash.die cimport Channel, Die
from ssdsim.flash.scheduler cimport TransactionSchedulingUnit
from ssdsim.flash.timing cimport FlashTiming
from ssdsim.flash.transaction cimport Transaction

cdef bint is_of_host(Transaction transaction) noexcept

@cython.final
cdef class FlashController(Channel):
    cdef readonly FlashTiming timing
    cdef TransactionSchedulingUnit scheduler
    cdef readonly BusArbiter arbiter
    cdef Blocks blocks
    cdef readonly FlashCounters counters
    cdef list sensed, programmed, erased, done          # by event: whom to tell (`ssdsim.flash.observer`)
    cdef public bint write_done_after_transfer  # each page of a command when its own data is on the chip
    cdef public bint moves_planes_together      # the data of a multi-plane read, without giving the bus away between
    cdef public bint collection_holds           # the bus, from its first command until its erase
    cdef readonly Die holder                    # whose collection holds the bus, or None
    cdef list deferred                  # dies whose collection waits for the host; each counts as asking
    cdef public bint bus_taken
    cdef int asking                     # dies that want the bus
    cdef readonly int64_t bus_busy_ns, bus_until_ns     # the phase begun last included, and its end
    cpdef int64_t bus_time_ns(self, int64_t now_ns) noexcept
    @cython.locals(die=Die, transaction=Transaction)
    cpdef int give_bus(self) except -1
    cdef int ask_again(self) except -1
    @cython.locals(selected=Transaction)
    cdef bint is_deferred(self, Die die) except -1
    @cython.locals(chosen=Die)
    cdef Die next_to_collect(self)
    @cython.locals(selected=Transaction)
    cdef bint host_has_work(self) except -1
    @cython.locals(transaction=Transaction)
    cdef int64_t collect_on(self, Die die) except? -1
    cdef int grant(self, Die die, int64_t phase_ns) except -1
    @cython.locals(duration=int64_t)
    cdef int64_t move_out(self, Transaction transaction) except -1
    @cython.locals(duration=int64_t)
    cdef int64_t page_phase_ns(self, Transaction transaction) except -1
    cdef int transferred(self, Transaction transaction) except -1
    @cython.locals(at=int64_t, duration=int64_t, each=Transaction, by_page=cython.bint)
    cpdef int64_t start(self, Die die, Transaction transaction) except -1
    @cython.locals(at=int64_t, array_ns=int64_t)
    cpdef int64_t begin_array(self, Transaction transaction) except -1
    @cython.locals(op=int, source_type=int, source_ns=int64_t, slowest_ns=int64_t)
    cpdef int64_t array_ns(self, Transaction transaction) except -1
    @cython.locals(op=int, array_ns=int64_t, moved_ns=int64_t, joined=cython.bint, collects=cython.bint)
    cpdef int array_done(self, Transaction transaction) except -1
    @cython.locals(at=int64_t, partner=Transaction)
    cpdef int finish(self, Die die, Transaction transaction) except -1
    @cython.locals(waited_ns=int64_t)
    cpdef int complete(self, Transaction transaction, int64_t at) except -1
