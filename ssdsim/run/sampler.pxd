cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.buffer.write_buffer cimport WriteBuffer
from ssdsim.flash.counters cimport FlashCounters
from ssdsim.ftl.mapping.translation cimport TranslationPages
from ssdsim.ftl.page_type.specifier cimport PageTypeSpecifier
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.ftl.writes cimport PageWrites
from ssdsim.host.queue cimport HostQueue
from ssdsim.host.stream cimport Stream

@cython.final
cdef class Sampler:
    cdef object env                         # None where the run takes no simulated time
    cdef public HostQueue host              # None before requests are sent
    cdef PageWrites writes
    cdef Reclaimer collector
    cdef Blocks blocks
    cdef FlashCounters counters
    cdef TranslationPages translation       # or None, and so are
    cdef WriteBuffer buffer
    cdef PageTypeSpecifier page_types
    cdef object backup
    cdef tuple carried                      # what the counts of devices before this one add to its own
    cpdef follow(self, object device, object env)
    cpdef go_on(self, object device, object env, tuple carried)
    cpdef tuple sample(self)
    @cython.locals(now_ns=int64_t, pages=int64_t, backup_pages=int64_t)
    cpdef list of_device(self)
    cpdef int64_t extra_pages(self) noexcept
    @cython.locals(counters=FlashCounters)
    cdef tuple host_operations(self)
    @cython.locals(stream=Stream, waiting=int64_t)
    cpdef int64_t backlog(self)
