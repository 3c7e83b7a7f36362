cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.program_order cimport ProgramOrder
from ssdsim.flash.port cimport Contents, InstantFlash, Transaction, TransactionPool, TransactionSchedulingUnit
from ssdsim.stage cimport Stage

cdef class Backup:
    cdef readonly int64_t block
    cdef readonly int page_type, first, count, until
    cdef public int64_t ppa, source
    cdef public bint written, dropped
    cdef public int64_t lpa
    cdef public int writer
    cdef public object without

cdef class PairedPageBackup(Stage):
    cdef readonly Blocks blocks
    cdef readonly ProgramOrder order
    cdef readonly Contents contents         # what pages hold, where that is known; else None
    cdef readonly int last_type, page_bytes, needed
    cdef readonly bint lsb_only, passes_over, spares_moved
    cdef readonly bint is_beforehand        # `beforehand`, once it is bound
    cdef readonly int64_t shift             # planes from the one served to the one that has its backup blocks
    cdef readonly dict moved                # by PPA of a lower page that was moved: block it was moved from, its erases
    cdef InstantFlash instant
    cdef TransactionSchedulingUnit scheduler
    cdef TransactionPool pool
    cdef int64_t first_translation
    cdef readonly int writers               # of blocks of data: 2 if translation pages have their own, else 1
    cdef readonly int64_t lanes             # backups are written by plane and writer
    cdef readonly list current              # by lane: the backup block being written, or -1
    cdef readonly list ready                # by lane: erased ones, a list
    cdef readonly list waiting              # by lane: backups without a page
    cdef readonly dict lane                 # by block that is set aside: its lane
    cdef readonly list of_block             # by block of data: its backups that are needed, a list, or None
    cdef readonly dict at                   # by PPA: the backup there that is needed or not written yet
    cdef list due                           # by page of a block: the backups due with it, a tuple, or None
    cdef readonly dict in_use               # by backup block: how many such it has
    cdef public object sources              # as a device boots: PPAs of backups that others were restored from
    cdef public object kept                 # the backup blocks that these are in, which are not erased until then
    cdef readonly int64_t pages, reads, erases
    cpdef bind(self, object blocks, object config, object contents, InstantFlash instant, int64_t first_translation=*)
    cpdef start(self)
    @cython.locals(aligned=int64_t, block=int64_t, lane=int64_t, place=int)
    cpdef set_aside(self, int64_t unit, int writer)
    @cython.locals(planes=int64_t)
    cpdef int64_t lane_in(self, int64_t block, int writer) except -1
    @cython.locals(found=tuple)
    cpdef tuple due_with(self, int page)
    @cython.locals(block=int64_t, page=int, page_type=int, first=int, count=int, until=int, backup=Backup)
    cpdef back_up_with(self, int64_t ppa)
    cpdef queued(self, Transaction transaction)
    @cython.locals(block=int64_t)
    cpdef note_source(self, Transaction transaction)
    @cython.locals(block=int64_t, erases=int64_t)
    cpdef int64_t source_of_moved(self, int64_t ppa) except -2
    @cython.locals(each=Backup, backups=list)
    cpdef bint has(self, int64_t block, int page_type, int first) except -1
    @cython.locals(backups=list)
    cdef keep(self, Backup backup)
    @cython.locals(lane=int64_t)
    cpdef back_up(self, Backup backup)
    @cython.locals(aligned=int64_t, first=int64_t, place=int)
    cpdef int writer_of(self, int64_t block) except -1
    @cython.locals(ppa=int64_t, block=int64_t, page=int, place=int64_t, backups=list, backup=Backup)
    cpdef programmed(self, Transaction transaction)
    @cython.locals(backup=Backup, backups=list)
    cpdef erased(self, Transaction transaction)
    @cython.locals(backup=Backup, ppa=int64_t)
    cpdef advance(self, int64_t lane)
    @cython.locals(block=int64_t, page=int, ppa=int64_t)
    cpdef int64_t next_page(self, int64_t lane) except -2
    cpdef bint is_used_up(self, int64_t block) except -1
    @cython.locals(page=int, first=int64_t, lower=int)
    cpdef bint endangers_source(self, int64_t block) except -1
    @cython.locals(other=int64_t)
    cpdef int64_t page_elsewhere(self, int64_t lane) except -2
    cpdef bint has_room(self, int64_t block) except -1
    @cython.locals(source=int64_t, reads=cython.bint, transaction=Transaction)
    cpdef write(self, Backup backup, int64_t ppa)
    cdef int64_t first_covered(self, Backup backup) except -1
    @cython.locals(first=int64_t, wordline=int)
    cpdef list covered(self, Backup backup)
    @cython.locals(lpa=int64_t, version=int64_t, word=int64_t, ppa=int64_t)
    cpdef compute(self, Backup backup)
    @cython.locals(op=int, ppa=int64_t, plane=int64_t)
    cpdef done(self, Transaction transaction)
    @cython.locals(each=Backup, backups=list, missing=int, covered=int)
    cpdef has_written(self, Backup backup)
    cpdef take_over(self, Backup note, int64_t ppa)
    cpdef drop(self, Backup backup)
    @cython.locals(block=int64_t)
    cpdef let_go(self, Backup backup)
    @cython.locals(first=int64_t, page_type=int, wordline=int, ppa=int64_t)
    cpdef open_next(self, int64_t block)
    cpdef wake(self, int64_t block)
    @cython.locals(transaction=Transaction)
    cpdef erase(self, int64_t block)
    @cython.locals(lane=int64_t)
    cpdef is_free(self, int64_t block)
    @cython.locals(members=list, block=int64_t, writer=int)
    cpdef exchange(self, int64_t aligned)
