# cython: noexcept
"""Distributions of response times in bounded memory: of a run, of its streams, and of windows of its time series."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any, Final, cast, final

import numpy as np

from ssdsim._core.bits import highest_bit
from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s

SUBDIVISION: Final = 8  # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
BINS: Final = 14336  # (63 - SUBDIVISION + 1) << SUBDIVISION
COARSER: Final = 2  # bits: a window has a quarter of these bins
BATCHES: Final = 32  # at which neighbours are joined
KINDS: Final = 4  # operations of a request
SUMS: Final = 4  # of a window and operation: how many values, their sum, bytes, and the largest
COUNT_BITS: Final = 32  # the lowest of an entry
BIN_BITS: Final = 12  # those above, and then 2 of the operation, and those of the window
WINDOW_AT: Final = 46

EXACT = 1 << 20  # how many values are kept as they are, unless said otherwise
COUNT = 0xFFFFFFFF  # the bits of an entry that are its count
ENTRIES = 1 << 17  # how many more entries there is room for, at least


def upper_edges() -> np.ndarray:
    """Return the largest value that falls into each bin."""
    bins = np.arange(BINS, dtype=np.int64)
    octave = np.maximum((bins >> SUBDIVISION) - 1, 0)
    mantissa = np.where(bins < 1 << SUBDIVISION, bins, (bins & ((1 << SUBDIVISION) - 1)) + (1 << SUBDIVISION))
    return ((mantissa + 1) << octave) - 1


@cfunc
def bin_of(value: int) -> int:
    """Return the bin that a value falls into."""
    shift: int = highest_bit(value | 1 << SUBDIVISION) - SUBDIVISION  # 0 for the smallest
    return (shift << SUBDIVISION) + (value >> shift)


@final
class LatencyRecorder:
    """Counts non-negative whole values: percentiles, exact while no more than `limit` are, and means of batches."""

    exact: Int64s  # the first values themselves
    ranked: Any  # an array of them by size, as it was when last asked for
    bins: Int64s  # counts, log-linear, of all values once some are not kept
    next_batch: int  # values before the next batch ends, once the values are no more kept
    batch_size: int
    batch_ends: list[Any]  # count and sum at the end of each
    total: float  # the sum of all values
    squares: float  # the sum of their squares
    largest: int  # 0 without values
    bytes: int  # of the requests whose values these are

    def __init__(self, limit: int = EXACT) -> None:
        self.count = 0
        self.limit = limit
        # of both memory is taken as it is written to
        self.exact = np.empty(limit, np.int64)  # type: ignore[assignment]
        self.bins = np.zeros(BINS, np.int64)  # type: ignore[assignment]
        self.next_batch = limit
        self.batch_ends = []

    def add(self, value: int, size_bytes: int = 0) -> None:
        """Record one value, of a request of so many bytes."""
        single: float = value
        if self.count < self.limit:
            self.exact[self.count] = value
        else:
            if self.count == self.next_batch:  # the first is of those that are kept
                self.end_batch()
            self.bins[bin_of(value)] += 1
        self.count += 1
        self.bytes += size_bytes
        self.total += single
        self.squares += single * single
        self.largest = max(self.largest, value)

    @cfunc
    def end_batch(self) -> None:
        """Record count and sum at the end of a batch; join batches in pairs if there are too many."""
        if not self.batch_ends:
            self.count_exact(self.bins)
            self.batch_size = 2 * self.limit // BATCHES
            totals = np.cumsum(self.exact, dtype=float)[self.batch_size - 1 :: self.batch_size]
            self.batch_ends = list(
                zip(range(self.batch_size, self.limit + 1, self.batch_size), totals.tolist(), strict=True)
            )
        else:
            self.batch_ends.append((self.count, self.total))
        if len(self.batch_ends) == BATCHES:
            self.batch_ends = self.batch_ends[1::2]
            self.batch_size *= 2
        self.next_batch = self.count + self.batch_size

    @cfunc
    def count_exact(self, bins: Int64s) -> None:
        """Count the values that are kept in `bins`."""
        for number in range(min(self.count, self.limit)):
            bins[bin_of(self.exact[number])] += 1

    @property
    def mean(self) -> float:
        """The mean, 0 without values."""
        return self.total / self.count if self.count else 0.0

    @property
    def std(self) -> float:
        """The standard deviation of the values (of the population), 0 without values."""
        return float(np.sqrt(max(self.squares / self.count - self.mean**2, 0.0))) if self.count else 0.0

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
        counts: Any = np.array(self.bins)
        if self.count <= self.limit:
            self.count_exact(counts)
        used = np.flatnonzero(counts)
        return upper_edges()[used], counts[used]


@final
class WindowCounts:
    """Counts non-negative whole values by window, of which so many are, and operation; neighbours merge exactly.

    An entry says how many values are in a bin of a window and operation. There may be several for one, until they are
    joined: first there is one for each value.
    """

    sums: Int64s  # by window and operation: `SUMS` of them
    entries: Int64s  # of window, operation, bin and count, from the highest bits down
    used: int  # entries

    def __init__(self, windows: int) -> None:
        self.sums = np.zeros(windows * KINDS * SUMS, np.int64)  # type: ignore[assignment]
        self.entries = np.empty(ENTRIES, np.int64)  # type: ignore[assignment]
        self.used = 0

    def add(self, window: int, op: int, value: int, size: int) -> None:
        """Count one value, of a request of `op` and so many bytes."""
        row: int = KINDS * window + op
        first: int = SUMS * row
        if self.used == len(self.entries):
            self.join()
        self.entries[self.used] = (row << BIN_BITS | bin_of(value) >> COARSER) << COUNT_BITS | 1
        self.used += 1
        self.sums[first] += 1
        self.sums[first + 1] += value
        self.sums[first + 2] += size
        self.sums[first + 3] = max(self.sums[first + 3], value)

    def join(self) -> None:
        """Make one entry of those for the same bin, put them in order, and have room for as many more."""
        entries: Int64s = np.sort(self.entries[: self.used])  # type: ignore[assignment]
        mask: int = COUNT  # for C
        last: int = -1
        for number in range(self.used):
            if last >= 0 and entries[number] >> COUNT_BITS == entries[last] >> COUNT_BITS:
                entries[last] += entries[number] & mask
            else:
                last += 1
                entries[last] = entries[number]
        self.used = last + 1
        room = np.empty(max(self.used, ENTRIES), np.int64)
        self.entries = np.concatenate((entries[: self.used], room))  # type: ignore[assignment]

    def halve(self) -> None:
        """Merge windows 2n and 2n + 1, of an even number, into n."""
        pairs = np.asarray(self.sums).reshape(-1, 2, KINDS, SUMS)
        merged = pairs[:, 0] + pairs[:, 1]
        np.maximum(pairs[:, 0, :, 3], pairs[:, 1, :, 3], out=merged[:, :, 3])
        self.sums = np.append(merged, np.zeros_like(merged))  # type: ignore[assignment]
        entries = np.asarray(self.entries)[: self.used]
        entries -= ((entries >> WINDOW_AT) + 1 >> 1) << WINDOW_AT

    def records(self) -> np.ndarray:
        """Return a row for each window and operation that has values: these and its sums, in the order of `SUMS`."""
        sums = np.asarray(self.sums).reshape(-1, SUMS)
        rows = np.flatnonzero(sums[:, 0])
        return np.column_stack([*np.divmod(rows, KINDS), sums[rows]])

    def percentiles(self, share: float) -> np.ndarray:
        """Return, for each record, the smallest value that so large a share of its values does not exceed.

        At most 1.6 percent too high, and not above the largest value.
        """
        self.join()
        records, entries = self.records(), np.asarray(self.entries)[: self.used]
        counts = records[:, 2]
        ranks = np.cumsum(counts) - counts + np.maximum(np.ceil(counts * share), 1)  # among the values of all records
        found = entries[np.searchsorted(np.cumsum(entries & COUNT), ranks)]
        bins = (found >> COUNT_BITS) % (1 << BIN_BITS)
        return np.minimum(upper_edges()[((bins + 1) << COARSER) - 1], records[:, 5])
