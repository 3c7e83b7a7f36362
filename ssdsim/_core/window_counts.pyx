"""Distributions of values by key and window, such as response times in a time series, which merge exactly."""

cimport cython
from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset
from ssdsim._core.latency cimport BINS, COARSER, bin_of

import numpy as np

from ssdsim._core.latency import upper_edges

cdef extern from *:
    int __builtin_ctzll(unsigned long long word) noexcept nogil

cdef enum:
    COARSE_BINS = BINS >> COARSER
    OCTAVES = COARSE_BINS >> 6  # of 64 bins, a bit each
    COUNT = 0
    LARGEST = 3
    FIRST = 6           # columns of `closed`
    END = 7


@cython.final
cdef class WindowCounts:
    """Counts non-negative whole values by key, from 0, in one window after another; of each only the bins in use."""

    def __init__(self, int keys):
        self.keys = keys
        self.sums = np.zeros((keys, 4), np.int64)
        self.bins = np.zeros((keys, COARSE_BINS), np.int32)
        self.used = np.zeros((keys, OCTAVES), np.uint64)
        self.octaves = np.zeros(keys, np.uint64)
        # enough for most runs: memory is taken as it is written to
        self.closed = np.empty((1 << 12, END + 1), np.int64)
        self.entries = np.empty((1 << 16, 2), np.int32)

    cpdef void add(self, int key, int64_t value, int64_t size) noexcept:
        """Count one value, of something of so many bytes, in the current window."""
        cdef int64_t at = bin_of(value) >> COARSER
        cdef int32_t *bin = &self.bins[key, at]
        cdef int64_t *sums = &self.sums[key, 0]
        if bin[0] == 0:
            self.mark(key, at)
        bin[0] += 1
        sums[COUNT] += 1
        sums[1] += value
        sums[2] += size
        sums[LARGEST] = max(sums[LARGEST], value)

    cdef void mark(self, int key, int64_t at) noexcept:
        """Note that a bin is in use."""
        self.used[key, at >> 6] |= <uint64_t>1 << (at & 63)
        self.octaves[key] |= <uint64_t>1 << (at >> 6)

    cpdef close(self, int64_t window):
        """Keep the counts as those of `window`, and begin to count anew."""
        cdef int key
        for key in range(self.keys):
            if self.sums[key, COUNT]:
                self.write(window, key)

    cdef write(self, int64_t window, int key):
        cdef int64_t *sums = &self.sums[key, 0]
        if self.closed_count == self.closed.shape[0]:
            self.closed = np.concatenate((self.closed, np.empty_like(self.closed)))
        while self.entry_count + min(sums[COUNT], COARSE_BINS) > self.entries.shape[0]:
            self.entries = np.concatenate((self.entries, np.empty_like(self.entries)))
        cdef int64_t *row = &self.closed[self.closed_count, 0]
        row[0] = window
        row[1] = key
        memcpy(row + 2, sums, 4 * sizeof(int64_t))
        memset(sums, 0, 4 * sizeof(int64_t))
        row[FIRST] = self.entry_count
        self.write_bins(key)
        row[END] = self.entry_count
        self.closed_count += 1

    cdef void write_bins(self, int key) noexcept:
        """Write an entry for each bin in use, in their order, and clear them."""
        cdef int32_t *entry = &self.entries[self.entry_count, 0]
        cdef int32_t *bins = &self.bins[key, 0]
        cdef uint64_t *used = &self.used[key, 0]
        cdef uint64_t octaves = self.octaves[key], word
        cdef int octave, at
        while octaves:
            octave = __builtin_ctzll(octaves)
            octaves &= octaves - 1
            word = used[octave]
            used[octave] = 0
            while word:
                at = (octave << 6) + __builtin_ctzll(word)
                word &= word - 1
                entry[0] = at
                entry[1] = bins[at]
                bins[at] = 0
                entry += 2
        self.octaves[key] = 0
        self.entry_count = (entry - &self.entries[0, 0]) // 2

    cdef void load(self, int64_t row) noexcept:
        """Add the counts of a closed window to the current one."""
        cdef int64_t *closed = &self.closed[row, 0]
        cdef int key = <int>closed[1]
        cdef int64_t *sums = &self.sums[key, 0]
        cdef int64_t entry
        for entry in range(closed[FIRST], closed[END]):
            self.mark(key, self.entries[entry, 0])
            self.bins[key, self.entries[entry, 0]] += self.entries[entry, 1]
        for entry in range(LARGEST):
            sums[entry] += closed[2 + entry]
        sums[LARGEST] = max(sums[LARGEST], closed[2 + LARGEST])

    cpdef halve(self):
        """Merge windows 2n and 2n + 1 into n; called when nothing has been counted in the current one.

        In place: what is merged is no longer than what it is made of, and is written when that has been read.
        """
        cdef int64_t row, rows = self.closed_count, window = -1
        self.closed_count = self.entry_count = 0
        for row in range(rows):
            if self.closed[row, 0] // 2 != window:
                self.close(window)
                window = self.closed[row, 0] // 2
            self.load(row)
        self.close(window)

    def records(self) -> npt.NDArray[np.int64]:
        """Return a row for each window and key that has values: these, how many, their sum, bytes, and the largest."""
        return np.array(self.closed[: self.closed_count, :FIRST])

    def percentiles(self, shares: Sequence[float]) -> npt.NDArray[np.int64]:
        """Return, a row a record, the smallest value that each of `shares`, which ascend, of its values does not exceed.

        At most 1.6 percent too high, and not above the largest value.
        """
        cdef int64_t row, reached, entry, rank
        cdef Py_ssize_t column
        cdef const int64_t[::1] edges = upper_edges(BINS)
        cdef const double[::1] wanted = np.asarray(shares, float)
        found = np.empty((self.closed_count, len(shares)), np.int64)
        cdef int64_t[:, ::1] values = found
        for row in range(self.closed_count):
            entry = self.closed[row, FIRST]
            reached = self.entries[entry, 1]
            for column in range(wanted.shape[0]):
                rank = max(<int64_t>ceil(self.closed[row, 2] * wanted[column]), 1)
                while reached < rank:
                    entry += 1
                    reached += self.entries[entry, 1]
                values[row, column] = min(
                    edges[((self.entries[entry, 0] + 1) << COARSER) - 1], self.closed[row, 2 + LARGEST]
                )
        return found
