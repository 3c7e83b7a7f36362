# cython: infer_types=True
"""The device queue, the replay of arrivals into it, and the idle times of closed loops."""

from __future__ import annotations

from typing import Any, cast, final

from ssdsim._core.calls import cfunc, inline
from ssdsim._core.inlined import now
from ssdsim._core.kernel import END, PAUSE, Routine, resume_routine, run_routine
from ssdsim.errors import SimulationError
from ssdsim.host.arbitration import Arbitration
from ssdsim.host.rates import Throttling
from ssdsim.host.request import Request, RequestPool
from ssdsim.host.source import Source
from ssdsim.host.stream import Stream
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
    throttlings: list[Any]  # by stream: the process of its rates, or None
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
        self.throttlings = [None] * len(streams)
        self.idle = None
        self.finished = env.event()
        self.stage = -1
        arbitration.bind(self.sources())

    def sources(self) -> list[Any]:
        """Return the sources that the arbitration chooses among."""
        return self.streams

    def start(self) -> None:
        """Start the process that admits, and one for the arrivals of each open-loop stream."""
        self.begin_streams()
        for stream in self.streams:
            if stream.bucket is not None:
                self.throttlings[stream.index] = Throttling(self, stream)
                run_routine(self.env, self.throttlings[stream.index])
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
                run_routine(self.env, Idling(self, stream))
            if stream.runtime_ns:
                run_routine(self.env, Ending(self, stream))
        self.stage = stage

    @cfunc
    def admit(self, source: Source) -> None:
        """Send the next request of a source, which is a stream, into the device."""
        now_ns = now(self.env)
        stream = cast(Stream, source)
        request = take_request(self, stream, now_ns)
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        count_in(self, now_ns)
        request.queue_length = self.in_flight
        send_request(self, request, now_ns)

    def completed(self, request: Request) -> None:
        """Record a completed request and free its slot."""
        now_ns: int = now(self.env)
        receive_request(self, request, now_ns)
        count_out(self, now_ns)
        record_request(self, request, now_ns)
        if self.activity is not None:
            self.activity.ended()
        stream = cast(Stream, self.streams[request.stream])
        go_on_with(self, stream)
        if stream.queue_depth or self.in_flight + 1 >= self.queue_depth or not self.in_flight:
            self.ring(stream)  # else nothing waits for a slot

    def depth_integral_ns(self, now_ns: int) -> int:
        """Return the number of requests in flight, summed over the time up to now: their mean times that time."""
        return self.depth_ns + self.in_flight * (now_ns - self.depth_since_ns)

    def outstanding(self) -> list[int]:
        """Return the numbers of the requests in the device, oldest first."""
        return sorted([request.id for request in self.requests_inside()])

    def requests_inside(self) -> list[Any]:
        """Return the requests that are in the device."""
        return self.pool.taken()

    def backlog(self) -> int:
        """Return the requests that have arrived and are not in the device, as far as is followed."""
        waiting, now_ns = 0, now(self.env)
        stream: Stream
        for stream in self.streams:
            waiting += stream.waiting(now_ns)
        return waiting

    @cfunc
    def arrive(self, stream: Stream) -> None:
        """Let a request arrive that was put into a live stream."""
        stream.arrived += 1
        if stream.bucket is not None and stream.arrived == stream.admitted + 1:
            throttling: Throttling = self.throttlings[stream.index]
            throttling.hold(now(self.env))
        self.ring(stream)

    @cfunc
    def ring(self, stream: Stream) -> None:
        """Wake the admitting process: a slot that may be wanted, a request of `stream` or the end has come."""
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        idle = self.idle
        if idle is not None:
            self.idle = None
            resume_routine(idle, 0)

    def ring_for(self, stream: Stream) -> None:
        """Wake the admitting process: a stream has tokens for its next request."""
        self.ring(stream)

    @cfunc
    def choose_source(self) -> Source | None:
        """Return the source whose request takes the next free slot, or None if there is no slot or no request."""
        if self.in_flight >= self.queue_depth:
            return None
        return self.arbitration.choose()

    @cfunc
    def end(self) -> None:
        """Tell that all requests are complete."""
        self.finished.succeed()

    @cfunc
    def nothing_outstanding(self, stream: Stream) -> None:
        """Begin an idle time of a stream, or the streams of the next stage."""
        if stream.idle_ns:
            run_routine(self.env, Idling(self, stream))
        if stream.exhausted:
            self.begin_streams()

    @cfunc
    def twice_completed(self, request: Request) -> Exception:
        """Return the error of a device that completes a request once more."""
        return SimulationError(f"request {request.id} was completed twice.")

    @cfunc
    def all_exhausted(self) -> bool:
        """Return whether no stream has a request left to admit."""
        for stream in self.streams:  # noqa: SIM110 - a compiled method takes no generator expression
            if not stream.exhausted:
                return False
        return True


@inline
def take_request(queue: HostQueue, stream: Stream, now_ns: int) -> Request:
    """Return the stream's next request."""
    request: Request = queue.pool.take()
    stream.take_into(request)
    if stream.bucket is not None:
        throttling: Throttling = queue.throttlings[stream.index]
        throttling.sent(request, now_ns)
    request.id = queue.next_id
    queue.next_id += 1
    queue.admitted += 1
    if stream.caught_up is not None and stream.arrived == stream.admitted:
        resume_routine(stream.caught_up, 0)
        stream.caught_up = None
    return request


@inline
def send_request(queue: HostQueue, request: Request, now_ns: int) -> None:
    """Send a request into the device."""
    request.admitted_ns = now_ns
    request.owner = queue
    if queue.activity is not None:
        queue.activity.began()
    if queue.oracle is not None:
        queue.oracle.admitted(request, now_ns)
    queue.device.submit(request)


@inline
def receive_request(queue: HostQueue, request: Request, now_ns: int) -> None:
    """Take back a request from the device, which has completed it."""
    if request.owner is None:
        raise queue.twice_completed(request)
    request.owner = None
    if queue.oracle is not None:
        queue.oracle.completed(request, now_ns)


@inline
def record_request(queue: HostQueue, request: Request, now_ns: int) -> None:
    """Record a request of which the host knows now that it is complete."""
    stream = cast(Stream, queue.streams[request.stream])
    stream.complete(now_ns)
    queue.requests_done += 1
    queue.recorder.request_done(request, now_ns)
    queue.pool.give_back(request)


@inline
def go_on_with(queue: HostQueue, stream: Stream) -> None:
    """Begin an idle time, or the streams of the next stage, if a request of a stream was the last before that."""
    if not stream.outstanding:
        queue.nothing_outstanding(stream)


@inline
def count_in(queue: HostQueue, now_ns: int) -> None:
    """Count one more request in the device, and the time up to now."""
    queue.depth_ns += queue.in_flight * (now_ns - queue.depth_since_ns)
    queue.depth_since_ns = now_ns
    queue.in_flight += 1
    queue.most_in_flight = max(queue.most_in_flight, queue.in_flight)


@inline
def count_out(queue: HostQueue, now_ns: int) -> None:
    """Count one request less."""
    queue.depth_ns += queue.in_flight * (now_ns - queue.depth_since_ns)
    queue.depth_since_ns = now_ns
    queue.in_flight -= 1


@final
class Admitting(Routine):
    """The process that admits requests while there are slots, and streams with requests.

    Requests of one nanosecond are admitted one by one, in the order of rows: each is started before the next one is
    admitted, as commands are fetched one by one on a real host. `next_source` is the source of the next one, or None.
    """

    next_source: Source | None

    def __init__(self, queue: HostQueue) -> None:
        self.queue = queue
        self.next_source = None

    def go_on(self) -> int:
        """Admit a request, and the next one later in this instant; else wait for a free slot or another request."""
        queue = self.queue
        source = self.next_source
        if source is None:
            source = queue.choose_source()
        if source is not None:
            queue.admit(source)
            self.next_source = queue.choose_source()
            if self.next_source is not None:
                return 0  # behind the scheduling unit, which the request has woken
        if queue.requests_done == queue.admitted and queue.all_exhausted():
            queue.end()
            return END
        queue.idle = self
        return PAUSE


@final
class Arriving(Routine):
    """The process that lets the requests of an open-loop stream arrive at their times."""

    waited: bool  # for the arrival of the next request

    def __init__(self, queue: HostQueue, stream: Stream) -> None:
        self.queue = queue
        self.stream = stream
        self.waited = False

    def go_on(self) -> int:
        """Let the requests that are due arrive; wait for the time of the next one, or for the backlog to be gone."""
        queue = self.queue
        stream = self.stream
        arrival_ns: int
        now_ns: int = now(queue.env)
        while self.waited or stream.announce():
            arrival_ns = stream.next_arrival_ns()
            self.waited = arrival_ns > now_ns
            if self.waited:
                queue.ring(stream)
                return arrival_ns - now_ns
            if stream.arrive():
                continue
            queue.ring(stream)
            if stream.arrived - stream.admitted > BACKLOG_LIMIT:
                stream.caught_up = self
                return PAUSE
        return END


@final
class Idling(Routine):
    """The process that lets the idle time before the next request of a closed-loop stream pass."""

    waited: bool  # for the end of the idle time

    def __init__(self, queue: HostQueue, stream: Stream) -> None:
        self.queue = queue
        self.stream = stream
        self.waited = False

    def go_on(self) -> int:
        """Wait for the end of the idle time, and wake the admitting process then."""
        if not self.waited:
            self.waited = True
            return self.stream.idle_ns
        self.stream.idle_ns = 0
        self.stream.idled_ns = now(self.queue.env)
        self.queue.ring(self.stream)
        return END


@final
class Ending(Routine):
    """The process that ends a closed-loop stream when its runtime is over."""

    def __init__(self, queue: HostQueue, stream: Stream) -> None:
        self.queue = queue
        self.stream = stream

    def go_on(self) -> int:
        """Wait for the end, have the stream send no more, and wake the admitting process then."""
        queue = self.queue
        stream = self.stream
        left_ns: int = stream.start_ns + stream.runtime_ns - now(queue.env)
        if left_ns > 0:
            return left_ns
        stream.end(now(queue.env))
        if not stream.outstanding:
            queue.begin_streams()
        queue.ring(stream)
        return END
