"""Latency percentiles in bounded memory: exact while the values fit, in log-linear bins beyond; also by batches."""

cimport cython
from libc.stdint cimport int64_t

import numpy as np

cdef enum:
    SUBDIVISION = 8         # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
    BATCHES = 32            # at which neighbours are joined

EXACT = 1 << 20
"""How many values are kept as they are."""

cdef extern from *:
    int __builtin_clzll(unsigned long long word) noexcept nogil


cdef inline int64_t bin_of(int64_t value) noexcept nogil:
    cdef int shift
    if value < 1 << SUBDIVISION:
        return value
    shift = 63 - __builtin_clzll(value) - SUBDIVISION
    return (<int64_t>(shift + 1) << SUBDIVISION) + (value >> shift) - (1 << SUBDIVISION)


def upper_edges(Py_ssize_t count):
    """Return the largest value that falls into each of the first `count` bins."""
    bins = np.arange(count, dtype=np.int64)
    octave = np.maximum((bins >> SUBDIVISION) - 1, 0)
    mantissa = np.where(bins < 1 << SUBDIVISION, bins, (bins & ((1 << SUBDIVISION) - 1)) + (1 << SUBDIVISION))
    return ((mantissa + 1) << octave) - 1


@cython.final
cdef class LatencyRecorder:
    """Counts non-negative whole values, such as response times in nanoseconds."""

    def __cinit__(self):
        self.exact = np.empty(1 << 10, np.int64)
        self.bins = np.zeros((64 - SUBDIVISION + 1) << SUBDIVISION, np.int64)
        self.next_batch = EXACT_LIMIT
        self.batch_ends = []

    cpdef void add(self, int64_t value) noexcept:
        """Record one value."""
        if self.count < EXACT_LIMIT:
            if self.count == self.exact.shape[0]:
                self.grow()
            self.exact[self.count] = value
        elif self.count == self.next_batch:
            self.end_batch()
        self.bins[bin_of(value)] += 1
        self.count += 1
        self.total += value
        self.squares += <double>value * value
        if value > self.largest:
            self.largest = value

    cdef void grow(self):
        larger = np.empty(2 * self.exact.shape[0], np.int64)
        larger[: self.count] = self.exact
        self.exact = larger

    cdef void end_batch(self):
        """Take note of count, sum and bins at the end of a batch; of two batches make one if there are too many."""
        cdef int64_t at
        cdef double total = 0
        cdef int64_t[::1] bins
        if not self.batch_ends:
            self.batch_size = 2 * EXACT_LIMIT // BATCHES
            bins = np.zeros_like(self.bins)
            for at in range(EXACT_LIMIT):
                total += self.exact[at]
                bins[bin_of(self.exact[at])] += 1
                if (at + 1) % self.batch_size == 0:
                    self.batch_ends.append((at + 1, total, np.trim_zeros(np.asarray(bins), "b").copy()))
        else:
            self.batch_ends.append((self.count, self.total, np.trim_zeros(np.asarray(self.bins), "b").copy()))
        if len(self.batch_ends) == BATCHES:
            self.batch_ends = self.batch_ends[1::2]
            self.batch_size *= 2
        self.next_batch = self.count + self.batch_size

    @property
    def mean(self):
        """The mean, 0 without values."""
        return self.total / self.count if self.count else 0.0

    @property
    def std(self):
        """The standard deviation of the values (of the population), 0 without values."""
        if not self.count:
            return 0.0
        return float(np.sqrt(max(self.squares / self.count - self.mean**2, 0.0)))

    def percentiles(self, shares):
        """Return the smallest value that each of `shares` (0 to 1) of the values does not exceed.

        Exact up to `EXACT` values; beyond, the upper edge of the bin, at most 0.4 percent too high.
        """
        if not self.count:
            return [0 for _ in shares]
        ranks = [max(int(np.ceil(share * self.count)) - 1, 0) for share in shares]
        if self.count <= EXACT_LIMIT:
            values = np.partition(self.exact[: self.count], ranks)
            return [int(values[rank]) for rank in ranks]
        reached = np.cumsum(self.bins)
        edges = upper_edges(len(self.bins))
        return [min(int(edges[np.searchsorted(reached, rank + 1)]), self.largest) for rank in ranks]

    def batches(self, wanted, shares):
        """Return a row for each of `wanted` to `2 * wanted - 1` batches: its mean, and its percentiles as above.

        Batches have equally many values, in the order in which these came; what is left over is in none. Beyond `EXACT`
        values there are 16 to 31 batches to join, so that `wanted` can be up to 16.
        """
        if self.count <= EXACT_LIMIT:
            size = self.count // wanted
            values = np.asarray(self.exact)[: wanted * size].reshape(wanted, size)
            ranks = [max(int(np.ceil(share * size)) - 1, 0) for share in shares]
            ranked = np.partition(values, ranks, axis=1) if ranks else values
            return np.column_stack([values.mean(axis=1), ranked[:, ranks]])
        joined = len(self.batch_ends) // wanted
        ends = [(0, 0.0, np.zeros(0, np.int64)), *self.batch_ends[joined - 1 :: joined]]
        rows = []
        for (count, total, bins), (last, sum_, reached) in zip(ends, ends[1:]):
            within = reached.copy()
            within[: len(bins)] -= bins
            summed, edges = np.cumsum(within), upper_edges(len(within))
            ranks = [max(int(np.ceil(share * (last - count))), 1) for share in shares]
            found = [edges[np.searchsorted(summed, rank)] for rank in ranks]
            rows.append([(sum_ - total) / (last - count), *found])
        return np.array(rows, dtype=float)

    def distribution(self):
        """Return (upper edges, counts) of the bins that hold values."""
        counts = np.asarray(self.bins)
        used = np.flatnonzero(counts)
        return upper_edges(len(counts))[used], counts[used]


cdef int64_t EXACT_LIMIT = EXACT
