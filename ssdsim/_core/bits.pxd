"""What processors do by themselves: the lowest bit of a word, and bringing an entry into their cache."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from *:
    int __builtin_clzll(unsigned long long word) noexcept nogil
    int __builtin_ctzll(unsigned long long word) noexcept nogil
    void __builtin_prefetch(const void* address) noexcept nogil


cdef inline int64_t lowest_bit(uint64_t word) noexcept:
    """Return the place of the lowest bit of a word that is set; there has to be one."""
    return __builtin_ctzll(word)


cdef inline void fetch(const uint32_t[::1] entries, int64_t index) noexcept:
    """Bring an entry into the cache."""
    __builtin_prefetch(&entries[index])


cdef inline int64_t highest_bit(uint64_t word) noexcept:
    """Return the place of the highest bit of a word that is set; there has to be one."""
    return 63 - __builtin_clzll(word)
