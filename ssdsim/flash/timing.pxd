cimport cython
from libc.stdint cimport int64_t

@cython.final
cdef class FlashTiming:
    cdef readonly int types
    cdef int64_t[::1] array                 # by operation, then page type
    cdef int64_t[::1] command               # by operation
    cdef int64_t[::1] plane_busy            # by operation
    cdef readonly int[::1] page_type        # by page of a block
    cdef readonly double ns_per_byte
    cpdef int64_t array_ns(self, int op, int page_type) noexcept
    cdef int64_t command_ns(self, int op) noexcept
    cpdef int64_t plane_busy_ns(self, int op) noexcept
    cpdef int64_t transfer_ns(self, int64_t size_bytes) noexcept
