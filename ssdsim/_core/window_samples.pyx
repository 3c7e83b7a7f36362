"""Samples by window, of which the later one stays when two windows are merged."""

cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memmove

import numpy as np


@cython.final
cdef class WindowSamples:
    """Rows of equally many whole numbers, one for each window, from 0 on."""

    def __getstate__(self):
        """The rows."""
        return (self.rows(),)

    def __setstate__(self, state):
        """Have the rows of another one."""
        (rows,) = state
        self.count = len(rows)
        self.kept = np.concatenate((rows, np.empty((64, rows.shape[1]), np.int64)))

    cpdef add(self, tuple state, list held_ns):
        """Keep the sample of the next window; OverflowError for a number that does not fit 64 bits."""
        cdef Py_ssize_t at, states = len(state)
        cdef int64_t *row
        if not self.count:
            self.kept = np.empty((64, states + len(held_ns)), np.int64)
        row = self.next()
        for at in range(states):
            row[at] = state[at]
        for at in range(len(held_ns)):
            row[states + at] = held_ns[at]

    cpdef repeat(self, int64_t count):
        """Keep the last sample of all for so many more windows."""
        for _ in range(count):
            self.next()
            self.copy(self.count - 2, self.count - 1)

    cdef int64_t *next(self) except NULL:
        """Return the next row."""
        if self.count == self.kept.shape[0]:
            self.kept = np.concatenate((self.kept, np.empty_like(self.kept)))
        self.count += 1
        return &self.kept[self.count - 1, 0]

    cdef void copy(self, int64_t source, int64_t target) noexcept:
        memmove(&self.kept[target, 0], &self.kept[source, 0], self.kept.shape[1] * sizeof(int64_t))

    cpdef halve(self):
        """Merge windows 2n and 2n + 1 into n."""
        cdef int64_t window, last = self.count - 1
        for window in range(self.count - self.count // 2):
            self.copy(min(2 * window + 1, last), window)
        self.count -= self.count // 2

    def rows(self) -> npt.NDArray[np.int64]:
        """Return all of them."""
        return np.array(self.kept[: self.count]) if self.count else np.empty((0, 0), np.int64)
