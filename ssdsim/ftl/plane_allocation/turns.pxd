cimport cython
from libc.stdint cimport int64_t

from ssdsim.flash.port cimport Die, FlashController
from ssdsim.ftl.frontier.roles cimport Rows
from ssdsim.ftl.plane_allocation.interface cimport PlaneAllocation

cdef int CHANNEL, CHIP, DIE, PLANE
cdef int ANY, FREE_DIE, FREE

cdef class RoundRobinPlaneAllocation(PlaneAllocation):
    cdef int64_t[::1] stripe
    cdef int64_t last               # place in the stripe of the last write
    cdef int64_t planes_per_die
    cdef list dies                  # of the back end, or None
    cpdef connect(self, list dies, list controllers)
    @cython.locals(plane=int64_t, _=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(die=Die)
    cdef bint is_free(self, int64_t plane) except -1

cdef class DynamicPlaneAllocation(PlaneAllocation):
    cdef list dies, controllers             # of the back end, or None
    cdef int64_t chips, dies_per_chip, planes_per_die
    cdef int64_t[::1] children              # by level: how many the node above has
    cdef int64_t[::1] dies_below            # by level: dies of one node
    cdef int64_t[::1] turns_from            # by level: where in `turns` those of the nodes above stand
    cdef int64_t[::1] turns                 # the child that is tried first
    cpdef connect(self, list dies, list controllers)
    @cython.locals(level=int, node=int64_t, child=int64_t, freedom=int)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    @cython.locals(count=int64_t, place=int64_t, turn=int64_t, child=int64_t, _=int64_t)
    cdef int64_t next_in_turn(self, int level, int64_t parent, int freedom) except -2
    @cython.locals(watched=bint, index=int64_t, controller=FlashController)
    cdef bint can_take(self, int level, int64_t node, int freedom) except -1
    @cython.locals(die=Die)
    cdef bint is_idle(self, int64_t index) except -1
    cdef bint may_go_to(self, int64_t die) except -1
    @cython.locals(plane=int64_t)
    cdef bint has_room_from(self, int64_t die, int64_t offset) except -1

cdef class DieByPage(DynamicPlaneAllocation):
    cdef int64_t wanted                     # the die within its chip, or -1 for any
    @cython.locals(plane=int64_t)
    cpdef int64_t plane_for(self, int64_t lpa) except -2
    cpdef int64_t line_of(self, int64_t lpa) except -1
    @cython.locals(channel=int64_t)
    cdef bint has_room_where_wanted(self) except -1
    @cython.locals(die=Die)
    cdef bint is_idle(self, int64_t index) except -1
    cdef bint may_go_to(self, int64_t die) except -1

cdef class PlanesBeforeDies(DynamicPlaneAllocation):
    cdef bint by_row                        # whether the planes of a die are filled in rows, moved pages among them
    @cython.locals(die=Die, in_round=bint)
    cdef bint is_idle(self, int64_t index) except -1
    @cython.locals(held=int64_t)
    cdef bint may_go_to(self, int64_t die) except -1
    @cython.locals(turn=int64_t, last=int64_t, offset=int64_t)
    cdef int64_t in_round(self, int64_t chip) except -2
    @cython.locals(rows=Rows)
    cdef int64_t begun(self, int64_t die) except -1
