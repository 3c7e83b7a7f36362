# cython: infer_types=True
"""The way from a model into a drive that is a part of it, and what completes there."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, REQUESTS, TRIM, WRITE
from ssdsim._core.either_kernel import advance_clock, call_later, fire, next_time_of, run_before, time_of
from ssdsim._core.inlined import now
from ssdsim.config import MOST_NS
from ssdsim.host.live import Inbox, Playing
from ssdsim.host.queue import HostQueue
from ssdsim.host.request import Request, RequestObserver
from ssdsim.host.stream import Stream
from ssdsim.workload.base import CheckedWorkload


@final
class Completion:
    """A request that is complete: what it was, and when it was submitted and completed, in ns of the model's clock."""

    op: int
    stream: str
    offset_bytes: int
    size_bytes: int
    submitted_ns: int
    completed_ns: int

    def __init__(self) -> None:
        self.op = self.offset_bytes = self.size_bytes = self.submitted_ns = self.completed_ns = 0
        self.stream = ""

    @property
    def response_ns(self) -> int:
        """The time from submission to completion."""
        return self.completed_ns - self.submitted_ns

    def __repr__(self) -> str:
        where = f"{self.offset_bytes}, {self.size_bytes}"
        return f"<{REQUESTS[self.op]}({where}) of {self.stream}, {self.submitted_ns} to {self.completed_ns} ns>"


@final
class ModelStream:
    """A stream of a port: its part of the addresses, its inbox, and who waits for which of its requests."""

    stream: Stream
    inbox: Inbox
    first_bytes: int
    size_bytes: int
    waiting: dict[int, Any]  # events of the model, by the number of the request
    flushes: list[int]  # the flushes among them, and some that are complete
    playing: Playing | None  # the load that it plays; it takes no other requests meanwhile

    def __init__(self, stream: Stream, inbox: Inbox, first_bytes: int, size_bytes: int) -> None:
        self.stream = stream
        self.inbox = inbox
        self.first_bytes = first_bytes
        self.size_bytes = size_bytes
        self.waiting = {}
        self.flushes = []
        self.playing = None

    def lost_with_power(self) -> list[int]:
        """Return the numbers of requests of the model that are in the device, and of flushes.

        A flush that has not come there is about writes that are complete, and may be lost.
        """
        return [number for number in self.waiting if number < self.stream.admitted or number in self.flushes]


class Port(RequestObserver):
    """The way from a model into a drive with a clock of its own, which runs ahead of the model's as far as it can.

    What happens inside is of no consequence outside until a request is complete, and nothing comes from outside before
    the next event there. So the drive does, in one go, all that lies before that event, up to the first completion;
    while no request is outstanding it does nothing at all until somebody asks for it. Both have the same time, apart
    from `offset_ns`, by which the drive's is ahead.
    """

    outer: Any  # the clock of the model
    inner: Any  # the clock of the drive
    offset_ns: int
    queue: HostQueue
    streams: dict[str, ModelStream]
    in_order: list[ModelStream]  # the same, by number
    request_log: RequestObserver | None  # what else records requests
    completions: list[Any]  # events of the model that are to happen, with their values
    outstanding: int
    callback: Any  # of its alarms: `go_on`
    alarm_ns: int  # when this goes on, by the drive's clock; -1: it does not

    def connect(self, queue: HostQueue, inner: Any, offset_ns: int) -> None:
        """Take over this queue and this clock."""
        self.queue = queue
        self.inner = inner
        self.offset_ns = offset_ns
        self.completions = []
        self.callback = self.go_on
        self.alarm_ns = -1
        if self.outstanding:
            self.go_on_at(now(inner))

    # Submission.

    def read(self, offset: int, size: int, stream: str = "main") -> Any:
        """Read `size` bytes from byte `offset` on; return the event of the completion."""
        return self.submit(READ, offset, size, False, stream)

    def write(self, offset: int, size: int, stream: str = "main", fua: bool = False) -> Any:
        """Write `size` bytes from byte `offset` on, into flash if `fua`; return the event of the completion."""
        return self.submit(WRITE, offset, size, fua, stream)

    def trim(self, offset: int, size: int, stream: str = "main") -> Any:
        """Forget the data of `size` bytes from byte `offset` on; return the event of the completion."""
        return self.submit(TRIM, offset, size, False, stream)

    def flush(self, stream: str = "main") -> Any:
        """Bring all data that was written before into flash; return the event of the completion."""
        event = self.submit(FLUSH, 0, 0, False, stream)
        side = self.streams[stream]
        side.flushes = [*(number for number in side.flushes if number in side.waiting), side.inbox.count - 1]
        return event

    @cfunc
    def submit(self, op: int, offset: int, size: int, fua: bool, stream: str) -> Any:
        """Submit a request; return the event that happens when it is complete, with a `Completion` as its value."""
        side: ModelStream | None = self.streams.get(stream)
        if side is None or side.playing is not None:
            raise self.not_free(stream)
        if op != FLUSH and (size <= 0 or offset < 0 or offset > side.size_bytes - size):
            raise ValueError(
                f"{REQUESTS[op]}({offset}, {size}): must have a size above 0 and lie within the {side.size_bytes} "
                "bytes of the drive or its namespace."
            )
        now_ns = self.catch_up()
        source = side.stream
        number = side.inbox.put(
            op, side.first_bytes + offset, size, fua, source.access_latency, now_ns - source.start_ns
        )
        self.queue.arrive(source)
        event = self.outer.event()
        side.waiting[number] = event
        self.outstanding += 1
        self.go_on_at(max(now_ns, now(self.inner)))
        return event

    def play_all(self, workload: CheckedWorkload, side: ModelStream) -> Any:
        """Begin to play `workload` in a stream; return the event of its end, with the response times as its value."""
        now_ns = self.catch_up()
        event = self.outer.event()
        playing = Playing(self.queue, side.stream, side.inbox, workload, event)
        if playing.is_over:
            return event.succeed(playing.responses())
        side.playing = playing
        playing.start()
        self.outstanding += 1
        self.go_on_at(max(now_ns, now(self.inner)))
        return event

    def not_free(self, stream: str) -> ValueError:
        """Return the error for a stream that takes no requests."""
        if stream in self.streams:
            return ValueError(f"stream={stream!r}: plays a load; wait for its end, or give the drive another stream.")
        return ValueError(f"stream={stream!r}: there is no such stream; they are {', '.join(self.streams)}.")

    # Completion.

    def add(self, request: Request, response_ns: int) -> None:
        """Take note of a request of the model that is complete."""
        if self.request_log is not None:
            self.request_log.add(request, response_ns)
        side: ModelStream = self.in_order[request.stream]
        playing: Playing | None = side.playing
        if playing is not None and request.number >= playing.first:
            if playing.take(request.number, response_ns):
                side.playing = None
                self.completions.append((playing.done, playing.responses()))
            return
        event = side.waiting.pop(request.number, None)
        if event is None:
            return  # of a load that ended, or a flush that failed, when power was cut
        done = Completion()
        done.op = request.op
        done.stream = side.stream.name
        done.offset_bytes = request.offset_bytes - side.first_bytes
        done.size_bytes = request.size_bytes
        done.submitted_ns = request.arrival_ns - self.offset_ns
        done.completed_ns = now(self.inner) - self.offset_ns
        self.completions.append((event, done))

    # Time.

    def catch_up(self) -> int:
        """Bring the drive to the present of the model, which is returned in the drive's time."""
        now_ns = whole(time_of(self.outer)) + self.offset_ns
        if now(self.inner) < now_ns:
            run_before(self.inner, now_ns, self.completions)
            advance_clock(self.inner, now_ns)
        return now_ns

    @cfunc
    def go_on_at(self, time_ns: int) -> None:
        """Set an alarm for the drive's next turn, unless there is an earlier one."""
        if self.alarm_ns >= 0 and self.alarm_ns <= time_ns:
            return
        self.alarm_ns = time_ns
        call_later(self.outer, max(time_ns - self.offset_ns - time_of(self.outer), 0.0), self.callback)

    def go_on(self, alarm: Any) -> None:
        """Process the events of the drive up to the next event of the model or the first completion."""
        time_ns = self.alarm_ns
        if time_ns < 0 or time_ns - self.offset_ns > time_of(self.outer):
            return  # it has been put off, or was followed already
        self.alarm_ns = -1
        completions = self.completions
        horizon = next_time_of(self.outer)
        end_ns = max(time_ns + 1, whole(horizon) + self.offset_ns) if horizon < MOST_NS else MOST_NS
        run_before(self.inner, end_ns, completions)
        if completions:
            now_ns = now(self.inner)
            delay = max(now_ns - self.offset_ns - time_of(self.outer), 0.0)
            for event, completion in completions:
                fire(event, completion, delay)
            self.outstanding -= len(completions)
            completions.clear()
            if self.outstanding:
                self.go_on_at(now_ns)
        elif self.outstanding:
            self.go_on_at(whole(next_time_of(self.inner)))


@cfunc
def whole(time: float) -> int:
    """Return a time that is not negative, rounded up to a whole one."""
    floor: int = int(time)
    return floor + 1 if floor < time else floor
