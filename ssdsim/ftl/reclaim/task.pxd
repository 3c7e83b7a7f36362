from libc.stdint cimport int64_t

cdef class Task:                        # what is asked most comes first: it shares a cache line
    cdef readonly int64_t number        # of the unit
    cdef public bint idle               # nothing is under way
    cdef public bint background         # the present one is done only while the host is quiet
    cdef public bint erasing            # all moves are done
    cdef public bint urgent             # it has the turns of the host's writes
    cdef public int64_t moving          # moves, and later erases, under way
    cdef public bint critical           # urgent, and it has those of the host's reads
    cdef public bint called             # it is to begin at the end of this instant
    cdef public bint invited            # to go along with another one
    cdef readonly int width             # planes that it takes blocks of
    cdef readonly int64_t plane         # the first of them
    cdef readonly list dies             # none before flash has timing
    cdef object env, begin
    cpdef bind(self, object env, list dies, object begin)
    cpdef call(self)
    cpdef answer(self, object event)
    cpdef bint may_be_called(self) except -1
