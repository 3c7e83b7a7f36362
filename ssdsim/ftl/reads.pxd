cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.flash.port cimport Contents, Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.ftl.mapping.page cimport PageMapping
from ssdsim.ftl.mapping.translation cimport TranslationPages
from ssdsim.ftl.partial cimport PartialPages
from ssdsim.host.request cimport Request
from ssdsim.stage cimport Stage

@cython.final
cdef class ReadPath(Stage):
    cdef object env
    cdef readonly Blocks blocks
    cdef readonly PageMapping mapping
    cdef readonly TranslationPages translation  # or None
    cdef readonly PartialPages partial
    cdef dict copies                        # by PPA of copy-backs under way: the page that is copied
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef public Contents contents           # where integrity is checked or power may be lost, else None
    cdef public object data                 # of all pages (`ssdsim.check.data`), where integrity is checked; else None
    cdef readonly bint reads_unprogrammed
    cdef int64_t coalesced_ns               # after which a coalesced read is answered; -1: there are none
    cdef dict reading                       # by PPA: the newest read issued, where reads are coalesced
    cdef readonly dict in_memory            # by LPA: the write, whole in controller memory, that is not yet placed
    cdef readonly dict trims                # by LPA: the version of the newest trim that stands in line
    cdef readonly int64_t memory_reads, unmapped_reads, coalesced_reads
    cpdef bind(self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool)
    cpdef int hold(self, Transaction transaction) except -1
    cpdef int let_go(self, Transaction transaction) except -1
    cdef int hide(self, int64_t lpa, int64_t version) except -1
    cpdef int show(self, int64_t lpa, int64_t version) except -1
    @cython.locals(transaction=Transaction)
    cpdef int read(self, Request request, int64_t lpa, int64_t size) except -1
    @cython.locals(ppa=int64_t, in_flash=cython.bint)
    cpdef int read_mapped(self, Request request, int64_t lpa, int64_t size, int64_t mapping_ns) except -1
    @cython.locals(transaction=Transaction)
    cpdef int sense(self, Request request, int64_t lpa, int64_t ppa, int64_t size, int64_t mapping_ns) except -1
    cdef int read_from_memory(self, Request request, int64_t lpa) except -1
    cpdef int answer(self, Request request, int64_t lpa) except -1
    cpdef bint joins(self, Request request, int64_t lpa, int64_t ppa) except -1
    @cython.locals(ppa=int64_t)
    cpdef int64_t held(self, int64_t lpa) except -1
    cpdef int give_data(self, Request request, int64_t lpa, object image) except -1
    cpdef int read_now(self, Request request, int64_t lpa) except -1
