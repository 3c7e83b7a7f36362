cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.collection cimport Collection
from ssdsim.ftl.reclaim.course cimport Course
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.reclaim.moves.interface cimport PageMoves
from ssdsim.ftl.reclaim.port cimport MovePort
from ssdsim.ftl.reclaim.progress cimport Progress
from ssdsim.ftl.reclaim.unit cimport CollectionUnit
from ssdsim.ftl.reclaim.urgency cimport UrgencyByLevel
from ssdsim.host.request cimport WriteGroup
from ssdsim.stage cimport Stage

cdef class Collector(Reclaimer):
    cdef readonly WriteFrontier frontier
    cdef readonly CollectionUnit unit
    cdef readonly PageMoves moves
    cdef readonly MovePort port
    cdef UrgencyByLevel urgency
    cdef readonly Progress progress
    cdef readonly list units        # by number: the collection there, or the first of several
    cdef readonly list tasks        # all of them
    cdef readonly Course course
    cdef bint at_once               # what a write calls for begins in its midst
    cdef int64_t planes_per_die, units_per_chip
    cdef TransactionSchedulingUnit scheduler
    cdef Stage listener
    cpdef Collection of(self, int64_t plane)
    @cython.locals(collection=Collection, last=int64_t)
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener, Stage rows
    )
    @cython.locals(collection=Collection)
    cpdef consider(self, int64_t plane)
    @cython.locals(collection=Collection)
    cdef reconsider(self, int64_t plane)
    cpdef answer(self, Collection collection)
    @cython.locals(collection=Collection)
    cdef write_done(self, int64_t plane)
    @cython.locals(level=int64_t)
    @cython.final
    cdef bint is_wanted(self, Collection collection) except -1
    @cython.locals(other=Collection, number=int64_t, chip=int64_t)
    cdef invite(self, Collection collection)
    @cython.locals(collection=Collection)
    cpdef bint holds(self, int64_t plane) except -1
    @cython.locals(first=int64_t, other=int64_t)
    cdef int64_t stand_in(self, int64_t plane) except -2
    @cython.locals(collection=Collection)
    cpdef bint takes(self, int64_t plane, WriteGroup group) except -1
    @cython.locals(collection=Collection)
    cpdef complete(self, int64_t number, WriteGroup group)
    cpdef host_is_active(self)
    @cython.locals(collection=Collection)
    cpdef host_is_quiet(self)
    cdef bint wants_background(self, Collection collection) except -1
    cpdef collect(self, Collection collection)
    cpdef bint begin(self, Collection collection) except -1
    @cython.locals(place=int)
    cpdef take_up(self, Collection collection)
    cdef hold_requests(self, Collection collection)
    @cython.locals(threshold=int64_t)
    cpdef bint choose(self, Collection collection) except -1
    cpdef over(self, Collection collection)
    @cython.locals(place=int)
    cpdef finish(self, Collection collection)
    @cython.locals(unit=int64_t)
    cdef space_freed_by(self, Collection collection)
    cdef collect_now(self, Collection collection)
    cpdef run_now(self, Collection collection)
    @cython.locals(first=int64_t, planes=list)
    cpdef int64_t plane_with_room(self, int64_t plane, int kind) except -1
    @cython.locals(unit=int64_t, victim=int64_t, collection=Collection)
    cdef bint collect_least_valid(self, int64_t plane) except -1
