"""From rows as they stand in a file to arrivals in order: a clock that never goes back nor jumps."""

from collections.abc import Iterable, Iterator

import attrs
import numpy as np

from ssdsim.workload.records import Records, RowError

SORT_WINDOW = 1 << 17
"""Rows that may stand between a row and its place in order of time."""

Stage = Iterator[Records]
"""Blocks of records, none of them empty, whose times a stage may change."""

MOST_AT_A_TICK = 1 << 22
"""Rows of one time that are spread over a tick; more are taken for damage, as all of them are held."""

MOST_GAP_NS = 30 * 86_400 * 10**9
"""The longest time between two rows, thirty days: a longer one is a jump of the clock."""

FARTHEST_NS = (1 << 62) - 1
"""Times lie within this of the first row's, so that the difference of any two fits 64 bits."""


def descents(times: np.ndarray, last: int) -> int:
    """Return how many times are earlier than their predecessor, the first one's being `last`."""
    return int(times[0] < last) + int(np.count_nonzero(times[1:] < times[:-1]))


def sort(blocks: Iterable[Records], window: int = SORT_WINDOW) -> Stage:
    """Sort by time, rows of one time staying as they were; hold at most two windows of rows and a block.

    A row that is more than `window` rows after its place may be refused with a `RowError`.
    """
    held: Records | None = None
    done = -FARTHEST_NS
    for block in blocks:
        held = block if held is None else Records.joined([held, block])
        # two windows: the earlier one has its rows once the later one is sorted in
        if len(held) >= 2 * window:
            held, cut = _sorted(held, done), len(held) - window
            done = int(held.arrival_ns[cut - 1])
            yield held[:cut]
            held = held[cut:]
    if held is not None:
        yield _sorted(held, done)


def _sorted(records: Records, done: int) -> Records:
    """Return records in order of time, of which none may be earlier than `done`."""
    if descents(records.arrival_ns, done):
        records = records[np.argsort(records.arrival_ns, kind="stable")]
        if records.arrival_ns[0] < done:
            reason = "it is earlier than rows too far before it to be sorted in bounded memory"
            raise RowError(records.row[0], reason, "sort the file by time")
    return records


def spread(blocks: Iterable[Records], tick_ns: int) -> Stage:
    """Spread the requests of each tick evenly over it; blocks are in order, and rows of the last tick are held.

    Raise a `RowError` for the first row of too many at one tick.
    """
    held: Records | None = None
    for block in blocks:
        whole = block if held is None else Records.joined([held, block])
        cut = int(np.searchsorted(whole.arrival_ns, whole.arrival_ns[-1]))
        if cut:
            yield _spread(whole[:cut], tick_ns)
        held = whole[cut:]
        if len(held) > MOST_AT_A_TICK:
            reason = f"more than {MOST_AT_A_TICK} rows have its time"
            raise RowError(held.row[0], reason, "set workload.device or .limit, or workload.time_unit")
    if held is not None:
        yield _spread(held, tick_ns)


def _spread(records: Records, tick_ns: int) -> Records:
    times = records.arrival_ns
    _, start, group, count = np.unique(times, return_index=True, return_inverse=True, return_counts=True)
    place = np.arange(len(records)) - start[group]
    # in whole ns, evenly from the tick's start
    return attrs.evolve(records, arrival_ns=times + place * tick_ns // count[group])


class SteadyClock:
    """Times from the first row on, in order, with gaps longer than `max_gap_ns` shortened to nothing."""

    def __init__(self, max_gap_ns: int = MOST_GAP_NS) -> None:
        self._max_gap_ns = max_gap_ns
        self.jumps = 0
        self.span_ns = 0

    def over(self, blocks: Iterable[Records]) -> Stage:
        """Yield the blocks, which are in order, with the first row of all at time 0."""
        last: int | None = None
        for block in blocks:
            gaps = np.diff(block.arrival_ns, prepend=block.arrival_ns[0] if last is None else last)
            last = int(block.arrival_ns[-1])
            is_jump = gaps > self._max_gap_ns
            self.jumps += int(np.count_nonzero(is_jump))
            times = self.span_ns + np.cumsum(np.where(is_jump, 0, gaps))
            self.span_ns = int(times[-1])
            yield attrs.evolve(block, arrival_ns=times)
