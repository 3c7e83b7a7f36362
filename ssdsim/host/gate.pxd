from ssdsim.stage cimport Stage

cdef class Gate(Stage):
    cdef readonly Stage front
    cdef object env
    cdef readonly object line           # requests that wait, oldest first
    cdef readonly int holders           # of them, so many
    cpdef bind(self, object env)
    cpdef hold(self)
    cpdef let_go(self)
    cpdef open(self)
