cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim.flash.transaction cimport Transaction, TransactionQueue

cdef class Channel:
    cdef public object env
    cpdef int ask(self, Die die) except -1
    cpdef int offer_bus(self) except -1

@cython.final
cdef class Die:
    cdef readonly int index, channel, chip
    cdef readonly TransactionQueue host_reads, host_writes, gc_reads, gc_writes
    cdef public int urgent_planes           # planes whose collection has the turns of the host's writes
    cdef public int critical_planes         # those of them whose collection has those of the host's reads, too
    cdef public int64_t collection_began    # the number of the next transaction when the latest collection began
    cdef public int waiting                 # transactions in the four queues
    cdef public bint idle                   # nothing to do, and nobody has yet been told of new work
    cdef public Transaction transaction     # what the die is executing
    cdef public int planes_at_work          # by what it is executing
    cdef public Channel bus                 # that moves its commands and data; None until there is a back end
    cdef public Routine process             # to be resumed when the bus phase that the die asked for is over
    cdef public Die next_asking             # behind this one in the line for the bus
    cdef public bint asks_to_start, asks_for_data_out   # for an arbiter that keeps no line
    cdef public int64_t busy_ns, gc_busy_ns, urgent_busy_ns
    cdef public int64_t gc_since_ns         # start of the running command if not for the host, else -1
    cdef public int64_t urgent_since_ns     # the same if it is for a collection that was urgent then
    cpdef TransactionQueue queue_for(self, Transaction transaction)
    cpdef bint takes_writes(self, int64_t queue_limit) noexcept
    cpdef void begin_wait(self, Transaction transaction) noexcept
    cpdef void end_wait(self, Transaction transaction, int64_t now_ns) noexcept
