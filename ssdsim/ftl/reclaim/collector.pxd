cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.contents cimport Contents
from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler cimport TransactionSchedulingUnit
from ssdsim.flash.transaction cimport Transaction, TransactionPool
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.unit cimport CollectionUnit
from ssdsim.ftl.hotness cimport Hotness
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.page_type cimport PageTypeSpecifier
from ssdsim.host.request cimport WriteGroup
from ssdsim.stage cimport Stage

cdef class GarbageCollector

cdef class PageMoves:
    cdef GarbageCollector collector
    cdef readonly bint can_stop
    cpdef bind(self, GarbageCollector collector)
    cpdef begin(self, int64_t which)
    @cython.locals(position=int64_t)
    cpdef bint start(self, int64_t which) except -1
    cpdef arrived(self, int64_t which, Transaction page)
    cpdef dropped(self, int64_t which, Transaction page)
    cpdef int64_t move_now(self, int64_t which, int64_t plane, int64_t lpa, int64_t ppa) except -1
    cpdef no_more(self, int64_t which)
    cpdef bint takes(self, int64_t which, WriteGroup group) except -1
    cpdef complete(self, int64_t which, WriteGroup group)

cdef class GarbageCollector(Stage):
    cdef object env
    cdef readonly int source        # of its transactions
    cdef readonly Blocks blocks
    cdef PageMapping mapping
    cdef readonly WriteFrontier frontier
    cdef readonly CollectionUnit unit
    cdef readonly PageMoves moves
    cdef readonly Hotness hotness           # or None where hot and cold data are not told apart
    cdef PageTypeSpecifier page_types       # of moved data, or None where types are not specified
    cdef int64_t planes_per_die, planes_per_chip
    cdef readonly int page_bytes
    cdef readonly int width         # planes that a collection may take blocks of
    cdef readonly int64_t count     # of collections; the first plane of each is its number times the width
    cdef signed char[::1] idle      # by collection: none is under way
    cdef signed char[::1] called    # by collection: one is to begin at the end of this instant
    cdef signed char[::1] erasing   # by collection: all moves are done
    cdef readonly int moves_in_flight
    cdef readonly bint holds_writes, yields_to_reads, starts_before_write
    cdef int64_t[::1] moving        # by collection: moves, and later erases, under way
    cdef int64_t[::1] reading       # by collection: those of the moves whose page is being read
    cdef int64_t[::1] placed        # by collection: those whose program has been issued
    cdef readonly int64_t[::1] victims      # by collection and place: the blocks being collected
    cdef readonly int[::1] victim_count     # by collection
    cdef int[::1] next_page         # by collection: the position to go on at in the victims
    cdef signed char[::1] urgent    # by collection: below the hard threshold
    cdef signed char[::1] critical  # by collection: urgent, and before the host's reads
    cdef signed char[::1] invited   # by collection: to go along with another of the chip
    cdef int64_t[::1] futile        # by collection: how often it was done since the host last wrote there
    cdef int64_t pages_a_write      # as a constant that compiled code need not look up
    cdef int64_t unpaid             # pages of victims, less `PAGES_A_WRITE` for each write of the host
    cdef signed char[::1] background    # by collection: the present one is done only while the host is quiet
    cdef bint quiet                 # the host
    cdef readonly dict copies       # by PPA of copy-backs under way: the page that is copied
    cdef readonly int64_t collections, page_moves, copies_back, padded_pages
    cdef readonly int64_t victim_pages, victim_valid    # pages of the victims, and those valid when they were chosen
    cdef public Contents contents   # where integrity is checked, else None
    cdef public object data         # in the cells (`ssdsim.flash.data`), where integrity is checked; else None
    cdef public object backup       # of paired pages (`ssdsim.ftl.backup`), or None
    cdef public object on_collected # called after each collection, or None
    cdef readonly TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef list dies
    cdef readonly Stage listener
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener
    )
    @cython.locals(which=int64_t)
    cpdef bint holds(self, int64_t plane) except -1
    cpdef bint must_wait(self, int64_t plane, int64_t lpa) except -1
    cpdef consider(self, int64_t plane)
    @cython.locals(which=int64_t)
    cpdef reconsider(self, int64_t plane)
    @cython.locals(which=int64_t)
    cpdef write_done(self, int64_t plane)
    @cython.locals(level=int64_t)
    cpdef bint is_wanted(self, int64_t which) except -1
    cpdef call(self, int64_t which)
    cpdef answer(self, int64_t which, object event)
    cpdef bint wants_background(self, int64_t which) except -1
    cpdef bint may_be_called(self, int64_t which) except -1
    @cython.locals(chip=int64_t, other=int64_t)
    cpdef invite(self, int64_t which)
    @cython.locals(urgent=bint)
    cpdef mark(self, int64_t which, int64_t level)
    @cython.locals(die=Die)
    cpdef set_urgency(self, int64_t which, bint urgent, bint critical)
    cpdef host_is_active(self)
    @cython.locals(which=int64_t)
    cpdef host_is_quiet(self)
    cpdef bint is_stopped(self, int64_t which) except -1
    cpdef collect(self, int64_t which)
    cpdef resume(self, int64_t which)
    @cython.locals(place=int, transaction=Transaction)
    cpdef erase_victims(self, int64_t which)
    cpdef over(self, int64_t which)
    @cython.locals(threshold=int64_t, die=Die, place=int)
    cpdef bint begin(self, int64_t which) except -1
    @cython.locals(place=int)
    cpdef finish(self, int64_t which)
    @cython.locals(unit=int64_t)
    cpdef space_freed(self, int64_t which)
    @cython.locals(most=int)
    cpdef go_on(self, int64_t which)
    @cython.locals(first=int64_t, count=int, at=int, best=int64_t, place=int, page=int)
    cpdef int64_t left(self, int64_t which) except -2
    @cython.locals(count=int64_t, block=int64_t, ppa=int64_t, transaction=Transaction)
    cpdef Transaction start_move(self, int64_t which, int64_t position)
    @cython.locals(count=int64_t, block=int64_t, ppa=int64_t, transaction=Transaction)
    cpdef start_copy(self, int64_t which, int64_t position)
    @cython.locals(which=int64_t)
    cpdef done(self, Transaction transaction)
    cpdef bint is_current(self, Transaction page) except -1
    cpdef give_up(self, int64_t which, Transaction transaction)
    @cython.locals(first=int64_t, other=int64_t)
    cpdef int64_t stand_in(self, int64_t plane) except -2
    @cython.locals(which=int64_t)
    cpdef bint takes(self, int64_t plane, WriteGroup group) except -1
    cpdef int purpose_of(self, int64_t lpa) except -1
    @cython.locals(which=int64_t)
    cpdef place(self, Transaction transaction, int64_t plane, int purpose)
    @cython.locals(transaction=Transaction)
    cpdef pad(self, int64_t which, int64_t plane, int purpose)
    @cython.locals(ppa=int64_t, page_type=int)
    cpdef int64_t move(self, int64_t plane, int64_t lpa, int64_t old_ppa, int purpose) except -1
    @cython.locals(ppa=int64_t)
    cpdef int64_t copy(self, int64_t plane, int64_t lpa, int64_t old_ppa) except -1
    cpdef moved_to(self, int64_t lpa, int64_t old_ppa, int64_t ppa)
    @cython.locals(position=int64_t, block=int64_t, ppa=int64_t, lpa=int64_t, target=int64_t, place=int)
    cpdef collect_now(self, int64_t which)
    cpdef program_now(self, int64_t ppa)
    @cython.locals(place=int, block=int64_t, page=int)
    cpdef expect_moves(self, int64_t which)
