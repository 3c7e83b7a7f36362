from libc.stdint cimport int64_t

cdef class Sampled:
    cdef readonly int64_t width
    cpdef int64_t read(self, int64_t[::1] row, int64_t first) except -1

cdef class WindowSamples:
    cdef int64_t width
    cdef readonly int64_t[::1] values   # a row a window
    cdef readonly int64_t count         # of windows
    cpdef int64_t add(self) except -1
    cpdef repeat(self, int64_t count)
    cpdef halve(self)
    cdef void copy(self, int64_t source, int64_t target) noexcept
