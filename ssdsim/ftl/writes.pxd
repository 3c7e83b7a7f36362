cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Contents, Transaction, TransactionSchedulingUnit
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.hotness cimport Hotness
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.mapping.translation cimport TranslationPages
from ssdsim.ftl.page_type.specifier cimport PageTypeSpecifier
from ssdsim.ftl.partial cimport PartialPages
from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation
from ssdsim.ftl.reads cimport ReadPath
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.room cimport Placer
from ssdsim.host.request cimport Request
from ssdsim.stage cimport Stage

@cython.final
cdef class PageWrites(Placer):
    cdef object env
    cdef Blocks blocks
    cdef PageMapping mapping
    cdef TranslationPages translation       # or None
    cdef PlaneAllocation plane_allocation
    cdef bint keeps_plane                   # new data goes where the old is
    cdef WriteFrontier frontier
    cdef Reclaimer collector
    cdef readonly PageTypeSpecifier page_types  # or None where page types are not specified
    cdef Hotness hotness                    # or None where hot and cold data are not told apart
    cdef PartialPages partial
    cdef ReadPath reads
    cdef TransactionSchedulingUnit scheduler
    cdef Stage layer
    cdef public Contents contents           # where integrity is checked or power may be lost, else None
    cdef public object data                 # of all pages (`ssdsim.check.data`), where integrity is checked; else None
    cdef int64_t page_bytes
    cdef Transaction untimed                # the write at hand, where no time passes
    cdef readonly int64_t specified, as_specified   # page writes with a type specified, and those that got it
    cdef readonly int64_t filled_pages, padded_pages    # written along with others: as they were, and with nothing
    cdef readonly int64_t host_page_writes
    cpdef bind(self, object env, TransactionSchedulingUnit scheduler, Stage layer)
    cpdef int specify(self, Request request) except -1
    cdef int place_alone(self, Transaction transaction, int64_t plane) except -1
    @cython.locals(before=int64_t, ppa=int64_t, version=int64_t)
    cpdef int place(self, Transaction transaction, int64_t plane) except -1
    cpdef int64_t map(self, int64_t lpa, int64_t ppa) except -2
    @cython.locals(wanted=int)
    cdef int type_wanted(self, Transaction transaction, int64_t plane) except -1
    @cython.locals(wanted=int, ppa=int64_t, page_type=int)
    cpdef int64_t allocate(self, Transaction transaction, int64_t plane) except -1
    @cython.locals(ppa=int64_t)
    cpdef int pad(self, Transaction transaction, int64_t plane) except -1
    cpdef int program(self, Transaction transaction, int64_t ppa) except -1
    cpdef int drop(self, int64_t ppa, int64_t written_plane) except -1
    @cython.locals(before=int64_t)
    cpdef int unmap(self, int64_t lpa, int64_t version) except -1
    cpdef int acknowledge(self, Transaction transaction) except -1
    cpdef int programmed(self, Transaction transaction) except -1
    cpdef int release(self, int64_t block) except -1
    @cython.locals(ppa=int64_t, before=int64_t)
    cdef int place_now(self, Request request, int64_t lpa, int64_t version, int64_t plane) except -1
