# cython: infer_types=True
"""What a run measures, request by request, in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.kernel import END, Routine, now
from ssdsim._core.latency import LatencyGroups
from ssdsim._core.window_counts import WindowCounts
from ssdsim._core.window_samples import Sampled, WindowSamples
from ssdsim.config import MOST_NS
from ssdsim.host.request import Request, RequestObserver
from ssdsim.metrics.tally import Rounds, Tally

OBSERVE_EVERY: Final = 1024  # requests between two looks at the wall clock

EXACT_OF_STREAM = 1 << 14
"""How many response times of an operation of a stream are kept as they are, before percentiles are of a histogram."""


@final
class Recorder(Tally):
    """Records every completed request: a tally of the run, which passes each request on to others.

    `windows` receives it for the time series, `request_log`, if any, for the table of requests, and `rounds`, if any,
    those of the main stream. `by_stream` has the response times of each of several `streams`. `observer`, if any, is
    called once in `OBSERVE_EVERY` requests, `checker`, if any, after each.
    """

    by_stream: LatencyGroups | None  # None where there is one stream
    rounds: Rounds | None
    request_log: RequestObserver | None

    def __init__(
        self,
        windows: Windows,
        request_log: RequestObserver | None = None,
        observer: Callable[[int], object] | None = None,
        checker: Callable[[], object] | None = None,
        rounds: Rounds | None = None,
        streams: int = 1,
        has_outer_parts: bool = False,
    ) -> None:
        super().__init__(has_outer_parts)
        self.by_stream = LatencyGroups(streams, EXACT_OF_STREAM) if streams > 1 else None
        self.windows = windows
        self.request_log = request_log
        self.observer = observer
        self.checker = checker
        self.rounds = rounds
        self.last_ns = 0

    def request_done(self, request: Request, now_ns: int) -> None:
        """Record `request`, which completes now."""
        response = now_ns - request.arrival_ns
        op = request.op
        self.last_ns = now_ns
        self.add(request, response)  # before all others: `done` counts this request for them
        if op in (READ, WRITE):
            self.windows.add(op, now_ns, response, request.size_bytes)
        if self.by_stream is not None:
            self.by_stream.add(request.stream, op, response, request.size_bytes)
        if self.rounds is not None and request.stream == 0:  # the main stream is the one that repeats itself
            self.rounds.add(request, response)
        if self.request_log is not None:
            self.request_log.add(request, response)
        if self.checker is not None:
            self.checker()
        # the wall clock costs more than a request is worth
        if self.observer is not None and self.done % OBSERVE_EVERY == 0:
            self.observer(now_ns)

    def of_stream(self, stream: int, op: int) -> tuple[Any, int]:
        """Return the distribution of the response times of a stream, None without any, and the bytes."""
        # a single stream is the whole run
        return self.times.of(0, op) if self.by_stream is None else self.by_stream.of(stream, op)


@final
class Windows:
    """The time series: windows of equal simulated time, one row each, whether a request ends in it or not.

    There are at most `limit` windows, an even number; when the run outlasts them, neighbours are merged and the length
    doubles, so that a run that idles for hours has no more of them. What only the device knows (page writes, erases,
    free blocks, queue) is read from `sampled` whenever a window is closed. `Closing` does that at its end; a window
    that has passed unseen, as power was off, has the sample of the one before.

    `counts` has the reads and writes of each window, their bytes and response times (`WindowCounts`).
    """

    current: int  # the window that is open
    end_ns: int  # the end of the window that is open

    def __init__(self, sampled: Sampled, start_ns: int = 0, width_ns: int = 1_000_000, limit: int = 1024) -> None:
        self.sampled = sampled
        self.start_ns = start_ns
        self.width_ns = width_ns
        self.limit = limit
        self.samples = WindowSamples(sampled.width)
        self.current = 0
        self.end_ns = start_ns + width_ns
        self.counts = WindowCounts(2)

    def pass_time(self, now_ns: int) -> None:
        """Close the current window if it has ended."""
        if now_ns >= self.end_ns:
            self.close(now_ns)

    def add(self, op: int, now_ns: int, response_ns: int, size_bytes: int) -> None:
        """Add a read or write that completes now."""
        self.pass_time(now_ns)
        self.counts.add(op, response_ns, size_bytes)

    def close(self, now_ns: int) -> None:
        """End the current window and open the one that `now_ns` lies in."""
        # before the window changes: what has happened belongs to the one that ends
        first = self.samples.add()
        self.sampled.read(self.samples.values, first)
        self.counts.close(self.current)
        # never back: a window closed by power may end before the device booted
        window = max((now_ns - self.start_ns) // self.width_ns, self.current)
        while window >= self.limit:
            self.width_ns *= 2
            window //= 2
            self.samples.halve()
            self.counts.halve()
        # The sample of a window that nobody closed is that of the last one: nothing can have happened in it.
        self.samples.repeat(window - self.samples.count)
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
        """Close the window whose end has come, and wait for that of the next."""
        windows, now_ns = self.windows, now(self.env)
        if self.waited:
            windows.pass_time(now_ns)
        self.waited = True
        # nothing wakes up after the end of time
        return max(windows.end_ns - now_ns, 0) if windows.end_ns < MOST_NS else END
