# cython: infer_types=True
"""What a run measures, request by request, in memory that does not grow with the run."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.kernel import END, Routine, now
from ssdsim._core.latency import LatencyGroups
from ssdsim._core.window_counts import WindowCounts
from ssdsim._core.window_samples import Sampled, WindowSamples
from ssdsim.config import MOST_NS
from ssdsim.errors import SimulationError
from ssdsim.flash.controller import FlashController
from ssdsim.host.request import Request, RequestObserver
from ssdsim.metrics.groups import EXACT, SIZE_CLASSES, size_class
from ssdsim.metrics.queues import QueueTally
from ssdsim.metrics.rounds import Rounds
from ssdsim.metrics.tally import Tally

if TYPE_CHECKING:
    import numpy.typing as npt


OBSERVE_EVERY: Final = 1024  # requests between two looks at the wall clock
SUMS: Final = 7  # values of a row of `Windows` before its sample


@final
class Recorder(Tally):
    """Records every completed request: a tally of the run, which passes each request on to others.

    `windows` receives it for the time series, `request_log`, if any, for the table of requests, and `rounds`, if any,
    those of the main stream. `by_stream`, None where there is one, and `by_size` have the response times of each of so
    many `streams`, and of each class of sizes. `observer`, if any, is called once in `OBSERVE_EVERY` requests,
    `checker`, if any, after each.
    """

    by_stream: LatencyGroups | None
    rounds: Rounds | None
    queues: QueueTally | None  # where there are queue pairs
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
        queues: Any = 0,
    ) -> None:
        super().__init__(has_outer_parts)
        self.queues = QueueTally(queues) if queues else None
        self.by_stream = LatencyGroups(streams, EXACT) if streams > 1 else None
        self.by_size = LatencyGroups(SIZE_CLASSES, EXACT)
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
        if op != FLUSH:  # a flush has no size
            self.by_size.add(size_class(request.size_bytes), op, response, request.size_bytes)
        if op in (READ, WRITE):
            self.windows.add(op, now_ns, response, request.size_bytes)
        if self.by_stream is not None:
            self.by_stream.add(request.stream, op, response, request.size_bytes)
            if op in (READ, WRITE):
                self.windows.add_of(request.stream, op, response, request.size_bytes)
        if self.queues is not None:
            self.queues.add(request, response)
        if self.rounds is not None and request.stream == 0:  # the main stream is the one that repeats itself
            self.rounds.add(request, response)
        if self.request_log is not None:
            self.request_log.add(request, response)
        if self.checker is not None:
            self.checker()
        # the wall clock costs more than a request is worth
        if self.observer is not None and self.done % OBSERVE_EVERY == 0:
            self.observer(now_ns)


@final
class Windows:
    """The time series: windows of equal simulated time, one row each, whether a request ends in it or not.

    There are at most `limit` windows, an even number; when the run outlasts them, neighbours are merged and the length
    doubles, so that a run that idles for hours has no more of them. Where the length is `fixed` that is an error. What
    only the device knows (page writes, erases, free blocks, queue) is read from `sampled`, and for how long the bus of
    each of `channels`, the flash controllers, has been held, whenever a window is closed. `Closing` does that at its
    end; a window that has passed unseen, as power was off, has the sample of the one before.

    `counts` has the requests of each window, their bytes and response times (`WindowCounts`), by operation and, where
    there are several streams, by 2 * (1 + stream) + operation.
    """

    first_ns: Int64s  # for how long each channel had been held at the start
    channels: list[FlashController]
    before_ns: Int64s  # for how long each channel had been held before power was lost
    keys: int  # of `counts`
    current: int  # the window that is open
    end_ns: int  # the end of the window that is open

    def __init__(
        self,
        sampled: Sampled,
        start_ns: int = 0,
        width_ns: int = 1_000_000,
        limit: int = 1024,
        fixed: bool = False,
        streams: int = 1,
        channels: Iterable[FlashController] = (),
    ) -> None:
        self.sampled = sampled
        self.channels = list(channels)
        self.before_ns = array("q", [0] * len(self.channels))
        self.start_ns = start_ns
        self.width_ns = width_ns
        self.limit = limit
        self.fixed = fixed
        self.first_ns = self.held_ns(start_ns)
        self.samples = WindowSamples(sampled.width + len(self.channels))
        self.current = 0
        self.end_ns = start_ns + width_ns
        # by operation, and the same once more for each stream
        self.keys = 2 + 2 * streams if streams > 1 else 2
        self.counts = WindowCounts(self.keys)

    def pass_time(self, now_ns: int) -> None:
        """Close the current window if it has ended."""
        if now_ns >= self.end_ns:
            self.close(now_ns)

    def add(self, op: int, now_ns: int, response_ns: int, size_bytes: int) -> None:
        """Add a read or write that completes now."""
        self.pass_time(now_ns)
        self.counts.add(op, response_ns, size_bytes)

    @cfunc
    def add_of(self, stream: int, op: int, response_ns: int, size_bytes: int) -> None:
        """Count a request, counted already, for its stream, too, where there are several."""
        self.counts.add(2 + 2 * stream + op, response_ns, size_bytes)

    def close(self, now_ns: int) -> None:
        """End the current window and open the one that `now_ns` lies in."""
        # before the window changes: what has happened belongs to the one that ends
        samples = self.samples
        first = samples.add()
        row: Int64s = samples.values
        self.read_held(row, self.sampled.read(row, first), now_ns)
        self.counts.close(self.current)
        # never back: a window closed by power may end before the device booted
        window = max((now_ns - self.start_ns) // self.width_ns, self.current)
        outlasted: bool = window >= self.limit
        while window >= self.limit:
            self.width_ns *= 2
            window //= 2
            self.samples.halve()
            self.counts.halve()
        # The sample of a window that nobody closed is that of the last one: nothing can have happened in it.
        self.samples.repeat(window - self.samples.count)
        self.current = window
        self.end_ns = self.start_ns + (window + 1) * self.width_ns
        if outlasted and self.fixed:
            raise SimulationError(
                f"metrics.window_ms: the run has come to more than {self.limit:,} windows; set a longer one, or null."
            )

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Of each closed window: its number, requests, response times and bytes of reads and writes, and its sample."""
        samples = self.samples.rows()
        sums = np.zeros((len(samples), SUMS - 1), np.int64)
        records = self.counts.records()
        for op in (READ, WRITE):
            of_op = records[records[:, 1] == op]  # requests, response times and bytes, each of reads and writes
            sums[of_op[:, 0], op::2] = of_op[:, 2:5]
        states = samples[:, : samples.shape[1] - len(self.channels)]
        return np.column_stack([np.arange(len(samples)), sums, states])

    def bus_held_ns(self) -> npt.NDArray[np.int64]:
        """Return for how long the bus of each channel had been held: at the start, and when each window was closed."""
        samples = self.samples.rows()
        return np.vstack([self.first_ns, samples[:, samples.shape[1] - len(self.channels) :]])

    def held_ns(self, now_ns: int) -> Int64s:
        """Return for how long the bus of each channel has been held up to now."""
        held: Int64s = array("q", bytes(8 * len(self.channels)))
        self.read_held(held, 0, now_ns)
        return held

    @cfunc
    def read_held(self, row: Int64s, first: int, now_ns: int) -> None:
        """Write the same to `row`, from `first` on."""
        for number in range(len(self.channels)):
            channel: FlashController = self.channels[number]  # a type for Cython
            row[first + number] = self.before_ns[number] + channel.bus_time_ns(now_ns)

    def go_on(self, channels: Iterable[FlashController], lost_ns: int) -> None:
        """Go on after a loss of power at `lost_ns`, with these channels."""
        self.before_ns = self.held_ns(lost_ns)  # what buses were held for before goes on to count
        self.channels = list(channels)


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
