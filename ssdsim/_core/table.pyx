"""Tables of page numbers: the mapping (LPA to PPA) and the spare area (PPA to LPA)."""

cimport cython

import numpy as np


@cython.final
cdef class IndexTable:
    """`size` page numbers below `limit`, or -1 for none, at 4 bytes an entry, 8 where `limit` needs them.

    Memory that was never written to is not touched, so an empty table of any size costs next to nothing.
    Positions are not checked: the caller owes 0 <= index < size.
    """

    def __cinit__(self, int64_t size, int64_t limit):
        self.size, self.limit = size, limit
        self.wide = limit >= 0xFFFFFFFF
        self.storage = np.zeros(max(size, 1), np.uint64 if self.wide else np.uint32)
        self.narrow = <uint32_t*>memory_of(self.storage)
        self.broad = <uint64_t*>self.narrow

    cpdef int64_t get(self, int64_t index) noexcept:
        """Return the entry at `index`, or -1."""
        return look_up(self, index)

    cpdef void set(self, int64_t index, int64_t value) noexcept:
        """Write `value`, or -1 for none, at `index`."""
        put(self, index, value)

    cpdef int64_t swap(self, int64_t index, int64_t value) noexcept:
        """Write `value` at `index` and return what stood there."""
        cdef int64_t old = look_up(self, index)
        put(self, index, value)
        return old

    cpdef void prefetch(self, int64_t index) noexcept:
        """Have the entry at `index` brought into the processor's cache, if the processor likes."""
        call_in(self, index)

    def to_numpy(self, int64_t first=0, last: int | None = None) -> np.ndarray:
        """Return a copy of the table, or of its entries from `first` to before `last`, as int64, -1 for none."""
        return self.storage[first : self.size if last is None else last].astype(np.int64) - 1

    def load(self, values: Sequence[int]):
        """Write all entries: `values`, or -1 for none."""
        self.storage[: self.size] = np.asarray(values) + 1
