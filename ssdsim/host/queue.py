# cython: infer_types=True
"""The device queue, the replay of arrivals into it, and the idle times of closed loops."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.inlined import now
from ssdsim._core.kernel import END, PAUSE, Routine, fire, new_event, resume_routine, run_routine
from ssdsim.errors import SimulationError
from ssdsim.flash.blame import Blame
from ssdsim.host.arbitration import Arbitration
from ssdsim.host.request import Request, RequestPool
from ssdsim.host.stream import Stream
from ssdsim.metrics.recorder import Recorder
from ssdsim.stage import Stage

BACKLOG_LIMIT = 1 << 20
"""Open-loop arrivals are followed this far ahead of admission; more of them would change nothing but the count."""


@final
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
    blame: Blame | None  # what divides response times by their causes, where that is recorded
    stage: int  # up to which streams have begun
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
        blame: Blame | None = None,
    ) -> None:
        self.env = env
        self.streams = streams
        self.arbitration = arbitration
        self.queue_depth = queue_depth
        self.device = device
        self.recorder = recorder
        self.activity = activity
        self.oracle = oracle
        self.blame = blame
        self.pool = RequestPool()
        self.in_flight = self.admitted = self.requests_done = 0
        self.next_id = sum([stream.admitted for stream in streams])
        self.most_in_flight = self.depth_ns = 0
        self.depth_since_ns = now(env)
        self.idle = None
        self.finished = new_event(env)
        self.stage = -1
        arbitration.bind(streams)

    def start(self) -> None:
        """Start the process that admits, and one for the arrivals of each open-loop stream."""
        self.begin_streams()
        run_routine(self.env, Admitting(self))

    def begin_streams(self) -> None:
        """Start the processes of the streams of the first stage that has any left, unless they run."""
        left = [stream.stage for stream in self.streams if not stream.is_over()]
        stage = min(left) if left else self.stage
        for stream in self.streams:
            if not self.stage < stream.stage <= stage or stream.is_over():
                continue
            stream.begin(now(self.env))
            if not stream.queue_depth:
                run_routine(self.env, Arriving(self, stream))
            elif stream.idle_ns:
                run_routine(self.env, Idling(self, stream))
            if stream.runtime_ns:
                run_routine(self.env, Ending(self, stream))
        self.stage = stage

    def admit(self, stream: Stream) -> None:
        """Send the stream's next request into the device."""
        now_ns = now(self.env)
        request: Request = self.pool.take()
        stream.take_into(request, now_ns)
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        request.id = self.next_id
        request.admitted_ns = now_ns
        self.next_id += 1
        request.owner = self
        self.admitted += 1
        self.count_depth(now_ns)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        request.queue_length = self.in_flight
        if stream.caught_up is not None and stream.arrived == stream.admitted:
            resume_routine(stream.caught_up, 0)
            stream.caught_up = None
        if self.blame is not None:
            self.blame.admitted(request)
        if self.activity is not None:
            self.activity.began()
        if self.oracle is not None:
            self.oracle.admitted(request, now_ns)
        self.device.submit(request)

    def completed(self, request: Request) -> None:
        """Record a completed request and free its slot."""
        if request.owner is None:
            raise SimulationError(f"request {request.id} was completed twice.")
        request.owner = None
        stream: Stream = self.streams[request.stream]
        stream.outstanding -= 1
        now_ns: int = now(self.env)
        self.count_depth(now_ns)
        self.in_flight -= 1
        self.requests_done += 1
        if self.oracle is not None:
            self.oracle.completed(request, now_ns)
        if self.blame is not None:
            self.blame.completed(request, now_ns)
        self.recorder.request_done(request, now_ns)
        self.pool.give_back(request)
        if self.activity is not None:
            self.activity.ended()
        if stream.idle_ns and not stream.outstanding:
            run_routine(self.env, Idling(self, stream))
        if stream.exhausted and not stream.outstanding:
            self.begin_streams()
        if stream.queue_depth or self.in_flight + 1 >= self.queue_depth or not self.in_flight:
            self.ring(stream)  # else nothing waits for a slot

    @cfunc
    def count_depth(self, now_ns: int) -> None:
        """Account for the requests in flight up to now, before their number changes."""
        self.depth_ns = self.depth_integral_ns(now_ns)
        self.depth_since_ns = now_ns

    def depth_integral_ns(self, now_ns: int) -> int:
        """Return the number of requests in flight, summed over the time up to now: their mean times that time."""
        return self.depth_ns + self.in_flight * (now_ns - self.depth_since_ns)

    def outstanding(self) -> list[int]:
        """Return the numbers of the requests in the device, oldest first."""
        return sorted([request.id for request in self.pool.taken()])

    @cfunc
    def ring(self, stream: Stream) -> None:
        """Wake the admitting process: a slot that may be wanted, a request of `stream` or the end has come."""
        if len(self.streams) > 1:
            self.arbitration.update(stream)
        idle = self.idle
        if idle is not None:
            self.idle = None
            resume_routine(idle, 0)

    @cfunc
    def choose_stream(self) -> Stream | None:
        """Return the stream whose request takes the next free slot, or None if there is no slot or no request."""
        return self.arbitration.choose() if self.in_flight < self.queue_depth else None

    @cfunc
    def all_exhausted(self) -> bool:
        """Return whether no stream has a request left to admit."""
        for stream in self.streams:  # noqa: SIM110 - a compiled method takes no generator expression
            if not stream.exhausted:
                return False
        return True


@final
class Admitting(Routine):
    """The process that admits requests while there are slots, and streams with requests.

    Requests of one nanosecond are admitted one by one, in the order of rows: each is started before the next one is
    admitted, as commands are fetched one by one on a real host. `next_stream` is the stream of the next one, or None.
    """

    next_stream: Stream

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
        if not queue.in_flight and queue.all_exhausted():
            fire(queue.finished)
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
        stream.end()
        if not stream.outstanding:
            queue.begin_streams()
        queue.ring(stream)
        return END
