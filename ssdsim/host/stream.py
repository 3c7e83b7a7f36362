# cython: infer_types=True
"""A stream of requests: a workload on its way into the device queue."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import FrozenBytes, FrozenInt64s, Int64s
from ssdsim._core.schedule import END, Routine
from ssdsim.host.request import Request
from ssdsim.workload.chunk import column

if TYPE_CHECKING:
    from ssdsim.workload.chunk import Chunk

DEEPEST: Final = 1 << 20
"""Requests that a closed loop of unknown length has sent and not completed, at most."""


@final
class ChunkReader:
    """Reads the requests of a chunk one by one, out of columns whose items are numbers of C."""

    row: int  # of the next request
    rows: int
    arrival_ns: FrozenInt64s
    offset_bytes: FrozenInt64s
    size_bytes: FrozenInt64s
    op: FrozenBytes
    hint: FrozenBytes
    fua: FrozenBytes

    def __init__(self) -> None:
        self.row = self.rows = 0

    def load(self, chunk: Chunk, hints: Any) -> None:
        """Begin to read a chunk, whose requests have these access latencies."""
        self.arrival_ns = column(chunk.arrival_ns, np.int64)
        self.offset_bytes = column(chunk.offset_bytes, np.int64)
        self.size_bytes = column(chunk.size_bytes, np.int64)
        self.op = column(chunk.op, np.uint8)
        self.hint = column(hints, np.uint8)
        self.fua = column(np.zeros(len(chunk), np.uint8) if chunk.fua is None else chunk.fua, np.uint8)
        self.row = 0
        self.rows = len(chunk)

    @cfunc
    def read_into(self, request: Request) -> None:
        """Fill `request` with the next one, but for its arrival."""
        row = self.row
        request.op = self.op[row]
        request.offset_bytes = self.offset_bytes[row]
        request.size_bytes = self.size_bytes[row]
        request.access_latency = self.hint[row]
        request.fua = self.fua[row] > 0
        self.row = row + 1


class Stream:
    """The requests of one workload, in order: of an open loop, where they come at their times (or a `ClosedLoop`).

    `arrived` counts the requests whose time has come, as the process of arrivals sees it. Chunks are read ahead as far
    as arrivals have gone and dropped once admitted, so memory does not grow with the length of the workload. The
    requests of a live stream are put in while it runs (`ssdsim.host.live`), and arrive then.

    A stream of a later `stage` waits until all streams of those before have ended. With queue pairs it has one, whose
    submission queue is `submitted`. It outlives the device queue that it is given to, if that loses power: another one
    goes on with it.
    """

    index: int  # its number among the streams
    name: Any
    weight: int
    priority: int  # its class: 0 urgent, 1 high, 2 medium, 3 low
    access_latency: int  # the hint of requests that come without one
    queue_depth: int  # of a closed loop; 0: an open one
    stage: int
    begun: bool
    start_ns: int  # when the workload's clock starts
    runtime_ns: int  # of a closed loop, from when it began; 0: until all is sent
    idle_ns: int  # of a closed loop, still to pass before the next request; 0: none
    is_live: bool
    chunks: Iterator[Chunk]
    ahead: deque[Chunk]  # chunks read whose admission has not begun
    reader: ChunkReader  # of the chunk that is being admitted
    unannounced: deque[Chunk]  # chunks read whose arrivals have not begun
    announced_ns: FrozenInt64s  # arrivals of the chunk before those
    announced_row: int  # the next of them
    announced_rows: int
    caught_up: Routine  # the process of arrivals, while it waits for admission to catch up
    submitted: list[Any]  # its submission queue, a ring by number; None: there are no queue pairs
    fetched: int  # requests that the controller has fetched out of it
    fetch_size: int  # requests of its queue pair that the controller has under way, at most
    throttle: Any  # the `Throttle` that keeps it to its rates, or None
    held: bool  # until there are tokens for the next request

    def __init__(
        self,
        index: int,
        name: Any,
        weight: int,
        workload: Any,
        start_ns: int = 0,
        access_latency: int = 0,
        priority: int = 2,
    ) -> None:
        self.index = index
        self.name = name
        self.weight = weight
        self.priority = priority
        self.start_ns = start_ns
        self.access_latency = access_latency
        # deeper than it has requests it cannot get
        self.queue_depth = min(workload.queue_depth, workload.requests or DEEPEST) if workload.queue_depth else 0
        self.stage = getattr(workload, "stage", 0)
        self.runtime_ns = getattr(workload, "runtime_ns", 0)
        self.is_live = getattr(workload, "is_live", False)
        self.chunks = iter(workload.chunks())
        self.ahead = deque()
        self.reader = ChunkReader()
        self.unannounced = deque()
        self.idle_ns = self.announced_row = self.announced_rows = self.fetch_size = self.fetched = 0
        self.arrived = self.admitted = self.outstanding = 0
        self.begun = self.exhausted = self.held = False
        self.caught_up = self.submitted = self.throttle = None
        self.load_next()

    def ready(self) -> bool:
        """Return whether a request of this stream can go into the device now."""
        return is_ready(self)

    @cfunc
    def can_send(self) -> bool:
        """Return whether the host has a request of this stream to send now."""
        return self.admitted < self.arrived and not self.held

    def is_over(self) -> bool:
        """Return whether all requests of this stream are complete."""
        return self.exhausted and not self.outstanding

    def begin(self, now_ns: int) -> None:
        """Start the workload's clock, if it is one of a later stage that has not begun."""
        if self.stage and not self.begun:
            self.start_ns = now_ns
        self.begun = True

    def end(self, now_ns: int = 0) -> None:
        """Send no more requests."""
        self.exhausted = True
        self.ahead.clear()

    @cfunc
    def complete(self, now_ns: int) -> None:
        """Count a request as complete."""
        self.outstanding -= 1

    def waiting(self, now_ns: int) -> int:
        """Return the requests that have arrived and are not admitted, as far as chunks have been read."""
        return self.arrived - self.admitted

    @cfunc
    def read_chunk(self) -> bool:
        """Read a chunk of the workload ahead and return whether there was one."""
        for chunk in self.chunks:
            if len(chunk):
                self.ahead.append(chunk)
                if not self.queue_depth and not self.is_live:
                    self.unannounced.append(chunk)
                return True
        return False

    @cfunc
    def announce(self) -> bool:
        """Make the next chunk the announced one, and return whether there is one."""
        if not self.unannounced and not self.read_chunk():
            return False
        self.announced_ns = column(self.unannounced.popleft().arrival_ns, np.int64)
        self.announced_row, self.announced_rows = 0, len(self.announced_ns)
        return True

    @cfunc
    def load_next(self) -> None:
        """Make the next chunk the one that requests are admitted from."""
        if not self.ahead and not self.read_chunk():
            self.exhausted = True
            return
        chunk = self.ahead.popleft()
        # those of a live stream are yet to be written
        self.reader.load(chunk, chunk.access_latency if self.is_live else chunk.hints(self.access_latency))

    @cfunc
    def fetch(self) -> Request:
        """Take the oldest request out of the submission queue."""
        self.fetched += 1
        return cast(Request, self.submitted[(self.fetched - 1) % len(self.submitted)])

    @cfunc
    def take_into(self, request: Request) -> None:
        """Fill `request` with the stream's next one, which is admitted."""
        request.stream = self.index
        request.number = self.admitted
        request.arrival_ns = self.start_ns + self.reader.arrival_ns[self.reader.row]
        self.reader.read_into(request)
        self.admitted += 1
        self.outstanding += 1
        if self.reader.row == self.reader.rows:
            self.load_next()

    def last_arrival_ns(self) -> int:
        """Return when the last request arrived, once all have been read; -1 in a closed loop, or without any."""
        if self.queue_depth or not self.reader.row or not self.exhausted:
            return -1
        return self.start_ns + self.reader.arrival_ns[self.reader.row - 1]

    def power_lost(self, now_ns: int) -> None:
        """Go on at `now_ns` without the requests that are outstanding: nobody is going to complete them.

        A closed loop sends others for them. An idle time that had begun starts anew.
        """
        while self.outstanding:
            self.complete(now_ns)
        self.caught_up = None


@cfunc
def is_ready(stream: Stream) -> bool:
    """Return whether a request of a stream can go into the device now."""
    if stream.submitted is None:
        return stream.can_send()
    waiting = stream.admitted - stream.fetched
    return waiting > 0 and stream.outstanding - waiting < stream.fetch_size


@cfunc
def arrive_due(stream: Stream, now_ns: int) -> int:
    """Admit requests of a chunk that are due; return the time until the next one, 0 after its last, or END."""
    if stream.announced_row == stream.announced_rows and not stream.announce():
        return END
    while stream.announced_row < stream.announced_rows:
        left_ns = stream.start_ns + stream.announced_ns[stream.announced_row] - now_ns
        if left_ns > 0:
            return left_ns
        stream.arrived += 1
        stream.announced_row += 1
    return 0


@final
class ClosedLoop(Stream):
    """A stream that sends `queue_depth` requests at the beginning, and another whenever one is complete.

    One with an idle time before it is sent when all before it are complete and that time is over. A request arrives
    when it is sent, however long the host then keeps it waiting for a place in the device. After `runtime_ns`, if any,
    nothing more is sent: what was sent before still goes into the device.
    """

    idled_ns: int  # when the last idle time was over
    sent_ns: Int64s  # when each of its requests that wait for admission was sent, a ring of `queue_depth`
    next_sent: int  # its oldest: the place of the next request
    last: int  # requests up to the end of the runtime, once that is over; -1 before

    def __init__(self, *given: Any, **named: Any) -> None:
        Stream.__init__(self, *given, **named)
        self.idled_ns = self.next_sent = 0
        self.sent_ns = array("q", bytes(8 * self.queue_depth))
        self.last = -1
        if not self.exhausted:  # else there is no first request, that an idle time may be before
            self.idle_ns = self.reader.arrival_ns[self.reader.row]

    @cfunc
    def can_send(self) -> bool:
        """Return whether the host has a request of this stream to send now."""
        return self.outstanding < self.queue_depth and not self.idle_ns and not self.exhausted and not self.held

    def begin(self, now_ns: int) -> None:
        """Send the first requests, unless it has begun."""
        if not self.begun:
            for place in range(self.queue_depth):
                self.sent_ns[place] = now_ns
        Stream.begin(self, now_ns)

    def end(self, now_ns: int = 0) -> None:
        """Send no more requests; those that it has sent before `now_ns` still go into the device."""
        self.last = self.admitted
        if self.begun and not self.idle_ns:
            for number in range(self.queue_depth - self.outstanding):
                self.last += self.sent_ns[(self.next_sent + number) % self.queue_depth] < now_ns
        if self.last == self.admitted:
            Stream.end(self)

    @cfunc
    def complete(self, now_ns: int) -> None:
        """Count a request as complete, and send another."""
        self.sent_ns[(self.next_sent + self.queue_depth - self.outstanding) % self.queue_depth] = now_ns
        self.outstanding -= 1

    def waiting(self, now_ns: int) -> int:
        """Return the requests that have been sent and are not admitted, as far as chunks have been read."""
        if self.idle_ns or self.exhausted or not self.begun or self.sent_ns[self.next_sent] >= now_ns:
            return 0  # what was sent in this nanosecond may be admitted in it, and while power is off none is sent
        sent: int = self.queue_depth - self.outstanding if self.last < 0 else self.last - self.admitted
        count, row = 1, self.reader.row
        while count < sent and row + count < self.reader.rows and not self.reader.arrival_ns[row + count]:
            count += 1
        return min(count, sent)

    @cfunc
    def take_into(self, request: Request) -> None:
        """Fill `request` with the stream's next one, which is admitted."""
        Stream.take_into(self, request)
        request.arrival_ns = max(self.sent_ns[self.next_sent], self.idled_ns)
        self.next_sent += 1
        if self.next_sent == self.queue_depth:
            self.next_sent = 0
        if not self.exhausted:
            self.idle_ns = self.reader.arrival_ns[self.reader.row]
        if self.last >= 0 and (self.admitted == self.last or self.idle_ns):
            self.end()

    @cfunc
    def end_idle_time(self, now_ns: int) -> None:
        """Send the next requests."""
        self.idle_ns = 0
        self.idled_ns = now_ns


def stream_of(index: int, name: Any, weight: int, workload: Any, *given: Any, **named: Any) -> Stream:
    """Return the stream of a workload, of the kind of its loop."""
    kind = ClosedLoop if workload.queue_depth else Stream
    return kind(index, name, weight, workload, *given, **named)
