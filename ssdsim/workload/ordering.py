"""From rows as they stand in a file to arrivals in order: a clock that never goes back nor jumps."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ssdsim.workload.records import RowError

SORT_WINDOW = 1 << 17
"""Rows that may stand between a row and its place in order of time."""

Stage = Iterator[np.ndarray]
"""Blocks of records, none of them empty, whose times a stage may change."""

MOST_AT_A_TICK = 1 << 22
"""Rows of one time that are spread over a tick; more are taken for damage, as all of them are held."""

FARTHEST_NS = (1 << 62) - 1
"""Times before scaling lie within this of the first row's, so that the difference of any two fits 64 bits."""


def descents(time: np.ndarray, last: int) -> int:
    """Return how many times are earlier than their predecessor, the first one's being `last`."""
    return int(time[0] < last) + int(np.count_nonzero(time[1:] < time[:-1]))


def sort(blocks: Iterable[np.ndarray], window: int = SORT_WINDOW) -> Stage:
    """Sort by time, rows of one time staying as they were; hold at most two windows of rows.

    A row that is more than `window` rows after its place may be refused with a `RowError`.
    """
    held: list[np.ndarray] = []
    count, done = 0, -FARTHEST_NS
    for block in blocks:
        held.append(block)
        count += len(block)
        if count >= 2 * window:  # two windows: the earlier one has its rows once the later one is sorted in
            held = _sorted(held, done, window)
            while count - len(held[0]) >= window:
                done = int(held[0]["time"][-1])
                count -= len(held[0])
                yield held.pop(0)
    if count:
        yield from _sorted(held, done, 0)


def _sorted(parts: list[np.ndarray], done: int, last: int) -> list[np.ndarray]:
    """Return rows, of which none may be earlier than `done`, sorted, the `last` of them by themselves if they moved."""
    before = int(parts[0]["time"][0])
    for part in parts:
        if descents(part["time"], before):
            whole = np.concatenate(parts)
            whole = whole[np.argsort(whole["time"], kind="stable")]  # stable: rows of one time stay as they were
            parts = [whole[: len(whole) - last], *([whole[-last:]] if last else [])]
            break
        before = int(part["time"][-1])
    if parts[0]["time"][0] < done:
        reason = "it is earlier than rows too far before it to be sorted in bounded memory"
        raise RowError(parts[0]["row"][0], reason, "sort the file by time, or set workload.order=clamp")
    return parts


def clamp(blocks: Iterable[np.ndarray]) -> Stage:
    """Let a row that is earlier than one before it arrive together with that one."""
    last = -FARTHEST_NS
    for block in blocks:
        block["time"] = np.maximum(np.maximum.accumulate(block["time"]), last)
        last = int(block["time"][-1])
        yield block


def refuse(blocks: Iterable[np.ndarray]) -> Stage:
    """Raise a `RowError` for the first row that is earlier than the row before it."""
    last = -FARTHEST_NS
    for block in blocks:
        if descents(block["time"], last):
            row = block["row"][np.argmax(np.diff(block["time"], prepend=last) < 0)]
            raise RowError(row, "it is earlier than the row before it", "set workload.order to sort or clamp")
        last = int(block["time"][-1])
        yield block


ORDERS: dict[str, Callable[[Iterable[np.ndarray]], Stage]] = {"sort": sort, "clamp": clamp, "refuse": refuse}


def spread(blocks: Iterable[np.ndarray], tick_ns: int) -> Stage:
    """Spread the requests of each tick evenly over it; blocks are in order, and rows of the last tick are held.

    Raise a `RowError` for the first row of too many at one tick.
    """
    held: list[np.ndarray] = []
    for block in blocks:
        complete = int(
            np.searchsorted(block["time"], block["time"][-1])
        )  # rows of the last time wait for the next block
        if complete or (held and block["time"][-1] != held[0]["time"][0]):
            yield from _spread([*held, block[:complete]], tick_ns)
            held = []
        held.append(block[complete:])
        if sum(map(len, held)) > MOST_AT_A_TICK:
            reason = f"more than {MOST_AT_A_TICK} rows have its time"
            raise RowError(held[0]["row"][0], reason, "set workload.device or .limit, or workload.time_unit")
    yield from _spread(held, tick_ns)


def _spread(parts: list[np.ndarray], tick_ns: int) -> Stage:
    if parts and len(records := np.concatenate(parts)):
        _, start, group, count = np.unique(records["time"], return_index=True, return_inverse=True, return_counts=True)
        place = np.arange(len(records)) - start[group]
        records["time"] += place * tick_ns // count[group]  # in whole ns, evenly from the tick's start
        yield records


class SteadyClock:
    """Times from the first row on, in order, with gaps longer than `max_gap_ns` shortened to nothing."""

    def __init__(self, max_gap_ns: int) -> None:
        self._max_gap_ns = max_gap_ns
        self.jumps = 0
        self.span_ns = 0

    def over(self, blocks: Iterable[np.ndarray]) -> Stage:
        """Yield the blocks, which are in order, with the first row of all at time 0."""
        last: int | None = None
        for block in blocks:
            before = int(block["time"][0]) if last is None else last
            gaps = np.diff(block["time"], prepend=before)
            last = int(block["time"][-1])
            if gaps.max() > self._max_gap_ns:
                is_jump = gaps > self._max_gap_ns
                self.jumps += int(np.count_nonzero(is_jump))
                block["time"] = self.span_ns + np.cumsum(np.where(is_jump, 0, gaps))
            else:
                block["time"] += self.span_ns - before
            self.span_ns = int(block["time"][-1])
            yield block
