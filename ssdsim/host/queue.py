# cython: infer_types=True
"""The device queue, the replay of arrivals into it, and the idle times of closed loops."""

from __future__ import annotations

from typing import Any, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.either_kernel import run_routine
from ssdsim._core.inlined import now
from ssdsim._core.schedule import END, PAUSE, Routine, resume_routine
from ssdsim.errors import SimulationError
from ssdsim.host.arbitration import Arbitration
from ssdsim.host.rates import Throttle
from ssdsim.host.request import Request, RequestPool
from ssdsim.host.stream import ClosedLoop, Stream, arrive_due, is_ready
from ssdsim.metrics.recorder import Recorder
from ssdsim.stage import Stage

BACKLOG_LIMIT = 1 << 20
"""Open-loop arrivals are followed this far ahead of admission; more of them would change nothing but the count."""


class HostQueue(Stage):
    """Admits requests of the streams to a device that holds up to `queue_depth` of them.

    Response time counts from arrival, so it includes the wait for a slot. `finished` fires when every request of every
    stream is complete. Streams that another queue began with, and lost power, are gone on with where that stopped:
    whatever had its time meanwhile arrives at once. `activity`, if any, is told of every request that has `began` and
    that has `ended`, and so is `oracle`, if any, with the time (`ssdsim.check`).
    """

    next_id: int  # goes on where an earlier queue with the same streams stopped
    depth_ns: int  # in_flight, summed over time up to `depth_since_ns`
    depth_since_ns: int
    stage: int  # up to which streams have begun
    only: Stream | None  # where there is one, which needs no arbitration
    idle: Routine  # the admitting process, while that waits
    finished: Any

    def __init__(
        self,
        env: Any,
        streams: list[Stream],
        arbitration: Arbitration,
        queue_depth: int,
        device: Stage,
        recorder: Recorder,
        activity: Any = None,
        oracle: Any = None,
    ) -> None:
        self.env = env
        self.streams = streams
        self.only = streams[0] if len(streams) == 1 else None
        self.arbitration = arbitration
        self.queue_depth = queue_depth
        self.device = device
        self.recorder = recorder
        self.activity = activity
        self.oracle = oracle
        self.pool = RequestPool()
        self.in_flight = self.admitted = self.requests_done = 0
        self.next_id = sum([stream.admitted for stream in streams])
        self.most_in_flight = self.depth_ns = 0
        self.depth_since_ns = now(env)
        self.idle = None
        self.finished = env.event()
        self.stage = -1
        arbitration.bind(streams)

    def start(self) -> None:
        """Start the process that admits, and those of the streams."""
        self.begin_streams()
        for stream in self.streams:
            if stream.throttle is not None:
                stream.throttle.begin(self)
        run_routine(self.env, Admitting(self))

    def begin_streams(self) -> None:
        """Start the processes of the streams of the first stage that has any left, unless they run."""
        left = [stream.stage for stream in self.streams if not stream.is_over()]
        stage = min(left) if left else self.stage
        for stream in self.streams:
            if not self.stage < stream.stage <= stage or stream.is_over():
                continue
            stream.begin(now(self.env))
            if not stream.queue_depth and not stream.is_live:
                run_routine(self.env, Arriving(self, stream))
            elif stream.idle_ns:
                self.begin_idle_time(stream)
            if stream.runtime_ns:
                run_routine(self.env, Timer(self, stream, stream.start_ns + stream.runtime_ns, True))
        self.stage = stage

    @cfunc
    def begin_idle_time(self, stream: Stream) -> None:
        """Wait for the end of the idle time before the next request of a closed loop."""
        run_routine(self.env, Timer(self, stream, now(self.env) + stream.idle_ns, False))

    # The way of a request.

    @cfunc
    def admit(self, stream: Stream) -> None:
        """Send the next request of a stream into the device, that of its submission queue if it has one."""
        now_ns = now(self.env)
        request = take_request(self, stream, now_ns) if stream.submitted is None else stream.fetch()
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        self.depth_ns += self.in_flight * (now_ns - self.depth_since_ns)
        self.depth_since_ns = now_ns
        self.in_flight += 1
        request.queue_length = self.in_flight
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        request.admitted_ns = now_ns
        if self.activity is not None:
            self.activity.began()
        if self.oracle is not None:
            self.oracle.admitted(request, now_ns)
        self.device.submit(request)

    def completed(self, request: Request) -> None:
        """Record a completed request and free its slot."""
        now_ns: int = now(self.env)
        if request.owner is None:
            raise SimulationError(f"request {request.id} was completed twice.")
        request.owner = None
        if self.oracle is not None:
            self.oracle.completed(request, now_ns)
        self.depth_ns += self.in_flight * (now_ns - self.depth_since_ns)
        self.depth_since_ns = now_ns
        self.in_flight -= 1
        stream = cast(Stream, self.streams[request.stream])
        stream.complete(now_ns)
        self.requests_done += 1
        self.recorder.request_done(request, now_ns)
        self.pool.give_back(request)
        if self.activity is not None:
            self.activity.ended()
        if not stream.outstanding and stream.idle_ns:
            self.begin_idle_time(stream)
        if not stream.outstanding and stream.exhausted:
            self.begin_streams()
        waits: bool = self.in_flight + 1 >= self.queue_depth or not self.in_flight  # a request for a slot, or the end
        if waits or stream.queue_depth or stream.submitted is not None:
            self.ring(stream)

    # What wakes the admitting process, and what it does then.

    @cfunc
    def arrive(self, stream: Stream) -> None:
        """Take note of a request that was put into a live stream."""
        stream.arrived += 1
        if stream.throttle is not None and stream.arrived == stream.admitted + 1:
            throttle: Throttle = stream.throttle
            throttle.hold(now(self.env))
        self.ring(stream)

    def ring(self, stream: Stream) -> None:
        """Wake the admitting process: a slot that may be wanted, a request of `stream`, tokens or the end has come."""
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        idle = self.idle
        if idle is not None:
            self.idle = None
            resume_routine(idle, 0)

    @cfunc
    def choose_stream(self) -> Stream | None:
        """Return the stream whose request takes the next free slot, or None if there is no slot or no request."""
        if self.in_flight >= self.queue_depth:
            return None
        if self.only is None:
            return self.arbitration.choose()
        ready: bool = self.only.can_send() if self.only.submitted is None else is_ready(self.only)
        return self.only if ready else None

    @cfunc
    def all_exhausted(self) -> bool:
        """Return whether no stream has a request left to admit."""
        for stream in self.streams:  # noqa: SIM110 - a compiled method takes no generator expression
            if not stream.exhausted:
                return False
        return True

    # What it tells of itself.

    def depth_integral_ns(self, now_ns: int) -> int:
        """Return the number of requests in flight, summed over the time up to now: their mean times that time."""
        return self.depth_ns + self.in_flight * (now_ns - self.depth_since_ns)

    def outstanding(self) -> list[int]:
        """Return the numbers of the requests that are in the device, or in a submission queue of it, oldest first."""
        return sorted([request.id for request in self.pool.taken()])

    def backlog(self) -> int:
        """Return the requests that have arrived and are not in the device, as far as is followed."""
        count, now_ns = self.admitted - self.requests_done - self.in_flight, now(self.env)
        stream: Stream
        for stream in self.streams:
            count += stream.waiting(now_ns)
        return count


@cfunc
def take_request(queue: HostQueue, stream: Stream, now_ns: int) -> Request:
    """Return the next request that a stream sends."""
    request: Request = queue.pool.take()
    stream.take_into(request)
    if stream.throttle is not None:
        throttle: Throttle = stream.throttle
        throttle.sent(request, now_ns)
    request.id = queue.next_id
    request.owner = queue
    queue.next_id += 1
    queue.admitted += 1
    if stream.caught_up is not None and stream.arrived == stream.admitted:
        resume_routine(stream.caught_up, 0)
        stream.caught_up = None
    return request


@final
class Admitting(Routine):
    """The process that admits requests while there are slots, and streams with requests.

    Requests of one nanosecond are admitted one by one, in the order of rows: each is started before the next one is
    admitted, as commands are fetched one by one on a real host. `next_stream` is the stream of the next one, or None.
    """

    next_stream: Stream | None

    def __init__(self, queue: HostQueue) -> None:
        self.queue = queue
        self.next_stream = None

    def go_on(self) -> int:
        """Admit a request, and the next one later in this instant; else wait for a free slot or another request."""
        queue = self.queue
        stream = self.next_stream
        if stream is None:
            stream = queue.choose_stream()
        if stream is not None:
            queue.admit(stream)
            self.next_stream = queue.choose_stream()
            if self.next_stream is not None:
                return 0  # behind the scheduling unit, which the request has woken
        if queue.requests_done == queue.admitted and queue.all_exhausted():
            queue.finished.succeed()
            return END
        queue.idle = self
        return PAUSE


@final
class Arriving(Routine):
    """The process that lets the requests of an open-loop stream arrive at their times."""

    def __init__(self, queue: HostQueue, stream: Stream) -> None:
        self.queue = queue
        self.stream = stream

    def go_on(self) -> int:
        """Take note of the requests that are due; wait for the time of the next one, or for the end of the backlog."""
        queue = self.queue
        stream = self.stream
        wait_ns: int
        while True:
            wait_ns = arrive_due(stream, now(queue.env))
            if wait_ns == END:
                return END
            queue.ring(stream)
            if wait_ns:
                return wait_ns
            if stream.arrived - stream.admitted > BACKLOG_LIMIT:
                stream.caught_up = self
                return PAUSE


@final
class Timer(Routine):
    """The process that waits for the end of an idle time of a closed loop, or of its runtime."""

    def __init__(self, queue: HostQueue, stream: Stream, end_ns: int, ends_stream: bool) -> None:
        self.queue = queue
        self.stream = stream
        self.end_ns = end_ns
        self.ends_stream = ends_stream

    def go_on(self) -> int:
        """Wait until then, and wake the admitting process."""
        queue = self.queue
        stream = cast(ClosedLoop, self.stream)
        now_ns: int = now(queue.env)
        if now_ns < self.end_ns:
            return self.end_ns - now_ns
        if not self.ends_stream:
            stream.end_idle_time(now_ns)
        else:
            stream.end(now_ns)
            if not stream.outstanding:
                queue.begin_streams()
        queue.ring(stream)
        return END
