from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.kernel cimport Routine
from ssdsim.flash.port cimport Contents, InstantFlash, TransactionPool, TransactionSchedulingUnit
from ssdsim.host.gate cimport Gate
from ssdsim.host.request cimport WriteGroup
from ssdsim.stage cimport Stage

cdef class Reclaimer(Stage):
    cdef readonly int source        # of its transactions
    cdef readonly Blocks blocks
    cdef readonly int width         # planes of a unit
    cdef readonly int page_bytes
    cdef readonly bint holds_writes, starts_before_write
    cdef public bint row_begun      # a row of the host's is being placed, and not its last page
    cdef readonly dict copies       # by PPA of copy-backs under way: the page that is copied
    cdef readonly int64_t collections, page_moves, copies_back, padded_pages
    cdef readonly int64_t victim_pages, victim_valid    # pages of the victims, and those valid when they were chosen
    cdef readonly dict victims      # by block, until its erase is issued: the pages that were valid then
    cdef readonly Contents contents # where integrity is checked, else None
    cdef readonly InstantFlash instant      # the flash, until there is a clock
    cdef public Gate gate           # or None
    cdef public object on_collected # called after each collection, or None
    cpdef follow(self, InstantFlash instant, Contents contents)
    cpdef bind(
        self, object env, TransactionSchedulingUnit scheduler, TransactionPool pool, list dies, Stage listener, Stage rows
    )
    cpdef consider(self, int64_t plane)
    cdef reconsider(self, int64_t plane)
    cdef write_done(self, int64_t plane)
    cpdef bint holds(self, int64_t plane) except -1
    cdef bint must_wait(self, int64_t plane, int64_t lpa) except -1
    cdef int64_t stand_in(self, int64_t plane) except -2
    cpdef bint takes(self, int64_t plane, WriteGroup group) except -1
    cpdef complete(self, int64_t number, WriteGroup group)
    cpdef host_is_active(self)
    cpdef host_is_quiet(self)

cdef class FirstTasks(Routine):
    cdef Reclaimer reclaimer
