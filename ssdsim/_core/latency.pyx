"""Distributions of response times in bounded memory: of a run, of its streams, and of the windows of its time series."""

cimport cython
from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

cdef enum:
    BATCHES = 32            # at which neighbours are joined
    OPERATIONS = 4          # of a request
    WINDOW_BINS = BINS >> COARSER
    OCTAVES = WINDOW_BINS >> 6      # of 64 bins, a bit each
    COUNT = 0           # columns of `closed`, from the third on
    LARGEST = 3
    FIRST = 6
    END = 7

EXACT = 1 << 20
"""How many values are kept as they are, unless said otherwise."""


def upper_edges() -> np.ndarray:
    """Return the largest value that falls into each bin."""
    bins = np.arange(BINS, dtype=np.int64)
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
    """Counts non-negative whole values: percentiles, exact while no more than `limit` are, and means of batches."""

    def __init__(self, int64_t limit=EXACT):
        self.limit = limit
        self.exact = np.empty(1 << 10, np.int64)
        self.room = min(limit, 1 << 10)
        self.bins = np.zeros(BINS, np.int64)
        self.next_batch = limit
        self.batch_ends = []

    cpdef void add(self, int64_t value) noexcept:
        """Record one value."""
        record(self, value)

    cdef void grow(self) noexcept:
        self.exact = np.concatenate((self.exact, np.empty_like(self.exact)))
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
        if not self.batch_ends:
            self.add_up()
            self.count_exact(self.bins)
            self.batch_size = 2 * self.limit // BATCHES
            totals = np.cumsum(self.exact[: self.limit], dtype=float)[self.batch_size - 1 :: self.batch_size]
            self.batch_ends = list(zip(range(self.batch_size, self.limit + 1, self.batch_size), totals.tolist()))
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
            return self.ranked[ranks].tolist()
        reached = np.cumsum(self.bins)
        found = upper_edges()[np.searchsorted(reached, np.add(ranks, 1))]
        return np.minimum(found, self.largest).tolist()

    def batch_means(self, wanted: int) -> np.ndarray:
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

    def distribution(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (upper edges, counts) of the bins that hold values."""
        counts = np.asarray(self.bins)
        if self.count <= self.limit:
            counts = np.zeros(BINS, np.int64)
            self.count_exact(counts)
        used = np.flatnonzero(counts)
        return upper_edges()[used], counts[used]


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


@cython.final
cdef class WindowCounts:
    """Counts non-negative whole values by key, from 0, in one window after another, which merge exactly.

    Of each closed window only the bins in use are kept.
    """

    def __init__(self, int keys):
        self.keys = keys
        self.sums = np.zeros((keys, 4), np.int64)
        self.bins = np.zeros((keys, WINDOW_BINS), np.int32)
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
        while self.entry_count + min(sums[COUNT], WINDOW_BINS) > self.entries.shape[0]:
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

    def records(self) -> np.ndarray:
        """Return a row for each window and key that has values: these, how many, their sum, bytes, and the largest."""
        return np.array(self.closed[: self.closed_count, :FIRST])

    def percentiles(self, double share) -> np.ndarray:
        """Return, for each record, the smallest value that so large a share of its values does not exceed.

        At most 1.6 percent too high, and not above the largest value.
        """
        cdef int64_t row, entry, left
        cdef int64_t[::1] bins = np.empty(self.closed_count, np.int64)
        for row in range(self.closed_count):
            entry, left = self.closed[row, FIRST], max(<int64_t>ceil(self.closed[row, 2 + COUNT] * share), 1)
            while left > self.entries[entry, 1]:
                left -= self.entries[entry, 1]
                entry += 1
            bins[row] = self.entries[entry, 0]
        found = upper_edges()[((np.asarray(bins) + 1) << COARSER) - 1]
        return np.minimum(found, self.closed[: self.closed_count, 2 + LARGEST])
