cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.kernel cimport Routine
from ssdsim.flash.controller cimport FlashController
from ssdsim.flash.die cimport Die
from ssdsim.flash.transaction cimport Transaction

cdef enum:
    IDLE
    COMMAND
    ARRAY
    DATA_OUT

@cython.final
cdef class DieProcess(Routine):
    cdef object env
    cdef FlashController controller
    cdef Die die
    cdef list idle              # whom to tell of an idle die (`ssdsim.flash.observer`)
    cdef int breaths            # events that are let pass before what ends in an instant is followed up
    cdef int breaths_left
    cdef readonly int phase
    cdef Transaction page       # whose data is on the bus, behind the first of a program in several planes
    @cython.locals(die=Die, phase_ns=int64_t)
    cdef object look_for_work(self, bint holds_bus)
    @cython.locals(page=Transaction)
    cdef object command_sent(self)
    @cython.locals(transaction=Transaction)
    cpdef object array_done(self)
    @cython.locals(transaction=Transaction)
    cdef object data_moved(self)
    cdef object ask_for_bus(self)
