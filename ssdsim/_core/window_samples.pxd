from libc.stdint cimport int64_t

cdef class WindowSamples:
    cdef int64_t[:, ::1] kept       # a row a window
    cdef readonly int64_t count     # of windows
    cpdef add(self, tuple state, list held_ns)
    cpdef repeat(self, int64_t count)
    cpdef halve(self)
    cdef int64_t *next(self) except NULL
    cdef void copy(self, int64_t source, int64_t target) noexcept
