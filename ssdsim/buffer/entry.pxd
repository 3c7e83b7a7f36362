from libc.stdint cimport int64_t

from ssdsim.host.request cimport Request

cdef class Entry:
    cdef public int64_t lpa
    cdef public object touched              # a bit for each 512 bytes
    cdef public object data                 # of the parts that were written, where integrity is checked; else None
    cdef public int stream, access_latency  # of the last write
    cdef public bint evicting
    cdef public Eviction eviction

cdef class Eviction:
    cdef readonly Request payer
    cdef public int64_t left
