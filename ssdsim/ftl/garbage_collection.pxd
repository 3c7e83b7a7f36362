cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.contents cimport Contents
from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler cimport TransactionSchedulingUnit
from ssdsim.flash.transaction cimport Transaction, TransactionPool
from ssdsim.ftl.block_allocation.frontier cimport WriteFrontier
from ssdsim.ftl.mapping cimport PageMapping
from ssdsim.ftl.page_type cimport PageTypeSpecifier
from ssdsim.ftl.victim_selection cimport VictimPolicy
from ssdsim.ftl.wear_leveling cimport WearLeveling
from ssdsim.stage cimport Stage

cdef class GarbageCollector(Stage):
    cdef object env
    cdef Blocks blocks
    cdef PageMapping mapping
    cdef WriteFrontier frontier
    cdef readonly VictimPolicy policy
    cdef readonly WearLeveling wear_leveling
    cdef readonly bint by_pages
    cdef readonly int64_t soft, hard
    cdef int most_valid             # pages that a victim may have valid above the hard threshold
    cdef PageTypeSpecifier page_types       # of moved data, or None where types are not specified
    cdef int64_t planes_per_die
    cdef int page_bytes
    cdef list sleeping              # by plane: the event that wakes its process, while that sleeps
    cdef list moved                 # by plane: fires after the last move, and after the erase
    cdef readonly int moves_in_flight
    cdef int64_t[::1] moving        # by plane: moves under way
    cdef int64_t[::1] victim        # by plane: the block whose pages are moved
    cdef int[::1] next_page         # by plane: where to go on in the victim
    cdef signed char[::1] urgent    # by plane: below the hard threshold
    cdef int64_t[::1] futile        # by plane: collections since the host last wrote to it
    cdef readonly int64_t collections, page_moves
    cdef public Contents contents   # where integrity is checked, else None
    cdef public object on_collected # called after each collection, or None
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef list dies
    cdef Stage listener
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener
    )
    cpdef int64_t level(self, int64_t plane) except -1
    cpdef bint can_gain(self, int64_t plane, int64_t level) except -1
    @cython.locals(level=int64_t)
    cpdef consider(self, int64_t plane)
    @cython.locals(die=Die)
    cpdef mark_urgent(self, int64_t plane, bint urgent)
    @cython.locals(victim=int64_t, level=int64_t)
    cpdef int64_t next_victim(self, int64_t plane) except -2
    cpdef begin(self, int64_t plane, int64_t victim)
    cpdef finish(self, int64_t plane, int64_t victim)
    @cython.locals(victim=int64_t, page=int, ppa=int64_t, transaction=Transaction)
    cpdef bint start_move(self, int64_t plane) except -1
    @cython.locals(plane=int64_t)
    cpdef done(self, Transaction transaction)
    @cython.locals(ppa=int64_t, page_type=int)
    cpdef int64_t move(self, int64_t plane, int64_t lpa, int64_t old_ppa) except -1
    @cython.locals(victim=int64_t, page=int, ppa=int64_t)
    cpdef collect_now(self, int64_t plane)
    @cython.locals(page=int)
    cpdef expect_moves(self, int64_t victim)
