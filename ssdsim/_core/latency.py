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
from ssdsim._core.linked_lists import doubled

SUBDIVISION: Final = 8  # bits: 256 bins to the octave, so a bin is at most 1/256 of its value wide
BINS: Final = 14336  # (63 - SUBDIVISION + 1) << SUBDIVISION, for 63 bits
COARSER: Final = 2  # bits: a window has a quarter of these bins
WINDOW_BINS: Final = 3584
OCTAVES: Final = 56  # of 64 bins of a window
BATCHES: Final = 32  # at which neighbours are joined
KINDS: Final = 4  # operations of a request
SUMS: Final = 4  # of a window and key: how many values, their sum, bytes, and the largest

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
    """Counts non-negative whole values: percentiles, exact while no more than `limit` are, and means of batches.

    The latest values, up to `limit`, are kept as they are, and counted when they make room or somebody asks.
    """

    latest: Int64s
    ranked: Any  # these by size, as they were when last asked for
    kept: int  # of these
    room: int  # for so many
    earlier: int  # values that are not kept any more
    counted: int  # values that the rest is of
    bins: Int64s  # counts, log-linear
    batch_size: int
    next_batch: int  # values before the next batch ends
    batch_ends: list[Any]  # count and sum at the end of each
    _sum: float
    _squares: float
    _largest: int

    def __init__(self, limit: int = EXACT) -> None:
        self.limit = limit
        self.latest = np.empty(1 << 10, np.int64)  # type: ignore[assignment]
        self.ranked = []
        self.room = min(limit, 1 << 10)
        self.kept = self.earlier = self.counted = 0
        self.bins = np.zeros(BINS, np.int64)  # type: ignore[assignment]
        self.batch_size = self.next_batch = 2 * limit // BATCHES
        self.batch_ends = []
        self._sum = self._squares = 0.0
        self._largest = 0

    def add(self, value: int) -> None:
        """Record one value."""
        if self.kept == self.room:
            self.make_room()
        self.latest[self.kept] = value
        self.kept += 1

    @cfunc
    def make_room(self) -> None:
        """Make room for as many values again, in the place of those that are kept once they are `limit`."""
        if self.room < self.limit:
            self.latest = doubled(self.latest)
            self.room = min(self.limit, len(self.latest))
        else:
            self.count_up()
            self.earlier = self.counted
            self.kept = 0

    @cfunc
    def count_up(self) -> None:
        """Count the values that are not counted yet, in the order in which they came."""
        value: int
        single: float
        for place in range(self.counted - self.earlier, self.kept):
            value = self.latest[place]
            single = float(value)
            if self.counted == self.next_batch:
                self.end_batch()
            self.counted += 1
            self.bins[bin_of(value)] += 1
            self._sum += single
            self._squares += single * single
            self._largest = max(self._largest, value)

    @cfunc
    def end_batch(self) -> None:
        """Record count and sum at the end of a batch; join batches in pairs if there are too many."""
        self.batch_ends.append((self.counted, self._sum))
        if len(self.batch_ends) == BATCHES:
            self.batch_ends = self.batch_ends[1::2]
            self.batch_size *= 2
        self.next_batch = self.counted + self.batch_size

    @property
    def count(self) -> int:
        """The number of values."""
        return self.earlier + self.kept

    @property
    def largest(self) -> int:
        """The largest value, 0 without values."""
        self.count_up()
        return self._largest

    @property
    def total(self) -> float:
        """The sum of all values."""
        self.count_up()
        return self._sum

    @property
    def mean(self) -> float:
        """The mean, 0 without values."""
        return self.total / max(self.count, 1)

    @property
    def std(self) -> float:
        """The standard deviation of the values (of the population), 0 without values."""
        mean = self.mean
        return float(np.sqrt(max(self._squares / max(self.count, 1) - mean**2, 0.0)))

    def percentiles(self, shares: Iterable[float]) -> list[int]:
        """Return the smallest value that each of `shares` (0 to 1) of the values does not exceed.

        Exact up to `limit` values; beyond, the upper edge of the bin, at most 0.4 percent too high.
        """
        ranks = [max(ceil(share * self.count) - 1, 0) for share in shares]
        if not self.count:
            return [0] * len(ranks)
        if not self.earlier:
            if len(self.ranked) != self.kept:
                self.ranked = np.sort(self.latest[: self.kept])  # in less time than `partition` takes for several
            return cast("list[int]", self.ranked[ranks].tolist())
        edges, counts = self.distribution()
        found = edges[np.searchsorted(np.cumsum(counts), np.add(ranks, 1))]
        return cast("list[int]", np.minimum(found, self.largest).tolist())

    def batch_means(self, wanted: int) -> np.ndarray:
        """Return the means of `wanted` to `2 * wanted - 1` batches.

        Batches have equally many values, in the order in which these came; what is left over is in none. Beyond `limit`
        values there are 16 to 31 batches to join, so that `wanted` can be up to 16.
        """
        if not self.earlier:
            size = self.count // wanted
            return np.asarray(self.latest)[: wanted * size].reshape(wanted, size).mean(axis=1)
        self.count_up()
        joined = len(self.batch_ends) // wanted
        counts, totals = np.array([(0, 0.0), *self.batch_ends[joined - 1 :: joined]]).T
        return np.diff(totals) / np.diff(counts)

    def distribution(self) -> tuple[np.ndarray, np.ndarray]:
        """Return (upper edges, counts) of the bins that hold values."""
        self.count_up()
        counts = np.asarray(self.bins)
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

    A cell is a bin of a key in a window: (window * keys + key) * WINDOW_BINS + bin. Those with values are listed.
    """

    window: int  # the one that values are counted in
    keys: int
    sums: Int64s  # by window and key: `SUMS` of them
    bins: Int32s  # counts of the current window, by key
    used: Uint64s  # a bitmap of these: which count anything
    octaves: int  # another: the octaves in which any does
    cells: Int64s  # of windows before, in order
    counts: Int64s  # of these
    listed: int  # cells

    def __init__(self, keys: int, windows: int) -> None:
        self.keys = keys
        self.window = self.listed = self.octaves = 0
        # of the last two enough for most runs: memory is taken as it is written to
        sizes = windows * keys * SUMS, keys * WINDOW_BINS, keys * OCTAVES, 1 << 16, 1 << 16
        memory: Any = tuple(map(np.zeros, sizes, ("i8", "i4", "u8", "i8", "i8")))
        self.sums, self.bins, self.used, self.cells, self.counts = memory

    def add(self, key: int, value: int, size: int) -> None:
        """Count one value, of something of so many bytes, in the current window."""
        first: int = (self.window * self.keys + key) * SUMS
        self.add_to_bin(key, bin_of(value) >> COARSER, 1)
        self.sums[first] += 1
        self.sums[first + 1] += value
        self.sums[first + 2] += size
        self.sums[first + 3] = max(self.sums[first + 3], value)

    @inline
    def add_to_bin(self, key: int, number: int, count: int) -> None:
        """Count values in a bin of the current window."""
        one: int = 1  # a literal is narrower
        self.bins[key * WINDOW_BINS + number] += count
        self.used[key * OCTAVES + (number >> 6)] |= one << (number & 63)
        self.octaves |= one << (number >> 6)

    def open(self, window: int) -> None:
        """Count in `window` from here on."""
        if window != self.window:
            self.list_cells()
            self.window = window

    @cfunc
    def list_cells(self) -> None:
        """List the cells of the current window, which is over."""
        first: int = self.window * self.keys * WINDOW_BINS
        place: int
        octaves: int
        for key in range(self.keys):
            octaves = self.octaves
            while octaves:
                octave = lowest_bit(octaves)
                octaves &= octaves - 1
                bits = self.used[key * OCTAVES + octave]
                self.used[key * OCTAVES + octave] = 0
                if self.listed + 64 > len(self.cells):
                    self.cells, self.counts = doubled(self.cells), doubled(self.counts)
                while bits:
                    place = key * WINDOW_BINS + (octave << 6) + lowest_bit(bits)
                    bits &= bits - 1
                    self.cells[self.listed] = first + place
                    self.counts[self.listed] = self.bins[place]
                    self.bins[place] = 0
                    self.listed += 1
        self.octaves = 0

    def halve(self) -> None:
        """Merge windows 2n and 2n + 1 into n, when nothing has been counted in the current one.

        Cells are merged in place: they become no more, and are written when they have been read.
        """
        width: int = self.keys * WINDOW_BINS
        cells: int = self.listed
        window: int = self.window // 2
        place: int
        self.listed = 0
        for cell in range(cells):
            self.open(self.cells[cell] // width // 2)
            place = self.cells[cell] % width
            self.add_to_bin(place // WINDOW_BINS, place % WINDOW_BINS, self.counts[cell])
        self.open(window)
        sums = np.array(self.sums).reshape(-1, 2, self.keys, SUMS)
        merged = sums[:, 0] + sums[:, 1]
        merged[:, :, -1] = np.maximum(sums[:, 0, :, -1], sums[:, 1, :, -1])
        np.asarray(self.sums)[:] = np.append(merged, np.zeros_like(merged))

    def records(self) -> np.ndarray:
        """Return a row for each window and key that has values: these, how many, their sum, bytes, and the largest."""
        sums = np.asarray(self.sums).reshape(-1, SUMS)
        rows = np.flatnonzero(sums[:, 0])
        return np.column_stack((rows // self.keys, rows % self.keys, sums[rows]))

    def percentiles(self, share: float) -> np.ndarray:
        """Return, for each record, the smallest value that so large a share of its values does not exceed.

        At most 1.6 percent too high, and not above the largest value.
        """
        self.list_cells()
        records = self.records()
        values = records[:, 2]
        ranks = np.cumsum(values) - values + np.maximum(np.ceil(values * share), 1).astype(np.int64)
        cells = np.searchsorted(np.cumsum(self.counts[: self.listed]), ranks)
        bins = np.asarray(self.cells)[cells] % WINDOW_BINS
        return np.minimum(upper_edges()[((bins + 1) << COARSER) - 1], records[:, 5])
