cimport cython
from libc.stdint cimport int64_t

from ssdsim.buffer.write_buffer cimport WriteBuffer
from ssdsim.host.request cimport Request
from ssdsim.stage cimport Stage

cdef class BufferSearch(Stage):
    cdef WriteBuffer buffer
    cdef readonly double search_ns      # for each page in it
    cdef object env
    cdef readonly object line           # requests, the one being searched for first
    cpdef bind(self, object env)
    @cython.locals(request=Request, pages=int64_t, size=int64_t)
    cpdef search(self)
    cdef searched(self, object event)
