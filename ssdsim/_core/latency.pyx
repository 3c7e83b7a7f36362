"""Latency percentiles in bounded memory: exact while the values fit, in log-linear bins beyond; also means of batches."""

cimport cython
from libc.stdint cimport int64_t

import numpy as np

cdef enum:
    BATCHES = 32            # at which neighbours are joined
    OPERATIONS = 4          # of a request

EXACT = 1 << 20
"""How many values are kept as they are, unless said otherwise."""


def upper_edges(Py_ssize_t count) -> npt.NDArray[np.int64]:
    """Return the largest value that falls into each of the first `count` bins."""
    bins = np.arange(count, dtype=np.int64)
    octave = np.maximum((bins >> SUBDIVISION) - 1, 0)
    mantissa = np.where(bins < 1 << SUBDIVISION, bins, (bins & ((1 << SUBDIVISION) - 1)) + (1 << SUBDIVISION))
    return ((mantissa + 1) << octave) - 1


cdef inline void record(LatencyRecorder self, int64_t value) noexcept:
    """Record one value: `LatencyRecorder.add`, for callers whose own work is as short."""
    if self.count == self.room and self.count < self.limit:
        self.grow()
    if self.count < self.room:  # what it adds to the sums is known when they are asked for
        self.exact[self.count] = value
    else:
        self.count_in(value)
    self.count += 1


@cython.final
cdef class LatencyRecorder:
    """Counts non-negative whole values, such as response times in nanoseconds; keeps up to `limit` as they are."""

    def __init__(self, int64_t limit=EXACT):
        self.limit = limit
        self.make_room(1 << 10)
        self.bins = np.zeros(BINS, np.int64)
        self.next_batch = limit
        self.batch_ends = []

    cdef make_room(self, int64_t size):
        self.exact = np.empty(size, np.int64)
        self.room = min(self.limit, size)

    cpdef void add(self, int64_t value) noexcept:
        """Record one value."""
        record(self, value)

    cdef void grow(self) noexcept:
        larger = np.empty(2 * self.exact.shape[0], np.int64)
        larger[: self.count] = self.exact
        self.exact = larger
        self.room = min(self.limit, self.exact.shape[0])

    cdef void count_in(self, int64_t value) noexcept:
        """Record one value more than are kept."""
        if self.count == self.next_batch:  # the first is of those that are kept
            self.end_batch()
        self.bins[bin_of(value)] += 1
        self.sum += value
        self.squares += <double>value * value
        self.maximum = max(self.maximum, value)

    cdef void add_up(self) noexcept:
        """Bring the sums up to the values that are kept, in the order in which they came."""
        cdef int64_t at, value
        for at in range(self.summed, min(self.count, self.limit)):
            value = self.exact[at]
            self.sum += value
            self.squares += <double>value * value
            self.maximum = max(self.maximum, value)
        self.summed = min(self.count, self.limit)

    cdef void end_batch(self) noexcept:
        """Record count and sum at the end of a batch; join batches in pairs if there are too many."""
        cdef int64_t at
        cdef double total = 0
        if not self.batch_ends:
            self.add_up()
            self.count_exact(self.bins)
            self.batch_size = 2 * self.limit // BATCHES
            for at in range(self.limit):
                total += self.exact[at]
                if (at + 1) % self.batch_size == 0:
                    self.batch_ends.append((at + 1, total))
        else:
            self.batch_ends.append((self.count, self.sum))
        if len(self.batch_ends) == BATCHES:
            self.batch_ends = self.batch_ends[1::2]
            self.batch_size *= 2
        self.next_batch = self.count + self.batch_size

    cdef void count_exact(self, int64_t[::1] bins) noexcept:
        """Count the values that are kept in `bins`."""
        cdef int64_t at
        for at in range(min(self.count, self.limit)):
            bins[bin_of(self.exact[at])] += 1

    @property
    def largest(self) -> int:
        """The largest value, 0 without values."""
        self.add_up()
        return self.maximum

    @property
    def total(self) -> float:
        """The sum of all values."""
        self.add_up()
        return self.sum

    @property
    def mean(self) -> float:
        """The mean, 0 without values."""
        return self.total / self.count if self.count else 0.0

    @property
    def std(self) -> float:
        """The standard deviation of the values (of the population), 0 without values."""
        if not self.count:
            return 0.0
        self.add_up()
        return float(np.sqrt(max(self.squares / self.count - self.mean**2, 0.0)))

    def percentiles(self, shares: Iterable[float]) -> list[int]:
        """Return the smallest value that each of `shares` (0 to 1) of the values does not exceed.

        Exact up to `limit` values; beyond, the upper edge of the bin, at most 0.4 percent too high.
        """
        if not self.count:
            return [0 for _ in shares]
        ranks = [max(int(np.ceil(share * self.count)) - 1, 0) for share in shares]
        if self.count <= self.limit:
            if self.ranked is None or len(self.ranked) != self.count:
                self.ranked = np.sort(self.exact[: self.count])   # in less time than `partition` takes for several
            return [int(self.ranked[rank]) for rank in ranks]
        reached = np.cumsum(self.bins)
        edges = upper_edges(len(self.bins))
        return [min(int(edges[np.searchsorted(reached, rank + 1)]), self.largest) for rank in ranks]

    def batch_means(self, wanted: int) -> npt.NDArray[np.float64]:
        """Return the means of `wanted` to `2 * wanted - 1` batches.

        Batches have equally many values, in the order in which these came; what is left over is in none. Beyond `limit`
        values there are 16 to 31 batches to join, so that `wanted` can be up to 16.
        """
        if self.count <= self.limit:
            size = self.count // wanted
            return np.asarray(self.exact)[: wanted * size].reshape(wanted, size).mean(axis=1)
        joined = len(self.batch_ends) // wanted
        counts, totals = np.array([(0, 0.0), *self.batch_ends[joined - 1 :: joined]]).T
        return np.diff(totals) / np.diff(counts)

    def distribution(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return (upper edges, counts) of the bins that hold values."""
        counts = np.asarray(self.bins)
        if self.count <= self.limit:
            counts = np.zeros(BINS, np.int64)
            self.count_exact(counts)
        used = np.flatnonzero(counts)
        return upper_edges(len(counts))[used], counts[used]


@cython.final
cdef class LatencyGroups:
    """Response times, and the bytes of their requests, by group and operation, both numbered from 0.

    What no request fell into takes no memory; each of the others keeps `limit` values as they are.
    """

    def __init__(self, int64_t groups, int64_t limit):
        self.recorders = [None] * (OPERATIONS * groups)
        self.bytes = np.zeros(OPERATIONS * groups, np.int64)
        self.limit = limit

    cpdef int add(self, int64_t group, int op, int64_t value, int64_t size) except -1:
        """Count in a request of `op` and so many bytes that took `value`."""
        cdef int64_t at = OPERATIONS * group + op
        cdef LatencyRecorder recorder = <LatencyRecorder>self.recorders[at]
        if recorder is None:
            recorder = self.recorders[at] = LatencyRecorder(self.limit)
        record(recorder, value)
        self.bytes[at] += size
        return 0

    def of(self, int64_t group, int op) -> tuple[LatencyRecorder | None, int]:
        """Return the distribution of response times, None without requests, and the bytes of `op` in a group."""
        return self.recorders[OPERATIONS * group + op], self.bytes[OPERATIONS * group + op]
