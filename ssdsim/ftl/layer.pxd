cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Contents, Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.admission cimport Admission
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.mapping.translation cimport TranslationPages
from ssdsim.ftl.partial cimport PartialPages
from ssdsim.ftl.reads cimport ReadPath
from ssdsim.ftl.room cimport WriteRoom
from ssdsim.ftl.rows cimport RowWrites
from ssdsim.ftl.writes cimport PageWrites
from ssdsim.host.request cimport Request, WriteGroup
from ssdsim.stage cimport Stage

@cython.final
cdef class FlashTranslationLayer(Stage):
    cdef object env
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef int64_t page_bytes
    cdef readonly PageMapping mapping
    cdef TranslationPages translation       # or None
    cdef readonly PartialPages partial
    cdef readonly Admission admission
    cdef readonly ReadPath reads
    cdef readonly WriteRoom room
    cdef readonly PageWrites writes
    cdef readonly RowWrites rows            # or None where pages are written one by one
    cdef int64_t together                   # logical pages that are always written together
    cdef readonly dict unplaced             # by LPA with a write not yet placed: what stands in line behind it
    cdef readonly Contents contents         # where integrity is checked or power may be lost, else None
    cdef readonly object data               # of all pages (`ssdsim.check.data`), where integrity is checked; else None
    cpdef follow(self, Contents contents, object data)
    cpdef bind(self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool)
    @cython.locals(number=int64_t, lpa=int64_t, group=WriteGroup)
    cpdef int write_together(self, Request request, int64_t first, int64_t last) except -1
    @cython.locals(transaction=Transaction)
    cpdef int write(self, Request request, int64_t lpa, int64_t size, WriteGroup group) except -1
    cpdef bint stands_in_line(self, Transaction transaction) except -1
    cdef bint begin_write(self, Transaction transaction) except -1
    cdef int park(self, Transaction transaction) except -1
    @cython.locals(ppa=int64_t, rest=int64_t)
    cdef bint begin_mapped(self, Transaction transaction) except -1
    @cython.locals(plane=int64_t, target=int64_t, rest=Transaction)
    cdef bint place_in_part(self, Transaction transaction, int64_t ppa, int64_t size) except -1
    cdef int end_part(self, Transaction rest) except -1
    cdef int complete_data(self, Transaction transaction) except -1
    @cython.locals(plane=int64_t, target=int64_t)
    cpdef bint place(self, Transaction transaction) except -1
    @cython.locals(start=int64_t, end=int64_t, version=int64_t, transaction=Transaction, stands_in_line=cython.bint)
    cpdef trim(self, Request request, int64_t lpa)
    cdef int end_trim(self, Transaction transaction) except -1
    @cython.locals(target=int64_t)
    cpdef int write_now(self, Request request, int64_t lpa) except -1
    cpdef int read_now(self, Request request, int64_t lpa) except -1
    cpdef int trim_now(self, int64_t lpa) except -1
