cimport cython

from ssdsim.host.stream cimport Stream

cdef class Arbitration:
    cdef public list streams
    cdef public int last
    cpdef bind(self, list streams)
    cpdef Stream choose(self)

cdef class RoundRobin(Arbitration):
    cdef Stream only            # where there is one, else None
    @cython.locals(at=Py_ssize_t, stream=Stream)
    cpdef Stream choose(self)

cdef class Weighted(Arbitration):
    cdef int credit
    @cython.locals(count=int, step=int, at=int, stream=Stream)
    cpdef Stream choose(self)
