cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.mapping_cache cimport MappingCache
from ssdsim.flash.port cimport Contents, Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.mapping.dftl cimport DemandMapping
from ssdsim.host.request cimport WriteGroup
from ssdsim.stage cimport Stage

cdef class TranslationPages(Stage):
    cdef object env
    cdef readonly DemandMapping mapping
    cdef MappingCache cache
    cdef Blocks blocks
    cdef WriteFrontier frontier
    cdef Reclaimer collector
    cdef int64_t first                  # the number of translation page 0 among logical pages
    cdef int64_t entries_per_page
    cdef int64_t[::1] stripe            # the (first) planes of all units, in the order in which they are written to
    cdef int64_t turn
    cdef int64_t page_limit                   # of them in a unit
    cdef readonly int row               # translation pages that are written together
    cdef Stage read_path                # that know where a page can be read now
    cdef Transaction instant            # what the frontier is asked with
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef public Contents contents       # where integrity is checked or power may be lost, else None
    cdef readonly dict waiting          # by LPA: the transactions that wait for its entry
    cdef object without_slot            # LPAs of entries that wait for a slot
    cdef int64_t loading                # slots that are given to entries on their way
    cdef int64_t leaving                # entries whose translation page is being written for them to be evicted
    cdef dict reading                   # by translation page being read: the LPAs of the entries that it is read for
    cdef dict departing                 # by translation page being written: the LPAs of the entries that leave then
    cdef readonly object without_room   # rows of translation pages that wait for room
    cdef bint shrinking
    cdef int64_t returned               # entries that had to be cached again, each of which another makes room for
    cdef readonly int64_t hits, misses, reads, writes, padded_pages
    cpdef bind(self, object env, Stage read_path, TransactionSchedulingUnit scheduler, TransactionPool pool)
    cpdef bint knows(self, int64_t lpa) except -1
    cpdef int64_t page_of(self, int64_t lpa) except -2
    @cython.locals(line=list)
    cpdef fetch(self, Transaction transaction)
    cpdef make_room(self)
    cpdef int64_t wanted(self) except -1
    @cython.locals(page=int64_t, ppa=int64_t)
    cpdef load(self, int64_t lpa)
    @cython.locals(transaction=Transaction)
    cpdef read(self, int64_t page, int64_t ppa, WriteGroup row)
    cpdef loaded(self, int64_t lpa)
    cpdef int64_t map(self, int64_t lpa, int64_t ppa) except -2
    cpdef settle(self)
    @cython.locals(row=WriteGroup, found=cython.bint, lpa=int64_t, page=int64_t)
    cpdef bint evict(self) except -1
    @cython.locals(page=int64_t, ppa=int64_t)
    cdef read_row(self, WriteGroup row)
    @cython.locals(plane=int64_t)
    cdef row_read(self, WriteGroup row)
    @cython.locals(plane=int64_t)
    cdef ask_for_room(self)
    @cython.locals(plane=int64_t, page=int64_t, before=int64_t)
    cpdef bint write_row(self, WriteGroup row) except -1
    @cython.locals(plane=int64_t, has_room=cython.bint)
    cpdef int64_t plane_with_room(self, list pages) except -2
    @cython.locals(unit=int64_t, count=int64_t, page=int64_t, ppa=int64_t)
    cdef int64_t pages_in_unit_with(self, list pages, int64_t plane) except -1
    @cython.locals(lpa=int64_t, ppa=int64_t, before=int64_t)
    cpdef int64_t place(self, int64_t page, int64_t plane) except -1
    cpdef int64_t allocate(self, int64_t plane, int64_t lpa) except -1
    @cython.locals(ppa=int64_t)
    cpdef int64_t pad(self, int64_t plane) except -1
    @cython.locals(transaction=Transaction)
    cpdef program(self, int64_t ppa, int64_t page)
    @cython.locals(page=int64_t, lpa=int64_t)
    cpdef done(self, Transaction transaction)
    @cython.locals(lpa=int64_t)
    cpdef written(self, int64_t page)
    cpdef space_freed(self, int64_t unit)
    cdef access_now(self, int64_t lpa)
    @cython.locals(lpa=int64_t, plane=int64_t)
    cdef shrink_now(self)
    @cython.locals(plane=int64_t, before=int64_t, page=int64_t)
    cpdef list write_now(self, list pages)
