cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.page_type.specifier cimport PageTypeSpecifier
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.reclaim.task cimport Task
from ssdsim.ftl.reclaim.urgency cimport Urgency
from ssdsim.stage cimport Stage

@cython.final
cdef class MovePort:
    cdef Reclaimer reclaimer        # what is moved, and has what is to be told of it
    cdef readonly Blocks blocks
    cdef readonly PageMapping mapping
    cdef readonly WriteFrontier frontier
    cdef PageTypeSpecifier page_types       # of moved data, or None where types are not specified
    cdef Urgency urgency
    cdef readonly int kinds         # of pages that are written to blocks of their own, those of the mapping table last
    cdef Transaction write          # see `as_write`
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef Stage owner                # of the transactions
    cdef readonly Stage rows        # the host's pages that are written along with moved ones
    cpdef bind(self, TransactionSchedulingUnit scheduler, TransactionPool pool, Stage owner, Stage rows)
    cpdef int kind_of(self, Transaction write) except -1
    cdef Transaction as_write(self, int64_t ppa)
    cdef bint is_current(self, Transaction page) except -1
    @cython.locals(found=list, page=Transaction)
    cpdef list current(self, Task task, list pages)
    cdef give_up(self, Task task, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cpdef Transaction take(self, Task task, int op, int64_t lpa, int64_t ppa)
    @cython.locals(ppa=int64_t, transaction=Transaction)
    cpdef Transaction read(self, Collection collection, int64_t position)
    cpdef submit(self, Transaction transaction)
    cpdef place(self, Collection collection, Transaction page, int64_t plane, int kind)
    @cython.locals(transaction=Transaction)
    cpdef pad(self, Collection collection, int64_t plane, int kind)
    @cython.locals(ppa=int64_t, write=Transaction)
    cdef pad_now(self, int64_t plane, int kind)
    @cython.locals(ppa=int64_t, transaction=Transaction)
    cpdef copy_back(self, Collection collection, int64_t position, int kind)
    @cython.locals(transaction=Transaction)
    cpdef erase(self, Task task, int64_t block)
    @cython.locals(ppa=int64_t)
    cpdef int64_t move(self, Transaction write, int64_t plane, int kind) except -1
    @cython.locals(ppa=int64_t)
    cpdef int64_t copy(self, Transaction write, int64_t plane, int kind) except -1
    cpdef moved_to(self, int64_t lpa, int64_t old_ppa, int64_t ppa)
