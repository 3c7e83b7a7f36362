# cython: noexcept
"""Distributions of response times in bounded memory: of a run, of its streams, and of windows of its time series."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any, Final, cast, final

import numpy as np

from ssdsim._core.bits import highest_bit, lowest_bit
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.columns import Int32s, Int64s, Uint64s

SUBDIVISION: Final = 8  # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
BINS: Final = 14592  # (64 - SUBDIVISION + 1) << SUBDIVISION
COARSER: Final = 2  # bits: a window has a quarter of these bins
WINDOW_BINS: Final = 3648
OCTAVES: Final = 57  # of 64 bins of a window, a bit each
BATCHES: Final = 32  # at which neighbours are joined
KINDS: Final = 4  # operations of a request

SUMS: Final = 4  # of a window and key: how many values, their sum, bytes, and the largest
WIDTH: Final = 8  # of a row that is kept: window, key, those sums, and where its entries begin and end

EXACT = 1 << 20
"""How many values are kept as they are, unless said otherwise."""


def upper_edges() -> np.ndarray:
    """Return the largest value that falls into each bin."""
    bins = np.arange(BINS, dtype=np.int64)
    octave = np.maximum((bins >> SUBDIVISION) - 1, 0)
    mantissa = np.where(bins < 1 << SUBDIVISION, bins, (bins & ((1 << SUBDIVISION) - 1)) + (1 << SUBDIVISION))
    return ((mantissa + 1) << octave) - 1


@inline
def bin_of(value: int) -> int:
    """Return the bin that a value falls into."""
    shift: int = highest_bit(value | 1 << SUBDIVISION) - SUBDIVISION  # 0 for the smallest
    return (shift << SUBDIVISION) + (value >> shift)


@final
class LatencyRecorder:
    """Counts non-negative whole values: percentiles, exact while no more than `limit` are, and means of batches."""

    exact: Int64s  # the first values themselves
    room: int  # of them, for so many
    ranked: Any  # an array of them by size, as it was when last asked for
    bins: Int64s  # counts, log-linear, of all values once some are not kept
    next_batch: int  # values before the next batch ends, once the values are no more kept
    batch_size: int
    batch_ends: list[Any]  # count and sum at the end of each
    summed: int  # values that the sums, and the largest, are of: all once some are not kept
    _sum: float
    _squares: float
    _largest: int

    def __init__(self, limit: int = EXACT) -> None:
        self.count = 0
        self.limit = limit
        self.exact = np.empty(1 << 10, np.int64)  # type: ignore[assignment]
        self.room = min(limit, 1 << 10)
        self.bins = np.zeros(BINS, np.int64)  # type: ignore[assignment]
        self.next_batch = limit
        self.batch_ends = []

    def add(self, value: int) -> None:
        """Record one value."""
        if self.count == self.room and self.count < self.limit:
            self.grow()
        if self.count < self.room:  # what it adds to the sums is known when they are asked for
            self.exact[self.count] = value
        else:
            self.count_in(value)
        self.count += 1

    @cfunc
    def grow(self) -> None:
        """Make room for twice as many values."""
        self.exact = np.concatenate((self.exact, np.empty_like(self.exact)))  # type: ignore[assignment]
        self.room = min(self.limit, len(self.exact))

    @cfunc
    def count_in(self, value: int) -> None:
        """Record one value more than are kept."""
        if self.count == self.next_batch:  # the first is of those that are kept
            self.end_batch()
        self.bins[bin_of(value)] += 1
        self.add_to_sums(value)

    @cfunc
    def add_to_sums(self, value: int) -> None:
        """Add a value to the sums."""
        single: float = value
        self._sum += value
        self._squares += single * value
        self._largest = max(self._largest, value)

    @cfunc
    def add_up(self) -> None:
        """Bring the sums up to the values that are kept, in the order in which they came."""
        kept: int = min(self.count, self.limit)
        for at in range(self.summed, kept):
            self.add_to_sums(self.exact[at])
        self.summed = max(self.summed, kept)

    @cfunc
    def end_batch(self) -> None:
        """Record count and sum at the end of a batch; join batches in pairs if there are too many."""
        if not self.batch_ends:
            self.add_up()
            self.count_exact(self.bins)
            self.batch_size = 2 * self.limit // BATCHES
            totals = np.cumsum(self.exact[: self.limit], dtype=float)[self.batch_size - 1 :: self.batch_size]
            self.batch_ends = list(
                zip(range(self.batch_size, self.limit + 1, self.batch_size), totals.tolist(), strict=True)
            )
        else:
            self.batch_ends.append((self.count, self._sum))
        if len(self.batch_ends) == BATCHES:
            self.batch_ends = self.batch_ends[1::2]
            self.batch_size *= 2
        self.next_batch = self.count + self.batch_size

    @cfunc
    def count_exact(self, bins: Int64s) -> None:
        """Count the values that are kept in `bins`."""
        for at in range(min(self.count, self.limit)):
            bins[bin_of(self.exact[at])] += 1

    @property
    def largest(self) -> int:
        """The largest value, 0 without values."""
        self.add_up()
        return self._largest

    @property
    def total(self) -> float:
        """The sum of all values."""
        self.add_up()
        return self._sum

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
        return float(np.sqrt(max(self._squares / self.count - self.mean**2, 0.0)))

    def percentiles(self, shares: Iterable[float]) -> list[int]:
        """Return the smallest value that each of `shares` (0 to 1) of the values does not exceed.

        Exact up to `limit` values; beyond, the upper edge of the bin, at most 0.4 percent too high.
        """
        ranks = [max(ceil(share * self.count) - 1, 0) for share in shares]
        if not self.count:
            return [0] * len(ranks)
        if self.count <= self.limit:
            if self.ranked is None or len(self.ranked) != self.count:
                self.ranked = np.sort(self.exact[: self.count])  # in less time than `partition` takes for several
            return cast("list[int]", self.ranked[ranks].tolist())
        found = upper_edges()[np.searchsorted(np.cumsum(self.bins), np.add(ranks, 1))]
        return cast("list[int]", np.minimum(found, self.largest).tolist())

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
        counts: Any = np.asarray(self.bins)
        if self.count <= self.limit:
            counts = np.zeros(BINS, np.int64)
            self.count_exact(counts)
        used = np.flatnonzero(counts)
        return upper_edges()[used], counts[used]


@final
class LatencyGroups:
    """Response times, and the bytes of their requests, by group and operation, both numbered from 0.

    What no request fell into takes no memory; each of the others keeps `limit` values as they are.
    """

    recorders: list[Any]  # by group, then operation: a `LatencyRecorder`, or None
    bytes: Int64s  # likewise

    def __init__(self, groups: int, limit: int) -> None:
        self.recorders = [None] * (KINDS * groups)
        self.bytes = np.zeros(KINDS * groups, np.int64)  # type: ignore[assignment]
        self.limit = limit

    def add(self, group: int, op: int, value: int, size: int) -> None:
        """Count in a request of `op` and so many bytes that took `value`."""
        at: int = KINDS * group + op
        recorder: LatencyRecorder = cast(LatencyRecorder, self.recorders[at])
        if recorder is None:
            recorder = self.recorders[at] = LatencyRecorder(self.limit)
        recorder.add(value)
        self.bytes[at] += size

    def of(self, group: int, op: int) -> tuple[LatencyRecorder | None, int]:
        """Return the distribution of response times, None without requests, and the bytes of `op` in a group."""
        return self.recorders[KINDS * group + op], self.bytes[KINDS * group + op]


@final
class WindowCounts:
    """Counts non-negative whole values by key, from 0, in one window after another, which merge exactly.

    Of each closed window only the bins in use are kept.
    """

    keys: int
    sums: Int64s  # by key, of the current window: `SUMS` of them
    bins: Int32s  # likewise: counts
    used: Uint64s  # likewise: which bins count something, a bit each, by octave
    octaves: Uint64s  # likewise: of which octaves any does
    closed: Int64s  # rows of `WIDTH`
    entry_bins: Int32s  # of what is closed
    entry_counts: Int32s
    closed_count: int
    entry_count: int

    def __init__(self, keys: int) -> None:
        self.keys = keys
        self.closed_count = self.entry_count = 0
        # of the last three enough for most runs: memory is taken as it is written to
        sizes = keys * SUMS, keys * WINDOW_BINS, keys * OCTAVES, keys, WIDTH << 12, 1 << 16, 1 << 16
        memory: Any = tuple(map(np.zeros, sizes, ("i8", "i4", "u8", "u8", "i8", "i4", "i4")))
        self.sums, self.bins, self.used, self.octaves, self.closed, self.entry_bins, self.entry_counts = memory

    def add(self, key: int, value: int, size: int) -> None:
        """Count one value, of something of so many bytes, in the current window."""
        at: int = bin_of(value) >> COARSER
        first: int = key * SUMS
        if self.bins[key * WINDOW_BINS + at] == 0:
            self.mark(key, at)
        self.bins[key * WINDOW_BINS + at] += 1
        self.sums[first] += 1
        self.sums[first + 1] += value
        self.sums[first + 2] += size
        self.sums[first + 3] = max(self.sums[first + 3], value)

    @cfunc
    def mark(self, key: int, at: int) -> None:
        """Note that a bin is in use."""
        one: int = 1  # a literal is narrower
        self.used[key * OCTAVES + (at >> 6)] |= one << (at & 63)
        self.octaves[key] |= one << (at >> 6)

    def close(self, window: int) -> None:
        """Keep the counts as those of `window`, and begin to count anew."""
        for key in range(self.keys):
            if self.sums[key * SUMS]:
                self.write(window, key)

    @cfunc
    def write(self, window: int, key: int) -> None:
        """Keep the counts of a key: its sums, and an entry for each bin in use, in their order."""
        if WIDTH * (self.closed_count + 1) > len(self.closed):
            self.closed = np.concatenate((self.closed, np.empty_like(self.closed)))  # type: ignore[assignment]
        while self.entry_count + min(self.sums[key * SUMS], WINDOW_BINS) > len(self.entry_bins):
            self.entry_bins = np.concatenate((self.entry_bins, self.entry_bins))  # type: ignore[assignment]
            self.entry_counts = np.concatenate((self.entry_counts, self.entry_counts))  # type: ignore[assignment]
        row: int = WIDTH * self.closed_count
        self.closed[row] = window
        self.closed[row + 1] = key
        for each in range(SUMS):
            self.closed[row + 2 + each] = self.sums[key * SUMS + each]
            self.sums[key * SUMS + each] = 0
        self.closed[row + 6] = self.entry_count
        entry: int = self.entry_count
        at: int
        octaves = self.octaves[key]
        self.octaves[key] = 0
        while octaves:
            octave = lowest_bit(octaves)
            octaves &= octaves - 1
            word = self.used[key * OCTAVES + octave]
            self.used[key * OCTAVES + octave] = 0
            while word:
                at = (octave << 6) + lowest_bit(word)
                word &= word - 1
                self.entry_bins[entry] = at
                self.entry_counts[entry] = self.bins[key * WINDOW_BINS + at]
                self.bins[key * WINDOW_BINS + at] = 0
                entry += 1
        self.entry_count = self.closed[row + 7] = entry
        self.closed_count += 1

    @cfunc
    def load(self, row: int) -> None:
        """Add the counts of a closed window to the current one."""
        key: int = self.closed[row + 1]
        first: int = key * SUMS
        for entry in range(self.closed[row + 6], self.closed[row + 7]):
            self.mark(key, self.entry_bins[entry])
            self.bins[key * WINDOW_BINS + self.entry_bins[entry]] += self.entry_counts[entry]
        for each in range(3):
            self.sums[first + each] += self.closed[row + 2 + each]
        self.sums[first + 3] = max(self.sums[first + 3], self.closed[row + 5])

    def halve(self) -> None:
        """Merge windows 2n and 2n + 1 into n; called when nothing has been counted in the current one.

        In place: what is merged is no longer than what it is made of, and is written when that has been read.
        """
        rows: int = self.closed_count
        window: int = -1
        self.closed_count = self.entry_count = 0
        for row in range(rows):
            if self.closed[WIDTH * row] // 2 != window:
                self.close(window)
                window = self.closed[WIDTH * row] // 2
            self.load(WIDTH * row)
        self.close(window)

    def records(self) -> np.ndarray:
        """Return a row for each window and key that has values: these, how many, their sum, bytes, and the largest."""
        return np.array(self.closed[: WIDTH * self.closed_count]).reshape(-1, WIDTH)[:, :6]

    def percentiles(self, share: float) -> np.ndarray:
        """Return, for each record, the smallest value that so large a share of its values does not exceed.

        At most 1.6 percent too high, and not above the largest value.
        """
        bins: Int64s = np.empty(self.closed_count, np.int64)  # type: ignore[assignment]
        entry: int
        left: int
        for row in range(self.closed_count):
            entry = self.closed[WIDTH * row + 6]
            left = max(ceil(self.closed[WIDTH * row + 2] * share), 1)
            while left > self.entry_counts[entry]:
                left -= self.entry_counts[entry]
                entry += 1
            bins[row] = self.entry_bins[entry]
        found = upper_edges()[((np.asarray(bins) + 1) << COARSER) - 1]
        return np.minimum(found, self.records()[:, 5])
