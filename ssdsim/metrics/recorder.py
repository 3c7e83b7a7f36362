# cython: infer_types=True
"""Records of requests, in memory that does not grow with the run: response times, and the time series."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, Final, cast, final

import numpy as np

from ssdsim._core.codes import READ, REQUESTS, WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.either_kernel import now
from ssdsim._core.latency import LatencyRecorder, WindowCounts
from ssdsim._core.schedule import END, Routine
from ssdsim.config import MOST_NS
from ssdsim.host.request import MEASURED, OUTER_PARTS, PARTS, Request, RequestObserver

OBSERVE_EVERY: Final = 1024  # requests between two looks at the wall clock

EXACT_OF_STREAM = 1 << 14
"""How many response times of an operation of a stream are kept as they are, before percentiles are of a histogram."""


@final
class Recorder:
    """Records every completed request: sums, response times and their parts by operation; and passes it on to others.

    `windows` receives it for the time series and `request_log`, if any, for the table of requests. `observer`, if any,
    is called once in `OBSERVE_EVERY` requests, `checker`, if any, after each.
    """

    times: list[Any]  # by operation: a `LatencyRecorder`
    parts: tuple[str, ...]  # what response times are said to be made of
    parts_ns: Int64s  # sums by operation and measured part
    by_type: Int64s  # writes, by the slowest page type that a page of theirs was given
    done: int  # requests
    by_stream: list[Any]  # the same of each of several streams, one after another
    request_log: RequestObserver | None

    def __init__(
        self,
        windows: Windows,
        request_log: RequestObserver | None = None,
        observer: Callable[[int], object] | None = None,
        checker: Callable[[], object] | None = None,
        streams: int = 1,
        has_outer_parts: bool = False,
    ) -> None:
        self.times = [LatencyRecorder() for _ in REQUESTS]
        self.parts = PARTS + OUTER_PARTS * has_outer_parts
        self.parts_ns = array("q", [0] * (4 * MEASURED))
        self.by_type = array("q", [0] * 4)
        self.done = 0
        self.by_stream = [LatencyRecorder(EXACT_OF_STREAM) for _ in REQUESTS * streams] if streams > 1 else []
        self.windows = windows
        self.request_log = request_log
        self.observer = observer
        self.checker = checker
        self.last_ns = 0

    def request_done(self, request: Request, now_ns: int) -> None:
        """Record `request`, which completes now."""
        response = now_ns - request.arrival_ns
        op = request.op
        self.last_ns = now_ns
        self.done += 1
        if op == WRITE and request.slowest_type >= 0:  # -1 is a write whose pages were given no type
            self.by_type[request.slowest_type] += 1
        cast(LatencyRecorder, self.times[op]).add(response, request.size_bytes)
        request.add_parts(self.parts_ns, MEASURED * op)
        if op in (READ, WRITE):
            self.windows.add(op, now_ns, response, request.size_bytes)
        if self.by_stream:
            cast(LatencyRecorder, self.by_stream[4 * request.stream + op]).add(response, request.size_bytes)
        if self.request_log is not None:
            self.request_log.add(request, response)
        if self.checker is not None:
            self.checker()
        # the wall clock costs more than a request is worth
        if self.observer is not None and self.done % OBSERVE_EVERY == 0:
            self.observer(now_ns)

    def response(self, op: int) -> LatencyRecorder:
        """Return the distribution of the response times of `op`."""
        return cast(LatencyRecorder, self.times[op])

    def parts_us(self, op: int) -> dict[str, float]:
        """Return the mean of each part of the response times of `op`, in microseconds; 0 without requests."""
        summed = self.parts_ns[MEASURED * op : MEASURED * (op + 1)]
        sums_ns: dict[str, float] = dict(zip((*PARTS[1:], *OUTER_PARTS), summed, strict=True))
        sums_ns["queue"] = self.response(op).total - sum(sums_ns.values()) + sums_ns["urgent_gc"]
        return {part: sums_ns[part] / max(self.response(op).count, 1) / 1000 for part in self.parts}


class Sampled:
    """Gives samples of `width` whole numbers; this one leaves them as they are."""

    def __init__(self, width: int) -> None:
        self.width = width

    def read(self, row: Int64s, first: int) -> None:
        """Write a sample to `row`, from `first` on."""


@final
class Windows:
    """The time series: windows of equal simulated time, one row each, whether a request ends in it or not.

    There are at most `limit` windows, an even number; when the run outlasts them, neighbours are merged and the length
    doubles, so that a run that idles for hours has no more of them. What only the device knows (page writes, erases,
    free blocks, queue) is read from `sampled` whenever a window is closed. `Closing` does that at its end; a window
    that has passed unseen, as power was off, has the sample of the one before.

    `rows` has a sample for each of the windows that are `closed`, and `counts` the reads and writes of each, their
    bytes and response times (`WindowCounts`).
    """

    samples: Int64s  # the same as `rows`, one after another
    closed: int
    end_ns: int  # the end of the window that is open, `current`

    def __init__(self, sampled: Sampled, start_ns: int = 0, width_ns: int = 1_000_000, limit: int = 1024) -> None:
        self.sampled = sampled
        self.start_ns = start_ns
        self.width_ns = width_ns
        self.limit = limit
        memory: Any = np.zeros(limit * sampled.width, np.int64)  # which is taken as it is written to
        self.samples = memory
        self.rows: Any = memory.reshape(limit, -1)
        self.closed = 0
        self.current = 0
        self.end_ns = start_ns + width_ns
        self.counts = WindowCounts(limit)

    def pass_time(self, now_ns: int) -> None:
        """Close the current window if it has ended."""
        if now_ns >= self.end_ns:
            self.close(now_ns)

    def add(self, op: int, now_ns: int, response_ns: int, size_bytes: int) -> None:
        """Add a read or write that completes now."""
        if now_ns >= self.end_ns:
            self.close(now_ns)
        self.counts.add(self.current, op, response_ns, size_bytes)

    def close(self, now_ns: int) -> None:
        """End the current window and open the one that `now_ns` lies in."""
        # before the window changes: what has happened belongs to the one that ends
        self.sampled.read(self.samples, self.closed * self.sampled.width)
        self.closed += 1
        # never back: a window closed by power may end before the device booted
        window = max((now_ns - self.start_ns) // self.width_ns, self.current)
        while window >= self.limit:
            self.width_ns *= 2
            window //= 2
            later = np.append(np.arange(1, self.closed, 2), self.closed - 1)[: (self.closed + 1) // 2]
            self.rows[: len(later)] = self.rows[later]
            self.closed = len(later)
            self.counts.halve()
        # The sample of a window that nobody closed is that of the last one: nothing can have happened in it.
        if window > self.closed:
            self.rows[self.closed : window] = self.rows[self.closed - 1]
            self.closed = window
        self.current = window
        self.end_ns = self.start_ns + (window + 1) * self.width_ns


@final
class Closing(Routine):
    """The process that closes each of `windows` at its end; one that time ends in is left to that end."""

    def __init__(self, env: Any, windows: Windows) -> None:
        self.env = env
        self.windows = windows
        self.waited = False

    def go_on(self) -> int:
        """Close the window that has ended, and wait for the end of the next."""
        windows, now_ns = self.windows, now(self.env)
        if self.waited:
            windows.pass_time(now_ns)
        self.waited = True
        # nothing wakes up after the end of time
        return max(windows.end_ns - now_ns, 0) if windows.end_ns < MOST_NS else END
