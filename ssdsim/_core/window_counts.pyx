"""Distributions of values by key over a short time, such as response times in a window, to be merged exactly."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from ssdsim._core.latency cimport BINS, bin_of

import numpy as np

from ssdsim._core.latency import upper_edges

cdef enum:
    COARSER = 2         # bits: 64 bins to the octave, a quarter of those of `LatencyRecorder`

EDGES = upper_edges(BINS)[(1 << COARSER) - 1 :: 1 << COARSER]
"""The largest value that falls into each bin."""


@cython.final
cdef class WindowCounts:
    """Counts non-negative whole values by key, from 0, until they are taken."""

    def __cinit__(self, int keys):
        self.keys = keys
        self.sums = np.zeros((keys, 4), np.int64)
        self.bins = np.zeros((keys, BINS >> COARSER), np.int32)
        self.used = np.empty((keys, BINS >> COARSER), np.int32)
        self.used_count = np.zeros(keys, np.int32)

    cpdef void add(self, int key, int64_t value, int64_t size) noexcept:
        """Count one value, of something of so many bytes."""
        cdef int32_t at = <int32_t>(bin_of(value) >> COARSER)
        if self.bins[key, at] == 0:
            self.used[key, self.used_count[key]] = at
            self.used_count[key] += 1
        self.bins[key, at] += 1
        self.sums[key, 0] += 1
        self.sums[key, 1] += value
        self.sums[key, 2] += size
        if value > self.sums[key, 3]:
            self.sums[key, 3] = value

    def take(self):
        """Return what was counted since the last time, by key: sums as above, and the bins with their counts."""
        taken = {}
        for key in range(self.keys):
            if self.sums[key, 0] == 0:
                continue
            used = np.sort(np.asarray(self.used[key, : self.used_count[key]]))
            counts = np.asarray(self.bins[key])
            taken[key] = (*np.asarray(self.sums[key]).tolist(), used, counts[used])
            counts[used] = 0
            self.used_count[key] = 0
            self.sums[key, :] = 0
        return taken


def merged(one, other):
    """Return what would have been counted had two of what was taken been one."""
    bins, inverse = np.unique(np.concatenate((one[4], other[4])), return_inverse=True)
    counts = np.bincount(inverse, np.concatenate((one[5], other[5]))).astype(np.int32)
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2], max(one[3], other[3]), bins, counts)


def percentiles(counted, shares):
    """Return the smallest value that each of `shares` of the values does not exceed, at most 1.6 percent too high."""
    ranks = [max(int(np.ceil(share * counted[0])), 1) for share in shares]
    found = EDGES[counted[4][np.searchsorted(np.cumsum(counted[5]), ranks)]]
    return np.minimum(found, counted[3]).tolist()
