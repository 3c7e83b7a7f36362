from ssdsim.flash.port cimport Transaction
from ssdsim.ftl.hotness cimport Hotness

cdef class Separation:
    cdef public Hotness hotness
    cdef public object env
    cpdef int kind_of(self, Transaction write) except? -1

cdef class Separate(Separation):
    cpdef int kind_of(self, Transaction write) except? -1

cdef class Shared(Separation):
    cpdef int kind_of(self, Transaction write) except? -1

cdef class HotCold(Separation):
    cpdef int kind_of(self, Transaction write) except? -1
