cimport cython

from ssdsim.flash.die cimport Die

cdef class BusArbiter:
    cpdef ask(self, Die die)
    cpdef Die choose(self)

cdef class DieLine:
    cdef Die head, tail
    cdef append(self, Die die)
    @cython.locals(die=Die)
    cdef Die pop(self)

cdef class FirstComeFirstServed(BusArbiter):
    cdef DieLine line
    cpdef ask(self, Die die)
    cpdef Die choose(self)

cdef class StartsFirst(BusArbiter):
    cdef DieLine starts, ready
    cpdef ask(self, Die die)
    @cython.locals(die=Die)
    cpdef Die choose(self)
