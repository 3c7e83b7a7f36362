cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.transaction cimport Transaction
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.reclaim.collector cimport GarbageCollector
from ssdsim.ftl.hotness cimport Hotness
from ssdsim.ftl.reclaim.idle cimport HostActivity
from ssdsim.ftl.page_type cimport PageTypeSpecifier
from ssdsim.ftl.plane_allocation cimport PlaneAllocation
from ssdsim.ftl.reads cimport ReadPath
from ssdsim.host.request cimport Request, WriteGroup

cdef class FlashTranslationLayer(ReadPath):
    cdef readonly PlaneAllocation plane_allocation
    cdef WriteFrontier frontier
    cdef readonly GarbageCollector collector
    cdef readonly PageTypeSpecifier page_types  # or None where page types are not specified
    cdef Hotness hotness                    # or None where hot and cold data are not told apart
    cdef readonly int span                  # pages of a row: the planes of a unit
    cdef readonly bint programs_whole, programs_changed     # of a page that is written in part; else what is stored
    cdef object whole_page                  # the bits of all sectors of a page
    cdef readonly bint read_modify_write, keeps_plane
    cdef readonly dict unplaced             # by LPA with a write not yet placed: what stands in line behind it
    cdef readonly list waiting              # by unit, and last for any: the writes and groups that wait for room
    cdef list flushes
    cdef public HostActivity activity       # to be told of page writes, where collection waits for idle time; else None
    cdef public int64_t version             # of the last page write or trim admitted: they are numbered from 1
    cdef int64_t writes_in_flight           # page writes admitted and not yet programmed
    cdef readonly int64_t specified, as_specified   # page writes with a type specified, and those that got it
    cdef readonly int64_t filled_pages, padded_pages    # written along with others: as they were, and with nothing
    cdef readonly int64_t host_page_writes
    @cython.locals(first=int64_t, last=int64_t, lpa=int64_t, size=int64_t)
    cpdef submit(self, Request request)
    @cython.locals(start=int64_t)
    cpdef int64_t part_of(self, Request request, int64_t lpa) except -1
    @cython.locals(transaction=Transaction)
    cpdef write(self, Request request, int64_t lpa, int64_t size, WriteGroup group)
    cpdef bint stands_in_line(self, Transaction transaction) except -1
    cpdef bint would_wait(self, int64_t lpa) except -1
    cpdef bint begin_write(self, Transaction transaction) except -1
    cpdef bint is_partial(self, Transaction transaction) except -1
    @cython.locals(ppa=int64_t, rest=int64_t)
    cpdef bint begin_mapped(self, Transaction transaction) except -1
    @cython.locals(lpa=int64_t)
    cpdef int64_t rest_of(self, Transaction transaction) except -1
    @cython.locals(start=int64_t, end=int64_t)
    cpdef object touched(self, Request request, int64_t lpa)
    cpdef complete_data(self, Transaction transaction)
    @cython.locals(plane=int64_t, near=int64_t)
    cpdef bint place(self, Transaction transaction) except -1
    @cython.locals(plane=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    cpdef int64_t room_near(self, int64_t plane, int64_t lpa) except -2
    @cython.locals(transaction=Transaction)
    cpdef int64_t page_of(self, object waiting) except -2
    cpdef park(self, Transaction transaction)
    @cython.locals(unit=int64_t)
    cpdef wait_for_room(self, object waiting, int64_t plane)
    @cython.locals(before=int64_t, ppa=int64_t, version=int64_t, collection_first=bint)
    cpdef place_in(self, Transaction transaction, int64_t plane, int purpose)
    cpdef int64_t map(self, int64_t lpa, int64_t ppa) except -2
    cpdef program(self, Transaction transaction, int64_t ppa)
    @cython.locals(lpa=int64_t)
    cpdef keep_parts(self, Transaction transaction)
    cpdef gather(self, Transaction transaction)
    cpdef place_row(self, WriteGroup group, int64_t plane)
    cpdef specify(self, Request request)
    @cython.locals(wanted=int, ppa=int64_t, page_type=int)
    cpdef int64_t allocate(self, Request request, int64_t lpa, int64_t plane, int purpose) except -1
    cpdef drop(self, int64_t ppa, int64_t written_plane)
    @cython.locals(plane=int64_t, near=int64_t, transaction=Transaction)
    cpdef space_freed(self, int64_t unit)
    @cython.locals(transaction=Transaction)
    cpdef advance(self, int64_t lpa)
    @cython.locals(transaction=Transaction, stands_in_line=cython.bint)
    cpdef trim(self, Request request, int64_t lpa, int64_t size)
    @cython.locals(before=int64_t)
    cpdef unmap(self, int64_t lpa, int64_t version)
    cpdef end_trim(self, Transaction transaction)
    cpdef flush(self, Request request)
    cpdef programmed(self, int64_t version)
    cpdef transferred(self, Transaction transaction)
    cpdef done(self, Transaction transaction)
    cpdef release(self, int64_t block)
    @cython.locals(plane=int64_t, near=int64_t, ppa=int64_t, before=int64_t)
    cpdef write_now(self, Request request, int64_t lpa)
    cpdef read_now(self, Request request, int64_t lpa)
    cpdef trim_now(self, int64_t lpa)
