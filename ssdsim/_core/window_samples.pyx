"""Samples by window, of which the later one stays when two windows are merged."""

cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memmove

import numpy as np


cdef class Sampled:
    """Gives samples of `width` whole numbers: here of zeros, in a class derived from it of what it says."""

    def __init__(self, int64_t width):
        self.width = width

    cpdef int64_t read(self, int64_t[::1] row, int64_t first) except -1:
        """Write a sample to `row`, from `first` on, and return the place after it."""
        cdef int64_t at
        for at in range(first, first + self.width):
            row[at] = 0
        return first + self.width


@cython.final
cdef class WindowSamples:
    """Rows of `width` whole numbers, one for each window, from 0 on: one after another in `values`."""

    def __init__(self, int64_t width):
        self.width = width
        self.values = np.empty(1024 * width, np.int64)  # of which memory is taken as it is written to

    cpdef int64_t add(self) except -1:
        """Make room for the row of the next window, and return where in `values` it begins."""
        cdef int64_t first = self.count * self.width
        if first == self.values.shape[0]:
            self.values = np.concatenate((self.values, np.empty_like(self.values)))
        self.count += 1
        return first

    cpdef repeat(self, int64_t count):
        """Keep the last sample of all for so many more windows."""
        for _ in range(count):
            self.add()
            self.copy(self.count - 2, self.count - 1)

    cdef void copy(self, int64_t source, int64_t target) noexcept:
        cdef int64_t width = self.width
        memmove(&self.values[width * target], &self.values[width * source], width * sizeof(int64_t))

    cpdef halve(self):
        """Merge windows 2n and 2n + 1 into n."""
        cdef int64_t window, last = self.count - 1
        for window in range(self.count - self.count // 2):
            self.copy(min(2 * window + 1, last), window)
        self.count -= self.count // 2

    def rows(self) -> npt.NDArray[np.int64]:
        """Return all of them."""
        return np.array(self.values[: self.count * self.width]).reshape(self.count, self.width)
