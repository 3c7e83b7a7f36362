from libc.stdint cimport int64_t

cdef class HostActivity:
    cdef object env
    cdef object listener        # the garbage collector
    cdef int64_t quiet_ns
    cdef int64_t under_way
    cdef int64_t spells         # of activity so far
    cpdef began(self)
    cpdef ended(self)
    cpdef wait(self)
