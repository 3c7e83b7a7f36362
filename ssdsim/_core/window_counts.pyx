"""Distributions of values by key and window, such as response times in a time series, which merge exactly."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memset
from ssdsim._core.latency cimport BINS, COARSER, bin_of

import numpy as np

from ssdsim._core.latency import upper_edges

cdef enum:
    COARSE_BINS = BINS >> COARSER
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
        self.used = np.empty((keys, COARSE_BINS), np.int32)
        self.used_count = np.zeros(keys, np.int32)
        self.closed = np.empty((64, END + 1), np.int64)
        self.entries = np.empty((1024, 2), np.int32)

    def __getstate__(self):
        """What is in the current window, and what was closed."""
        current = np.asarray(self.sums), np.asarray(self.bins), np.asarray(self.used), np.asarray(self.used_count)
        closed = np.array(self.closed[: self.closed_count]), np.array(self.entries[: self.entry_count])
        return self.keys, *current, *closed

    def __setstate__(self, state):
        """Have counted what another one had."""
        self.keys, self.sums, self.bins, self.used, self.used_count, closed, entries = state
        self.closed_count, self.entry_count = len(closed), len(entries)
        self.closed = np.concatenate((closed, np.empty((64, END + 1), np.int64)))
        self.entries = np.concatenate((entries, np.empty((1024, 2), np.int32)))

    cpdef void add(self, int key, int64_t value, int64_t size) noexcept:
        """Count one value, of something of so many bytes, in the current window."""
        cdef int32_t at = <int32_t>(bin_of(value) >> COARSER)
        cdef int32_t *bin = &self.bins[key, at]
        cdef int64_t *sums = &self.sums[key, 0]
        if bin[0] == 0:
            self.used[key, self.used_count[key]] = at
            self.used_count[key] += 1
        bin[0] += 1
        sums[COUNT] += 1
        sums[1] += value
        sums[2] += size
        sums[LARGEST] = max(sums[LARGEST], value)

    cpdef close(self, int64_t window):
        """Keep the counts as those of `window`, and begin to count anew."""
        cdef int key
        for key in range(self.keys):
            if self.sums[key, COUNT]:
                self.write(window, key)

    cdef write(self, int64_t window, int key):
        cdef int32_t place, count = self.used_count[key]
        if self.closed_count == self.closed.shape[0]:
            self.closed = np.concatenate((self.closed, np.empty_like(self.closed)))
        while self.entry_count + count > self.entries.shape[0]:
            self.entries = np.concatenate((self.entries, np.empty_like(self.entries)))
        cdef int64_t *row = &self.closed[self.closed_count, 0]
        cdef int32_t *entry = &self.entries[self.entry_count, 0]
        cdef int32_t *used = &self.used[key, 0]
        cdef int32_t *bins = &self.bins[key, 0]
        row[0] = window
        row[1] = key
        memcpy(row + 2, &self.sums[key, 0], 4 * sizeof(int64_t))
        row[FIRST] = self.entry_count
        for place in range(count):
            entry[2 * place] = used[place]
            entry[2 * place + 1] = bins[used[place]]
        self.entry_count += count
        row[END] = self.entry_count
        self.closed_count += 1
        self.clear(key)

    cdef void clear(self, int key) noexcept:
        cdef int32_t *used = &self.used[key, 0]
        cdef int32_t *bins = &self.bins[key, 0]
        cdef int32_t place
        for place in range(self.used_count[key]):
            bins[used[place]] = 0
        self.used_count[key] = 0
        memset(&self.sums[key, 0], 0, 4 * sizeof(int64_t))

    cdef void load(self, int64_t row) noexcept:
        """Add the counts of a closed window to the current one."""
        cdef int64_t *closed = &self.closed[row, 0]
        cdef int key = <int>closed[1]
        cdef int64_t *sums = &self.sums[key, 0]
        cdef int32_t *used = &self.used[key, 0]
        cdef int32_t *bins = &self.bins[key, 0]
        cdef int32_t *entries = &self.entries[0, 0]
        cdef int32_t count = self.used_count[key]
        cdef int64_t entry
        cdef int32_t at
        for entry in range(closed[FIRST], closed[END]):
            at = entries[2 * entry]
            if bins[at] == 0:
                used[count] = at
                count += 1
            bins[at] += entries[2 * entry + 1]
        self.used_count[key] = count
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

        At most 1.6 percent too high, and not above the largest value. Called when the current window is closed.
        """
        cdef int64_t row, reached, entry
        cdef int32_t at
        cdef Py_ssize_t column
        cdef int key
        cdef const int64_t[::1] edges = upper_edges(BINS)
        counts = np.asarray(self.closed[: self.closed_count, 2])
        cdef const int64_t[:, ::1] ranks = np.maximum(
            np.ceil(np.multiply.outer(counts, np.asarray(shares, float))), 1
        ).astype(np.int64)
        found = np.empty((self.closed_count, len(shares)), np.int64)
        cdef int64_t[:, ::1] values = found
        for row in range(self.closed_count):
            self.load(row)
            key = <int>self.closed[row, 1]
            at = COARSE_BINS
            for entry in range(self.closed[row, FIRST], self.closed[row, END]):
                at = min(at, self.entries[entry, 0])
            reached = self.bins[key, at]
            for column in range(ranks.shape[1]):
                while reached < ranks[row, column]:
                    at += 1
                    reached += self.bins[key, at]
                values[row, column] = min(edges[((at + 1) << COARSER) - 1], self.sums[key, LARGEST])
            self.clear(key)
        return found
