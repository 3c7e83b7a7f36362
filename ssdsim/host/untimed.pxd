cimport cython
from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request
from ssdsim.ftl.layer cimport FlashTranslationLayer

cdef int LOOKAHEAD

cdef class UntimedReplay:
    cdef FlashTranslationLayer layer
    cdef int64_t page_bytes
    cdef object oracle
    cdef Request request                            # the one at hand
    cdef readonly int64_t[::1] writes_by_type       # by the slowest page type that they were given
    cdef readonly int64_t[::1] counts, bytes        # by operation
    cdef readonly int64_t page_reads
    cdef const unsigned char[::1] ops, hint
    cdef const int64_t[::1] offsets, sizes
    @cython.locals(row=int64_t, op=int, size=int64_t)
    cdef run_rows(self, int64_t rows)
    @cython.locals(end=int64_t, lpa=int64_t, whole=cython.bint)
    cpdef replay(self, int op, int64_t offset, int64_t size)
