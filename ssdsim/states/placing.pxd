cimport cython
from libc.stdint cimport int64_t

from ssdsim._core.table cimport IndexTable
from ssdsim.ftl.frontier.interface cimport WriteFrontier
from ssdsim.ftl.room cimport WriteRoom

cdef int AHEAD

cdef class Room(WriteFrontier):
    cdef int64_t[::1] left          # by place: the pages that it still takes
    cdef int64_t together           # planes of a place
    cpdef bint has_room(self, int64_t plane) except -1
    @cython.locals(place=IndexTable, i=int64_t, number=int64_t, first=int64_t, plane=int64_t, spare_place=int64_t)
    cpdef IndexTable place_all(self, WriteRoom write_room, IndexTable order)
    cdef put(self, IndexTable place, int64_t number, int64_t index)
