"""From rows as they stand in a file to arrivals in order: a clock that never goes back nor jumps."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ssdsim.workload.traceformat import Records, RowError

SORT_WINDOW = 1 << 17
"""Rows that may stand between a row and its place in order of time."""

Stage = Iterator[Records]

MOST_AT_A_TICK = 1 << 22
"""Rows of one time that are spread over a tick; more are taken for damage, as all of them are held."""

FARTHEST_NS = (1 << 62) - 1
"""Times before scaling lie within this of the first row's, so that the difference of any two fits 64 bits."""


def descents(time: np.ndarray, last: int) -> int:
    """Return how many times are earlier than their predecessor, the first one's being `last`."""
    return int(time[0] < last) + int(np.count_nonzero(time[1:] < time[:-1]))


def sort(blocks: Iterable[Records], window: int = SORT_WINDOW) -> Stage:
    """Sort by time, rows of one time staying as they were; hold at most two windows of rows.

    A row that is more than `window` rows after its place may be refused with a `RowError`.
    """
    held: list[Records] = []
    count, done = 0, -FARTHEST_NS
    for block in blocks:
        held.append(block)
        count += len(block)
        while count >= 2 * window:  # two windows: the earlier one has its rows once the later one is sorted in
            first, rest = _cut(held, 2 * window)
            ready, later = _cut(_sorted(first, done), window)
            yield from ready
            done = int(ready[-1].time[-1])
            held, count = [*later, *rest], count - window
    if 0 < count <= window:
        held = [Records.concatenate(held)]  # a short trace comes in one piece
    if count:
        yield from _sorted(held, done)


def _cut(parts: list[Records], rows: int) -> tuple[list[Records], list[Records]]:
    """Return the first `rows` rows of several parts, and the others."""
    first: list[Records] = []
    for index, part in enumerate(parts):
        if rows <= len(part):
            return [*first, part[:rows]], [rest for rest in (part[rows:], *parts[index + 1 :]) if len(rest)]
        first.append(part)
        rows -= len(part)
    return first, []


def _sorted(parts: list[Records], done: int) -> list[Records]:
    """Return rows, of which none may be earlier than `done`, sorted: the parts themselves where they are."""
    last = int(parts[0].time[0])
    for part in parts:
        if descents(part.time, last):
            whole = Records.concatenate(parts)
            parts = [whole[np.argsort(whole.time, kind="stable")]]  # stable: rows of one time stay as they were
            break
        last = int(part.time[-1])
    if parts[0].time[0] < done:
        reason = "it is earlier than rows too far before it to be sorted in bounded memory"
        raise RowError(parts[0].row[0], reason, "sort the file by time, or set workload.order=clamp")
    return parts


def clamp(blocks: Iterable[Records]) -> Stage:
    """Let a row that is earlier than one before it arrive together with that one."""
    last = -FARTHEST_NS
    for block in blocks:
        time = np.maximum(np.maximum.accumulate(block.time), last)
        last = int(time[-1])
        yield block.with_times(time)


def refuse(blocks: Iterable[Records]) -> Stage:
    """Raise a `RowError` for the first row that is earlier than the row before it."""
    last = -FARTHEST_NS
    for block in blocks:
        if descents(block.time, last):
            row = block.row[np.argmax(np.diff(block.time, prepend=last) < 0)]
            raise RowError(row, "it is earlier than the row before it", "set workload.order to sort or clamp")
        last = int(block.time[-1])
        yield block


ORDERS: dict[str, Callable[[Iterable[Records]], Stage]] = {"sort": sort, "clamp": clamp, "refuse": refuse}


def spread(blocks: Iterable[Records], tick_ns: int) -> Stage:
    """Spread the requests of each tick evenly over it; blocks are in order, and rows of the last tick are held.

    Raise a `RowError` for the first row of too many at one tick.
    """
    held: list[Records] = []
    for block in blocks:
        complete = int(np.searchsorted(block.time, block.time[-1]))  # rows of the last time wait for the next block
        if held and block.time[-1] != held[0].time[0]:
            yield _spread(Records.concatenate([*held, block[:complete]]), tick_ns)
            held = []
        elif complete:
            yield _spread(block[:complete], tick_ns)
        held.append(block[complete:])
        if sum(map(len, held)) > MOST_AT_A_TICK:
            reason = f"more than {MOST_AT_A_TICK} rows have its time"
            raise RowError(held[0].row[0], reason, "set workload.device or .limit, or workload.time_unit")
    if held:
        yield _spread(Records.concatenate(held), tick_ns)


def _spread(records: Records, tick_ns: int) -> Records:
    _, start, group, count = np.unique(records.time, return_index=True, return_inverse=True, return_counts=True)
    place = np.arange(len(records)) - start[group]
    # in whole ns, evenly from the tick's start
    return records.with_times(records.time + place * tick_ns // count[group])


class SteadyClock:
    """Times from the first row on, in order, with gaps longer than `max_gap_ns` shortened to nothing."""

    def __init__(self, max_gap_ns: int) -> None:
        self._max_gap_ns = max_gap_ns
        self.jumps = 0
        self.span_ns = 0

    def over(self, blocks: Iterable[Records]) -> Stage:
        """Yield the blocks, which are in order, with the first row of all at time 0."""
        last: int | None = None
        for block in blocks:
            before = int(block.time[0]) if last is None else last
            last = int(block.time[-1])
            time = block.time + (self.span_ns - before)  # in one sum where there is no jump, as in most blocks
            if max(int(block.time[0]) - before, np.diff(block.time).max(initial=0)) > self._max_gap_ns:
                gaps = np.diff(block.time, prepend=before)
                is_jump = gaps > self._max_gap_ns
                self.jumps += int(np.count_nonzero(is_jump))
                time = self.span_ns + np.cumsum(np.where(is_jump, 0, gaps))
            self.span_ns = int(time[-1])
            yield block.with_times(time)
