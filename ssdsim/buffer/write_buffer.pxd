cimport cython
from libc.stdint cimport int64_t

from ssdsim.buffer.dram cimport Dram
from ssdsim.buffer.entry cimport Entry, Eviction
from ssdsim.buffer.replacement cimport Replacement
from ssdsim.flash.counters cimport FlashCounters
from ssdsim.host.request cimport Request, RequestPool, WriteGroup
from ssdsim.stage cimport Stage

cdef class WriteBuffer(Stage):
    cdef object env
    cdef FlashCounters counters
    cdef Stage layer
    cdef readonly Replacement replacement
    cdef public int64_t capacity            # in pages
    cdef readonly int64_t page_bytes
    cdef readonly int64_t row, super_page   # pages that leave together: any of a die, and those of a super page
    cdef readonly int64_t stripe            # how far apart the host's pages of a super page are; 0: they are consecutive
    cdef readonly int64_t pages_in_flight   # that are kept on their way to flash; 0: they go when room is needed
    cdef readonly Dram dram                 # or None
    cdef readonly bint frees_early          # slots are free from eviction on, and writes pay for what they evict
    cdef object whole_page                  # the bits of a page that is known in full
    cdef readonly dict entries              # by LPA: the newest data of the page in the buffer
    cdef readonly object waiting            # (request, LPA, touched) without a slot; LPA -1: a trim or a flush
    cdef dict in_line                       # by LPA: how many of those are of it, if any
    cdef RequestPool pool
    cdef readonly int64_t used, leaving     # slots taken, and pages on their way to flash, which may have one or not
    cdef int64_t barriers, queue_length
    cdef readonly int64_t write_hits, write_misses, read_hits, read_misses  # pages
    cpdef bind(self, Stage layer)
    cpdef connect(self, object env, FlashCounters counters)
    cpdef bint is_full(self)
    cpdef double utilization(self) except -1
    cpdef int64_t unsent(self) except -1
    @cython.locals(place=int64_t)
    @cython.final
    cdef int64_t renamed(self, int64_t lpa) except -1
    @cython.locals(first=int64_t, last=int64_t, lpa=int64_t, name=int64_t, placed=int64_t, size=int64_t)
    cpdef write(self, Request request)
    @cython.final
    cdef bint stands_in_line(self, int64_t lpa) except -1
    @cython.final
    cdef bint update(self, Request request, int64_t lpa, object touched) except -1
    @cython.locals(entry=Entry)
    @cython.final
    cdef bint insert(self, Request request, int64_t lpa, object touched) except -1
    @cython.locals(wanted=int64_t)
    cpdef make_room(self)
    @cython.locals(entries=list, eviction=Eviction)
    @cython.final
    cdef bint evict(self, bint force, Request payer=*) except -1
    @cython.locals(group=WriteGroup)
    cdef send_together(self, list entries, int64_t collection, Eviction eviction)
    @cython.locals(group=WriteGroup, first=int64_t, lpa=int64_t)
    cdef send_super_page(self, Entry entry, Eviction eviction)
    @cython.locals(pages=list, entries=list)
    cpdef bint complete_row(self, int64_t die, int64_t page_limit) except -1
    @cython.locals(request=Request)
    @cython.final
    cdef send(self, Entry entry, WriteGroup group, Eviction eviction)
    @cython.locals(request=Request)
    cpdef Request ask(self, int op, object about)
    cpdef count(self, Eviction eviction, Request request)
    @cython.final
    cdef charge(self, Request parent, Request request)
    cpdef advance(self)
    cdef page_done(self, Request request, int64_t lpa)
    @cython.locals(entry=Entry, lpa=int64_t)
    cpdef start_with(self, list lpas)
    cpdef list unwritten(self)
    @cython.locals(entry=Entry)
    cpdef put_back(self, list entries)
    @cython.locals(first=int64_t, last=int64_t, lpa=int64_t, end=int64_t, size=int64_t, missing=list, part=Request)
    cpdef read(self, Request request)
    cpdef bint holds(self, Request request, int64_t lpa) except -1
    cpdef pass_on(self, Request request)
    @cython.locals(size=int64_t, first=int64_t, lpa=int64_t)
    cpdef forget(self, Request request)
