cimport cython

from ssdsim.flash.die cimport Die

cdef class BusArbiter:
    cpdef ask(self, Die die)
    cpdef Die choose(self)

cdef class FirstComeFirstServed(BusArbiter):
    cdef Die head, tail
    cpdef ask(self, Die die)
    @cython.locals(die=Die)
    cpdef Die choose(self)
