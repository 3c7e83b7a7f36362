# cython: infer_types=True
"""A stream of requests: a workload on its way into the device queue."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import FrozenBytes, FrozenInt64s, Int64s
from ssdsim._core.kernel import Routine
from ssdsim.host.request import Request
from ssdsim.host.source import Source
from ssdsim.workload.chunk import column

if TYPE_CHECKING:
    from ssdsim.workload.chunk import Chunk

DEEPEST: Final = 1 << 20
"""Requests that a closed loop of unknown length has sent and not completed, at most."""


@final
class Stream(Source):
    """The requests of one workload, in order.

    Open loop: `arrived` counts the requests whose time has come, as the replay process sees it. Closed loop
    (`queue_depth` above 0): `queue_depth` requests are sent at the beginning, and another whenever one is complete;
    one with an idle time before it is sent when all before it are complete and that time is over. A request arrives
    when it is sent, however long the host then keeps it waiting for a place in the device. Chunks are read ahead as
    far as arrivals have gone and dropped once admitted, so memory does not grow with the length of the workload.
    `access_latency` is the hint of requests without one.

    A stream of a later `stage` waits until all streams of those before have ended; closed loops alone may have a
    `runtime_ns`, after which nothing more is sent: what was sent before still goes into the device.

    A stream outlives the queue that it is given to, if that loses power: another one goes on with it.
    """

    queue_depth: int
    stage: int
    runtime_ns: int  # from when it began; 0: until all is sent
    begun: bool
    is_live: bool  # its requests are put in while it runs (`ssdsim.host.inbox`), and arrive then
    access_latency: int  # the hint of requests that come without one
    start_ns: int  # when the workload's clock starts
    chunks: Iterator[Chunk]
    ahead: deque[Chunk]  # chunks read whose admission has not begun
    unannounced: deque[Chunk]  # chunks read whose arrivals have not begun
    announced_ns: FrozenInt64s
    announced_row: int  # the next to arrive of the chunk announced
    announced_rows: int  # requests of the chunk announced
    announced: int  # chunks of which the arrivals have begun
    loaded: int  # chunks of which the admission has begun
    idle_ns: int  # closed loop: still to pass before the next request; 0: none
    idled_ns: int  # when the last idle time was over
    sent_ns: Int64s  # closed loop: when each of its requests that wait for admission was sent, a ring of `queue_depth`
    next_sent: int  # its oldest: the place of the next request
    last: int  # requests up to the end of the runtime, once that is over; -1 before
    arrival_ns: FrozenInt64s
    offset_bytes: FrozenInt64s
    size_bytes: FrozenInt64s
    op: FrozenBytes
    hint: FrozenBytes
    fua: FrozenBytes
    row: int  # the next of the chunk that is being admitted
    rows: int  # of the chunk that is being admitted
    bucket: Any  # the `TokenBucket` of its rates (`ssdsim.host.rates`), or None
    held: bool  # until there are tokens for the next request
    caught_up: Routine  # the process of arrivals, while it waits for admission to catch up

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
        self.begun = False
        self.is_live = getattr(workload, "is_live", False)
        self.chunks = iter(workload.chunks())
        self.ahead = deque()
        self.unannounced = deque()
        self.announced_row = self.announced_rows = 0
        self.announced = self.loaded = 0
        self.idle_ns = self.idled_ns = self.next_sent = 0
        self.sent_ns = array("q", bytes(8 * self.queue_depth))
        self.last = -1
        self.row = self.rows = 0
        self.arrived = self.admitted = self.outstanding = 0
        self.exhausted = self.held = False
        self.caught_up = self.bucket = None
        self.load_next()

    def ready(self) -> bool:
        """Return whether a request of this stream can be admitted now."""
        if self.held:
            return False
        if self.queue_depth:
            return self.outstanding < self.queue_depth and not self.idle_ns and not self.exhausted
        return self.admitted < self.arrived

    def is_over(self) -> bool:
        """Return whether all requests of this stream are complete."""
        return self.exhausted and not self.outstanding

    def begin(self, now_ns: int) -> None:
        """Start the workload's clock, if it is one of a later stage that has not begun."""
        if not self.begun:
            if self.stage:
                self.start_ns = now_ns
            for place in range(self.queue_depth):
                self.sent_ns[place] = now_ns
        self.begun = True

    def end(self, now_ns: int = 0) -> None:
        """Send no more requests; those that a closed loop has sent before `now_ns` still go into the device."""
        self.last = self.admitted
        if self.begun and not self.idle_ns:
            for number in range(self.queue_depth - self.outstanding):
                self.last += self.sent_ns[(self.next_sent + number) % self.queue_depth] < now_ns
        if self.last == self.admitted:
            self.exhausted = True
            self.ahead.clear()

    @cfunc
    def complete(self, now_ns: int) -> None:
        """Count a request as complete, after which a closed loop sends another."""
        if self.queue_depth:
            self.sent_ns[(self.next_sent + self.queue_depth - self.outstanding) % self.queue_depth] = now_ns
        self.outstanding -= 1

    def waiting(self, now_ns: int) -> int:
        """Return the requests that have arrived and are not admitted, as far as chunks have been read."""
        if not self.queue_depth:
            return self.arrived - self.admitted
        if self.idle_ns or self.exhausted or not self.begun or self.sent_ns[self.next_sent] >= now_ns:
            return 0  # what was sent in this nanosecond may be admitted in it, and while power is off none is sent
        sent: int = self.queue_depth - self.outstanding if self.last < 0 else self.last - self.admitted
        count = 1
        while count < sent and self.row + count < self.rows and not self.arrival_ns[self.row + count]:
            count += 1
        return min(count, sent)

    def next_chunk(self) -> bool:
        """Read a chunk of the workload ahead and return whether there was one."""
        for chunk in self.chunks:
            if len(chunk):
                self.ahead.append(chunk)
                if not self.queue_depth and not self.is_live:
                    self.unannounced.append(chunk)
                return True
        return False

    def announce(self) -> bool:
        """Return whether a request is left to arrive, having made the next chunk the announced one if need be."""
        if self.announced_row < self.announced_rows:
            return True
        if not self.unannounced and not self.next_chunk():
            return False
        self.announced_ns = column(self.unannounced.popleft().arrival_ns, np.int64)
        self.announced += 1
        self.announced_row = 0
        self.announced_rows = len(self.announced_ns)
        return True

    def next_arrival_ns(self) -> int:
        """Return when the next request of the announced chunk arrives."""
        return self.start_ns + self.announced_ns[self.announced_row]

    def arrive(self) -> bool:
        """Let the next request of the announced chunk arrive and return whether another of that chunk is to come."""
        self.arrived += 1
        self.announced_row += 1
        return self.announced_row < self.announced_rows

    def load_next(self) -> None:
        """Make the next chunk the one that requests are admitted from."""
        if not self.ahead and not self.next_chunk():
            self.exhausted = True
            return
        chunk = self.ahead.popleft()
        self.loaded += 1
        self.arrival_ns = column(chunk.arrival_ns, np.int64)
        self.op = column(chunk.op, np.uint8)
        self.offset_bytes = column(chunk.offset_bytes, np.int64)
        self.size_bytes = column(chunk.size_bytes, np.int64)
        # those of a live stream are yet to be written
        self.hint = column(chunk.access_latency if self.is_live else chunk.hints(self.access_latency), np.uint8)
        self.fua = column(np.zeros(len(chunk), np.uint8) if chunk.fua is None else chunk.fua, np.uint8)
        self.row = 0
        self.rows = len(chunk)
        self.expect_idle_time()

    def expect_idle_time(self) -> None:
        """Load the idle time before the next request, which only a closed loop has."""
        if self.queue_depth:
            self.idle_ns = self.arrival_ns[self.row]

    @cfunc
    def next_op(self) -> int:
        """Return the operation of the next request, of which there is one."""
        return self.op[self.row]

    def take_into(self, request: Request) -> None:
        """Fill `request` with the stream's next one, which is admitted."""
        row = self.row
        request.stream = self.index
        request.op = self.op[row]
        if self.queue_depth:
            request.arrival_ns = max(self.sent_ns[self.next_sent], self.idled_ns)
            self.next_sent += 1
            if self.next_sent == self.queue_depth:
                self.next_sent = 0
        else:
            request.arrival_ns = self.start_ns + self.arrival_ns[row]
        request.offset_bytes = self.offset_bytes[row]
        request.size_bytes = self.size_bytes[row]
        request.access_latency = self.hint[row]
        request.fua = self.fua[row] > 0
        request.number = self.admitted
        self.admitted += 1
        self.outstanding += 1
        self.row = row + 1
        if self.row == self.rows:
            self.load_next()
        else:
            self.expect_idle_time()
        if self.last >= 0 and (self.admitted == self.last or self.idle_ns):
            self.end()

    def last_arrival_ns(self) -> int:
        """Return when the last request arrived, once all have been read; -1 in a closed loop, or without any."""
        if self.queue_depth or not self.row or not self.exhausted:
            return -1
        return self.start_ns + self.arrival_ns[self.row - 1]

    def power_lost(self, now_ns: int) -> None:
        """Go on at `now_ns` without the requests that are outstanding: nobody is going to complete them.

        A closed loop sends others for them. An idle time that had begun starts anew.
        """
        while self.outstanding:
            self.complete(now_ns)
        self.caught_up = None
