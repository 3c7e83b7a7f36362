"""What a run measures, request by request, in memory that does not grow with the run."""

from array import array

import cython

from ssdsim.errors import SimulationError

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import FLUSH, READ, WRITE
    from cython.cimports.ssdsim._core.window_counts import WindowCounts
    from cython.cimports.ssdsim.flash.controller import FlashController
    from cython.cimports.ssdsim.metrics.groups import SIZE_CLASSES, Groups, size_class
else:
    from ssdsim._core.codes import FLUSH, READ, WRITE
    from ssdsim._core.window_counts import WindowCounts
    from ssdsim.flash.controller import FlashController
    from ssdsim.metrics.groups import SIZE_CLASSES, Groups, size_class
    from ssdsim.metrics.tally import Tally

if not cython.compiled:
    OBSERVE_EVERY = 1024


class Recorder(Tally):
    """Takes note of every completed request: a tally of the run, which passes each request on to others.

    `windows` receives it for the time series, `request_log`, if any, for the table of requests, and `rounds`, if any,
    those of the main stream. `by_stream`, None where there is one, and `by_size` have the response times of each of so
    many `streams`, and of each class of sizes. `observer`, if any, is called once in `OBSERVE_EVERY` requests,
    `checker`, if any, after each.
    """

    def __init__(self, windows, request_log=None, observer=None, checker=None, rounds=None, streams=1):
        super().__init__()
        self.by_stream = Groups(streams) if streams > 1 else None
        self.by_size = Groups(SIZE_CLASSES)
        self.windows = windows
        self.request_log = request_log
        self.observer = observer
        self.checker = checker
        self.rounds = rounds
        self.last_ns = 0

    def request_done(self, request, now_ns):
        """Record `request`, which completes now."""
        response = now_ns - request.arrival_ns
        self.last_ns = now_ns
        self.add(request, response)
        if self.by_stream is not None:
            self.by_stream.add(request.stream, request.op, response, request.size_bytes)
        if request.op != FLUSH:
            self.by_size.add(size_class(request.size_bytes), request.op, response, request.size_bytes)
        if request.op in (READ, WRITE):
            self.windows.add(request.op, now_ns, response, request.size_bytes, request.stream)
        if self.rounds is not None and request.stream == 0:
            self.rounds.add(request, response)
        if self.request_log is not None:
            self.request_log.add(request, response)
        if self.checker is not None:
            self.checker()
        if self.observer is not None and self.done % OBSERVE_EVERY == 0:
            self.observer(now_ns)


class Windows:
    """The time series: sums over windows of equal simulated time, one row each, whether a request ends in it or not.

    There are at most `limit` windows, an even number; when the run outlasts them, neighbours are merged and the length
    doubles, so that a run that idles for hours has no more of them. Where the length is `fixed` that is an error. What
    only the device knows (page writes, erases, free blocks, queue) is read by `sample` whenever a window is closed.
    `pass_time` closes it at its end; a window that has passed unseen, as power was off, has the sample of the one
    before.

    `counts` has the response times of each window (`WindowCounts`), by operation and, where there are several streams,
    by 2 * (1 + stream) + operation; `busy_ns`, by window, for how long the bus of each of `channels`, the flash
    controllers, had been held when it was closed.
    """

    def __init__(self, sample, start_ns=0, width_ns=1_000_000, limit=1024, fixed=False, streams=1, channels=()):
        self.sample = sample
        self.channels = list(channels)
        self.before_ns = [0] * len(self.channels)
        self.start_ns = start_ns
        self.width_ns = width_ns
        self.limit = limit
        self.fixed = fixed
        self.first_ns = self.held_ns(start_ns)
        self.rows = []
        self.busy_ns = {}
        self.current = 0
        self.sums = array("q", [0] * 6)
        self.by_stream = streams > 1
        self.counts = WindowCounts(2 + 2 * streams if streams > 1 else 2)

    def end_ns(self):
        """Return when the current window ends."""
        return self.start_ns + (self.current + 1) * self.width_ns

    def pass_time(self, now_ns):
        """Close the current window if it has ended."""
        if now_ns >= self.end_ns():
            self.close(now_ns)

    def add(self, op, now_ns, response_ns, size_bytes, stream=0):
        """Add a read or write of a stream that completes now."""
        if now_ns - self.start_ns >= (self.current + 1) * self.width_ns:
            self.close(now_ns)
        self.sums[op] += 1
        self.sums[2 + op] += response_ns
        self.sums[4 + op] += size_bytes
        self.counts.add(op, response_ns, size_bytes)
        if self.by_stream:
            self.counts.add(2 + 2 * stream + op, response_ns, size_bytes)

    def close(self, now_ns):
        """End the current window and open the one that `now_ns` lies in."""
        sums = [0] * 6
        for at in range(6):
            sums[at] = self.sums[at]
            self.sums[at] = 0
        sample = self.sample()
        self.rows.append((self.current, *sums, *sample))
        self.counts.close(self.current)
        self.busy_ns[self.current] = self.held_ns(now_ns)
        closed = self.current
        window = max((now_ns - self.start_ns) // self.width_ns, closed)
        outlasted = window >= self.limit
        while window >= self.limit:
            self.width_ns *= 2
            window //= 2
            closed //= 2
            self.rows = merged(self.rows)
            self.counts.halve()
            self.busy_ns = {number // 2: held for number, held in self.busy_ns.items()}
        for passed in range(closed + 1, window):
            self.rows.append((passed, 0, 0, 0, 0, 0, 0, *sample))
        self.current = window
        if outlasted and self.fixed:
            raise SimulationError(
                f"metrics.window_ms: the run has come to more than {self.limit:,} windows; set a longer one, or null."
            )

    def held_ns(self, now_ns):
        """Return for how long the bus of each channel has been held up to now."""
        held = list(self.before_ns)
        for number in range(len(held)):
            channel: FlashController = self.channels[number]
            held[number] += channel.bus_time_ns(now_ns)
        return held

    def go_on(self, channels, lost_ns):
        """Take note that power was lost then, and that these are the channels from here on."""
        self.before_ns = self.held_ns(lost_ns)
        self.channels = list(channels)


def merged(rows):
    """Return rows of windows twice as long: sums are added up, samples are those of the later window."""
    pairs = {}
    for window, *values in rows:
        earlier = pairs.get(window // 2, [0] * 6)
        pairs[window // 2] = [*(a + b for a, b in zip(earlier[:6], values[:6], strict=True)), *values[6:]]
    return [(window, *values) for window, values in pairs.items()]
