cimport cython
from libc.stdint cimport int64_t

cpdef enum:
    SIZE_CLASSES = 7

@cython.locals(number=int, limit=int64_t)
cpdef int size_class(int64_t size_bytes) noexcept
