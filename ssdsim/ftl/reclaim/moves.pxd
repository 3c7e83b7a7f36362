cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.transaction cimport Transaction
from ssdsim.ftl.reclaim.collector cimport GarbageCollector, PageMoves
from ssdsim.host.request cimport WriteGroup

@cython.locals(found=list, page=Transaction)
cdef list current(GarbageCollector collector, int64_t which, list pages)

cdef class RowMoves(PageMoves):
    cdef readonly int span
    cdef list held                  # by collection: rows read that the row being written has no room for
    @cython.locals(position=int64_t, page=int64_t, group=WriteGroup, reads=list, read=Transaction)
    cpdef bint start(self, int64_t which) except -1
    @cython.locals(group=WriteGroup)
    cpdef arrived(self, int64_t which, Transaction page)
    @cython.locals(group=WriteGroup)
    cpdef dropped(self, int64_t which, Transaction page)
    @cython.locals(held=list, at=int)
    cpdef settle(self, int64_t which, WriteGroup group)
    @cython.locals(plane=int64_t, purpose=int)
    cpdef bint fits(self, int64_t which, WriteGroup group) except -1
    @cython.locals(page=Transaction)
    cpdef place(self, int64_t which, WriteGroup group)
    @cython.locals(held=list)
    @cython.locals(plane=int64_t, purpose=int)
    cpdef no_more(self, int64_t which)

cdef class DieMoves(PageMoves):
    cdef readonly bint combines
    cdef object buffer              # the write buffer, or None
    cdef readonly int span
    cdef readonly list pages        # by collection, then purpose: read, and not yet enough for a row
    cdef readonly list writes       # by collection: the host's pages that wait for moved ones
    cdef signed char[::1] asked     # by collection: whether the buffer was asked for pages
    cdef signed char[::1] awaited   # by collection: whether it is to give some
    cpdef bind(self, GarbageCollector collector)
    cpdef begin(self, int64_t which)
    cpdef arrived(self, int64_t which, Transaction page)
    cpdef form(self, int64_t which)
    @cython.locals(new=int, purpose=int, at=int64_t)
    cpdef bint form_row(self, int64_t which) except -1
    @cython.locals(plane=int64_t, writes=list)
    cpdef write_row(self, int64_t which, int purpose, int moved, int new)
    @cython.locals(hot=int64_t, purpose=int, moved=int, new=int, writes=list)
    cpdef no_more(self, int64_t which)
    cpdef bint has_room_beside(self, int64_t which, int purpose) except -1
    cpdef bint has_pages(self, int64_t which, int purpose) except -1
    @cython.locals(given=bint)
    cpdef bint asks(self, int64_t which, int wanted) except -1
    cpdef complete(self, int64_t which, WriteGroup group)
    @cython.locals(left=int64_t, place=int)
    cpdef bint takes(self, int64_t which, WriteGroup group) except -1

cdef class CopyBackMoves(PageMoves):
    cdef readonly double most_wasted    # the share of a victim's dead pages that a collection may waste
    cdef int64_t[::1] to_waste          # by collection: pages that it may still pass over, -1 if it copies none back
    cdef readonly int64_t conventional  # collections that copied none back
    cdef readonly int64_t through_controller    # pages that were not copied back, of these and of others
    cpdef bind(self, GarbageCollector collector)
    @cython.locals(blocks=Blocks, place=int, victim=int64_t, dead=int64_t, allowed=int64_t, foreseen=int64_t)
    cpdef begin(self, int64_t which)
    @cython.locals(blocks=Blocks, plane=int64_t, wasted=int64_t, page=int, purpose=int, passed=int64_t, points=list)
    cpdef int64_t foreseen(self, int64_t victim) except -1
    cpdef int64_t passed_over(self, int64_t point, int64_t page) except -1
    @cython.locals(passed=int64_t)
    cpdef bint copies(self, int64_t which, int64_t plane, int64_t lpa, int64_t page) except -1
    @cython.locals(position=int64_t, blocks=Blocks, block=int64_t, page=int64_t, lpa=int64_t)
    cpdef bint start(self, int64_t which) except -1
    cpdef int64_t move_now(self, int64_t which, int64_t plane, int64_t lpa, int64_t ppa) except -1

cdef class ParallelMoves(PageMoves):
    cdef readonly list pages        # by collection, then purpose: read, and waiting to be placed by the row
    cpdef bind(self, GarbageCollector collector)
    @cython.locals(purpose=int)
    cpdef arrived(self, int64_t which, Transaction page)
    cpdef no_more(self, int64_t which)
    @cython.locals(at=int64_t, plane=int64_t, page=Transaction)
    cpdef form(self, int64_t which, int purpose, int least)
    @cython.locals(first=int64_t, place=int)
    cpdef list planes(self, int64_t which)
    @cython.locals(plane=int64_t)
    cpdef bint is_short(self, int64_t which, int purpose) except -1
    @cython.locals(pages=int64_t, planes=list, points=list, shortest=int64_t, lagging=int64_t, level=int64_t, distance=int64_t, behind=int64_t, number=int, gap=int64_t)
    cpdef int64_t lagging(self, int64_t which, int purpose) except -2
