cimport cython
from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request, WriteGroup

@cython.final
cdef class Transaction:
    cdef public Request request                 # that it is part of, or None
    cdef public object owner                    # the `Stage` to be told when it is done
    cdef public WriteGroup group                # that it waits for, or None
    cdef public object task                     # the `Task` that it is a step of, where it is of one
    cdef public object data                     # what it brings or has read, where integrity is checked; else None
    cdef public Transaction next, previous      # neighbours in the queue or the pool it stands in
    cdef public Transaction partner             # the next one of the same multi-plane command, or None
    cdef public Transaction rest                # the read that a program waits for, or the program that a read is for
    cdef public int op, source, die, page, bytes
    cdef public int page_type                   # that of its page; of a write that has none yet, the one wanted
    cdef public int specified_type              # of a write of the host's, what a scheme wanted; -1 without one
    cdef public int kind                        # of data, for the write frontier: who shares active blocks with it
    cdef public int stream                      # the number of the host's stream, or -1
    cdef public bint asked                      # by collection, to complete a row of its own
    cdef public int64_t lpa, ppa, block, plane
    cdef public int64_t request_number          # of a write: -1 for none, -2 for a page that is written as it is
    cdef public int64_t before                  # the page that a write takes the place of, or -1
    cdef public int64_t copied_from             # the page that a copy-back reads, else of no meaning
    cdef public int64_t sequence                # its place in the order of its queue
    cdef public int64_t passed                  # how often younger ones were started before it, since it was queued
    cdef public int64_t version
    cdef public int64_t valid_pages             # of an erase: those of its block when it was chosen as a victim, or -1
    cdef public int64_t held_ns                 # of its `gc_ns`, what came before it was last queued
    cdef public int64_t line_ns                 # of a write, spent waiting for a die, before it was queued for one
    cdef public int64_t queued_ns, bus_ns, array_ns, gc_ns, urgent_gc_ns, mapping_ns
    cdef public int64_t gc_mark_ns, urgent_mark_ns      # what its die had worked for others when it was last queued
    cdef public int64_t bus_start_ns, array_start_ns, array_end_ns, data_start_ns

@cython.final
cdef class TransactionPool:
    cdef Transaction free
    @cython.locals(transaction=Transaction)
    cpdef Transaction take(self, int source, object owner, int64_t lpa)
    cpdef void give_back(self, Transaction transaction) noexcept

@cython.final
cdef class TransactionQueue:
    cdef readonly Transaction head, tail
    cdef readonly int length
    cdef readonly int[4] programs       # by page type: programs in the queue
    cpdef void append(self, Transaction transaction) noexcept
    cpdef void insert(self, Transaction transaction, Transaction after) noexcept
    cpdef void count_in(self, Transaction transaction) noexcept
    cpdef void remove(self, Transaction transaction) noexcept
    @cython.locals(page_type=int)
    cpdef int lowest_page_type(self) noexcept
