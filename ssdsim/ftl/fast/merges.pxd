cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.fast.choice cimport MergeChoice
from ssdsim.ftl.fast.log_blocks cimport LogFrontier
from ssdsim.ftl.fast.mapping cimport FastMapping
from ssdsim.ftl.fast.merge cimport Merge, UrgencyByRoom
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.reclaim.port cimport MovePort
from ssdsim.stage cimport Stage

cdef class Merger(Reclaimer):
    cdef LogFrontier log
    cdef FastMapping mapping
    cdef readonly MovePort port
    cdef UrgencyByRoom urgency
    cdef readonly list units, tasks        # by number: the merges there
    cdef readonly MergeChoice choice
    cdef readonly int moves_in_flight, block_pages
    cdef int64_t planes_per_die
    cdef bint takes_time
    cdef Stage listener
    cpdef Merge of(self, int64_t plane)
    @cython.locals(merge=Merge)
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener, Stage rows
    )
    @cython.locals(merge=Merge)
    cpdef consider(self, int64_t plane)
    cdef reconsider(self, int64_t plane)
    @cython.locals(merge=Merge)
    cdef write_done(self, int64_t plane)
    cdef bint is_wanted(self, Merge merge) except -1
    @cython.locals(merge=Merge)
    cdef bint must_wait(self, int64_t plane, int64_t lpa) except -1
    @cython.locals(merge=Merge)
    cdef int64_t stand_in(self, int64_t plane) except -2
    cpdef host_is_active(self)
    @cython.locals(merge=Merge)
    cpdef host_is_quiet(self)
    cpdef bint is_stopped(self, Merge merge) except -1
    cpdef collect(self, Merge merge)
    @cython.locals(aligned=int64_t)
    cpdef resume(self, Merge merge)
    cpdef over(self, Merge merge)
    @cython.locals(move_limit=int)
    cpdef go_on(self, Merge merge)
    @cython.locals(first=int, end=int, reads=list, offset=int, ppa=int64_t, transaction=Transaction)
    cdef read_row(self, Merge merge)
    @cython.locals(lpa=int64_t, ppa=int64_t, aligned=int64_t)
    cpdef int64_t page_to_move(self, Merge merge, int64_t offset) except -2
    @cython.locals(first=int, end=int, pages=dict, offset=int, transaction=Transaction)
    cdef bint place_row(self, Merge merge) except -1
    @cython.locals(merge=Merge)
    cpdef done(self, Transaction transaction)
    @cython.locals(transaction=Transaction)
    cdef put_off(self, Merge merge)
    @cython.locals(target=int64_t, before=int64_t, aligned=int64_t)
    cpdef settle(self, Merge merge)
    @cython.locals(place=int)
    cpdef erase(self, Merge merge, int64_t aligned)
    cpdef finish(self, Merge merge)
    @cython.locals(offset=int, ppa=int64_t, target=int64_t, aligned=int64_t, place=int)
    cdef collect_now(self, Merge merge)
