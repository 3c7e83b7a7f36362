cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.die cimport Die
from ssdsim.flash.scheduler cimport SchedulingPolicy
from ssdsim.flash.transaction cimport Transaction

cdef class BusArbiter:
    cdef public list dies
    cdef public SchedulingPolicy policy
    cpdef bind(self, list dies, SchedulingPolicy policy)
    cpdef ask(self, Die die)
    cpdef Die choose(self)

@cython.final
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

cdef class DataOutFirst(BusArbiter):
    cdef DieLine ready
    cdef int starting       # dies that ask to start
    cdef int next           # the die that is tried first
    cpdef ask(self, Die die)
    @cython.locals(die=Die)
    cpdef Die choose(self)

cdef class CommandFirst(BusArbiter):
    @cython.locals(die=Die, transaction=Transaction)
    cpdef bint is_array_ending(self) except -1
    cpdef ask(self, Die die)
    @cython.locals(die=Die, chosen=Die)
    cpdef Die choose(self)
    @cython.locals(die=Die, oldest=Die, transaction=Transaction, sequence=int64_t)
    cpdef Die with_oldest_read(self)
