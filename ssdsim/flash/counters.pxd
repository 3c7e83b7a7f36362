cimport cython
from libc.stdint cimport int64_t

cdef enum:
    SINGLE, MIXED, UNALIGNED, PARALLEL      # the order of `CASES`

@cython.final
cdef class FlashCounters:
    cdef int64_t[::1] operations                # by operation, then source
    cdef readonly int64_t[::1] multi_plane      # by operation: those done by multi-plane commands
    cdef readonly int64_t[::1] host_multi_plane # of these, those of the host
    cdef readonly int64_t[::1] cases            # by case: pages of the host's programs
    cdef readonly int64_t[::1] plane_busy_ns
    cdef readonly int64_t[::1] writes_by_plane      # pages programmed or copied to there, for whomever
    cdef readonly int64_t[::1] host_writes_by_plane # of these, those of the host
    cdef readonly int64_t[::1] erases_by_plane
    cdef readonly int64_t transactions
    cdef readonly int64_t[::1] gc_array_ns      # by operation: array time of commands with a page for collection
    cdef readonly int64_t gc_transfer_ns
    cdef public bint by_page                    # whether each page of the host is an eviction of its own
    cdef public int planes_opened               # by each read, those of a die; 0: the one that is wanted
    cdef readonly int64_t host_writes, blocked_writes, evictions
    cdef readonly double host_write_ns, blocked_write_ns
    cdef readonly int64_t planes_at_work        # summed over the evictions
    cdef public int64_t most_planes_at_work     # the largest of these; whoever measures starts it anew at 0
    cdef int64_t at_work, at_work_before, instant_ns    # now, and before the instant in which it changed last
    cpdef int64_t count(self, int op, int source) noexcept
    cpdef void add(self, int op, int source, int64_t plane, int64_t array_ns, bint joined) noexcept
    @cython.locals(first=int64_t, each=int64_t)
    cdef void add_opened(self, int64_t plane, int64_t array_ns) noexcept
    cpdef void add_collection(self, int op, int64_t array_ns, int64_t transfer_ns) noexcept
    cdef void set_to_work(self, int64_t planes, int64_t now_ns) noexcept
    cpdef void host_page_done(self, int64_t write_ns, bint blocked) noexcept
    @cython.locals(at_work=int64_t)
    cpdef void eviction_done(self, int64_t now_ns) noexcept
