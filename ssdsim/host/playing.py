# cython: infer_types=True
"""A load that a drive plays by itself, in a model that waits for the end of it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any, Final, final

import numpy as np
import numpy.typing as npt

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import FrozenBytes, FrozenInt64s, Int64s
from ssdsim._core.inlined import now
from ssdsim._core.kernel import END, Routine, run_routine
from ssdsim.host.inbox import Inbox
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream
from ssdsim.workload.base import CheckedWorkload
from ssdsim.workload.chunk import Chunk, column

FIRST_ROWS: Final = 4096
"""Responses there is room for at first, if the length of a load is not known."""


@final
class Playing(Routine):
    """The process that puts the requests of `workload` into an inbox, each when it comes, and keeps their responses.

    In an open loop they come at their times from now on, in a closed loop as others of it are complete, as those of a
    `Stream`. `done` is the event of the model that is to happen when all are complete.
    """

    stream: Stream
    inbox: Inbox
    chunks: Iterator[Chunk]
    queue_depth: int  # 0: an open loop
    start_ns: int
    first: int  # the number of its first request
    sent: int
    complete: int
    is_over: bool  # nothing is left to be sent
    idled: bool  # closed loop: the idle time before the next request is over
    waits: bool  # closed loop: for a completion
    response_ns: Int64s  # by request, in order
    row: int  # the next of the chunk
    rows: int  # of the chunk
    arrival_ns: FrozenInt64s
    offset_bytes: FrozenInt64s
    size_bytes: FrozenInt64s
    op: FrozenBytes
    hint: FrozenBytes
    fua: FrozenBytes

    def __init__(self, queue: HostQueue, stream: Stream, inbox: Inbox, workload: CheckedWorkload, done: Any) -> None:
        self.queue = queue
        self.stream = stream
        self.inbox = inbox
        self.chunks = iter(workload.chunks())
        self.queue_depth = workload.queue_depth or 0
        self.done = done
        self.start_ns = now(queue.env)
        self.first = inbox.count
        self.sent = self.complete = self.row = self.rows = 0
        self.idled = self.waits = False
        self.response_ns = array("q", bytes(8 * (workload.requests or FIRST_ROWS)))
        self.is_over = not self.next_chunk()

    def go_on(self) -> int:
        """Send the requests that are due, and wait for the time of the next one, if it has one."""
        wait_ns: int = self.send_due()
        self.idled = wait_ns > 0
        return wait_ns if wait_ns else END

    def start(self) -> None:
        """Send the requests that are due, and have the process wait for the time of the next one, if it has one."""
        if self.send_due():
            run_routine(self.queue.env, self)

    @cfunc
    def send_due(self) -> int:
        """Put in the requests that are due; return the time until the next one, or 0 if it waits for others."""
        now_ns: int = now(self.queue.env)
        wait_ns: int
        while self.row < self.rows or self.next_chunk():
            wait_ns = self.arrival_ns[self.row]
            if not self.queue_depth:
                wait_ns += self.start_ns - now_ns
            elif self.idled:
                wait_ns = 0
            elif self.sent - self.complete >= (1 if wait_ns else self.queue_depth):
                self.waits = True
                return 0
            if wait_ns > 0:
                return wait_ns
            self.send(now_ns)
        self.is_over = True
        return 0

    @cfunc
    def next_chunk(self) -> bool:
        """Load the next requests, and return whether there are any."""
        for chunk in self.chunks:
            if len(chunk):
                self.arrival_ns = column(chunk.arrival_ns, np.int64)
                self.op = column(chunk.op, np.uint8)
                self.offset_bytes = column(chunk.offset_bytes, np.int64)
                self.size_bytes = column(chunk.size_bytes, np.int64)
                self.hint = column(chunk.hints(self.stream.access_latency), np.uint8)
                self.fua = column(np.zeros(len(chunk), np.uint8) if chunk.fua is None else chunk.fua, np.uint8)
                self.row = 0
                self.rows = len(chunk)
                missing = self.sent + self.rows - len(self.response_ns)
                if missing > 0:
                    self.response_ns = array("q", bytes(self.response_ns) + bytes(8 * (missing + self.sent)))
                return True
        return False

    @cfunc
    def send(self, now_ns: int) -> None:
        """Put in the next request."""
        row = self.row
        since_ns = now_ns - self.stream.start_ns
        self.inbox.put(
            self.op[row], self.offset_bytes[row], self.size_bytes[row], self.fua[row] > 0, self.hint[row], since_ns
        )
        self.row = row + 1
        self.sent += 1
        self.idled = False
        self.queue.arrive(self.stream)

    @cfunc
    def take(self, number: int, response_ns: int) -> bool:
        """Take note of a request that is complete, send what waited for that, and return whether all are complete."""
        self.response_ns[number - self.first] = response_ns
        self.complete += 1
        if self.waits:
            self.waits = False
            self.start()
        return self.is_over and self.complete == self.sent

    def responses(self) -> npt.NDArray[np.int64]:
        """Return the response time of each request, in order."""
        return np.frombuffer(self.response_ns, np.int64)[: self.sent]
