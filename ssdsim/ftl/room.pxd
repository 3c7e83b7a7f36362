cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.blocks cimport Blocks
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation
from ssdsim.ftl.reclaim.interface cimport Reclaimer
from ssdsim.stage cimport Stage

cdef class Placer(Stage):
    cpdef int64_t page_of(self, object waiting) except -2
    cpdef place_waiting(self, object waiting, int64_t plane)
    cpdef dispatch(self, object waiting, int64_t plane)

@cython.final
cdef class WriteRoom:
    cdef Blocks blocks
    cdef readonly PlaneAllocation plane_allocation
    cdef readonly bint keeps_plane      # a write has to go to the plane that it was allocated
    cdef readonly WriteFrontier frontier
    cdef readonly Reclaimer collector
    cdef readonly int span              # planes of a unit
    cdef readonly list waiting          # by unit, and last for any: what waits for room, oldest first
    cdef readonly bint at_dispatch      # a write waits until a die is free for it
    cdef readonly list lines            # by what the plane allocation tells apart: what waits for that, oldest first
    cdef Placer placer
    cpdef bind(self, Placer placer)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(plane=int64_t)
    cpdef int64_t ask(self, int64_t lpa) except -2
    cpdef int64_t plane_with_room(self, int64_t plane, int64_t lpa) except -2
    cpdef int64_t find(self, object write, int64_t plane) except -2
    cpdef wait(self, object write, int64_t plane)
    @cython.locals(unit=int64_t)
    cdef ask_for_room(self, int64_t plane)
    @cython.locals(plane=int64_t, target=int64_t)
    cpdef space_freed(self, int64_t unit)
    @cython.locals(number=int64_t)
    cdef line_for(self, int64_t lpa)
    cpdef idle(self, object die)
    @cython.locals(lpa=int64_t, plane=int64_t, target=int64_t)
    cpdef go_on(self)
    @cython.locals(plane=int64_t, target=int64_t)
    cpdef int64_t now(self, int64_t lpa) except -2
