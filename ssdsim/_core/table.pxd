from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef class IndexTable:
    cdef readonly int64_t size, limit
    cdef readonly bint wide     # 8 bytes an entry instead of 4
    cdef object storage         # the NumPy array that owns the memory
    cdef uint32_t* narrow       # value + 1, so that 0, what fresh memory holds, means none
    cdef uint64_t* broad
    cpdef int64_t get(self, int64_t index) noexcept
    cpdef void set(self, int64_t index, int64_t value) noexcept
    cpdef void prefetch(self, int64_t index) noexcept
    cpdef int64_t swap(self, int64_t index, int64_t value) noexcept

cdef extern from *:
    void __builtin_prefetch(const void* address) noexcept nogil

cdef inline int64_t look_up(IndexTable table, int64_t index) noexcept:
    """`table.get(index)`, for where millions are read at a time."""
    return (<int64_t>table.broad[index] if table.wide else <int64_t>table.narrow[index]) - 1

cdef inline void put(IndexTable table, int64_t index, int64_t value) noexcept:
    """`table.set(index, value)`, for where millions are set at a time."""
    if table.wide:
        table.broad[index] = <uint64_t>(value + 1)
    else:
        table.narrow[index] = <uint32_t>(value + 1)

cdef inline void call_in(IndexTable table, int64_t index) noexcept:
    """`table.prefetch(index)`, likewise."""
    __builtin_prefetch(<void*>(table.broad + index) if table.wide else <void*>(table.narrow + index))


cdef inline void* memory_of(array) except NULL:
    """Return the memory of a NumPy array, which has to be kept for as long as that is used."""
    cdef unsigned char[::1] memory = array.reshape(-1).view("u1")
    return &memory[0]
