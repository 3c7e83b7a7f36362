cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction, TransactionPool
from ssdsim.ftl.admission cimport Admission
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reads cimport ReadPath
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.room cimport Placer, WriteRoom
from ssdsim.ftl.writes cimport PageWrites
from ssdsim.host.request cimport WriteGroup
from ssdsim.stage cimport Stage

cdef class RowWrites(Placer):
    cdef readonly int64_t super_page    # logical pages that are always written together
    cdef int span                       # pages of a row: the planes of a unit
    cdef WriteFrontier frontier
    cdef Reclaimer collector
    cdef Admission admission
    cdef ReadPath reads
    cdef WriteRoom room
    cdef PageWrites writes
    cdef public object buffer           # that writes come from (`ssdsim.buffer.write_buffer`), or None
    cdef object env
    cdef TransactionPool pool
    cdef Stage layer
    cpdef bind(self, object env, TransactionPool pool, Stage layer)
    @cython.locals(group=WriteGroup)
    cpdef gather(self, Transaction transaction)
    @cython.locals(plane=int64_t, target=int64_t, transaction=Transaction)
    cdef place_group(self, WriteGroup group)
    @cython.locals(transaction=Transaction, group=WriteGroup, lpas=list)
    cpdef place_beside(self, list transactions, int64_t plane, int kind)
    @cython.locals(group=WriteGroup, first=int64_t, waited=WriteGroup, transaction=Transaction)
    cpdef take_back(self, list transactions)
    cpdef bint ask_for(self, int64_t die, int64_t page_limit) except -1
