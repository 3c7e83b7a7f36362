from libc.stdint cimport int64_t

cpdef int64_t content_word(int64_t lpa, int64_t version) noexcept
