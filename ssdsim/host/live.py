# cython: infer_types=True
"""Requests that are put into a stream while it runs: one by one, or as a load that is played into it."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, final

import numpy as np
import numpy.typing as npt

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH
from ssdsim._core.columns import Int8s, Int64s
from ssdsim._core.either_kernel import run_routine
from ssdsim._core.inlined import now
from ssdsim._core.schedule import END, Routine
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import ChunkReader, Stream
from ssdsim.workload.base import CheckedWorkload
from ssdsim.workload.chunk import Chunk

ROWS: Final = 4096
"""Requests that an inbox has room for at a time."""


@final
class Inbox:
    """A workload whose requests are put in while it runs: they are written into chunks that the stream reads already.

    A chunk that is full is handed to `keep`, if anybody keeps the load.
    """

    requests: ClassVar[None] = None
    queue_depth: ClassVar[None] = None
    is_live: ClassVar[bool] = True
    keep: Callable[[Chunk], object] | None
    ahead: deque[Chunk]  # that requests have been put into, and the stream has not asked for
    chunk: Chunk | None  # the one that requests are put into
    row: int  # its next
    count: int  # requests put in
    arrival_ns: Int64s
    offset_bytes: Int64s
    size_bytes: Int64s
    op: Int8s
    hint: Int8s
    fua: Int8s

    def __init__(self) -> None:
        self.keep = None
        self.ahead = deque()
        self.chunk = None
        self.row = self.count = 0

    def describe(self) -> dict[str, Any]:
        """Return the facts on this load for the summary."""
        return {"kind": "drive", "requests": self.count}

    def chunks(self) -> Iterator[Chunk]:
        """Return chunks without end, of which the last is yet to be written."""
        return iter(self.next_chunk, None)

    def next_chunk(self) -> Chunk:
        """Return the chunk with the next requests, or the one where they will be."""
        return self.ahead.popleft() if self.ahead else self.new_chunk()

    def new_chunk(self) -> Chunk:
        """Begin a chunk; as long as nothing is in it, its rows are flushes."""
        self.kept()
        numbers: Any = np.zeros((3, ROWS), np.int64)
        codes: Any = np.zeros((3, ROWS), np.int8)
        codes[0] = FLUSH
        self.arrival_ns, self.offset_bytes, self.size_bytes = numbers
        self.op, self.hint, self.fua = codes
        op, hint, fua = codes.view(np.uint8)
        self.row = 0
        self.chunk = Chunk(numbers[0], op, numbers[1], numbers[2], hint, fua)
        return self.chunk

    def kept(self) -> None:
        """Hand on the requests of the chunk."""
        if self.keep is not None and self.row:
            self.keep(self.chunk[: self.row])

    @cfunc
    def put(self, op: int, offset_bytes: int, size_bytes: int, fua: bool, hint: int, arrival_ns: int) -> int:
        """Put in a request that arrives now, and return its number."""
        if self.row == ROWS:
            self.ahead.append(self.new_chunk())
        row = self.row
        self.arrival_ns[row] = arrival_ns
        self.offset_bytes[row] = offset_bytes
        self.size_bytes[row] = size_bytes
        self.op[row] = op
        self.hint[row] = hint
        self.fua[row] = fua
        self.row = row + 1
        self.count += 1
        return self.count - 1


@final
class Playing(Routine):
    """The process that puts the requests of `workload` into an inbox, each when it comes, and keeps their responses.

    In an open loop they come at their times from now on, in a closed loop as others of it are complete, as those of a
    `Stream`. `done` is the event of the model that is to happen when all are complete.
    """

    stream: Stream
    inbox: Inbox
    chunks: Iterator[Chunk]
    reader: ChunkReader
    queue_depth: int  # 0: an open loop
    start_ns: int
    first: int  # the number of its first request
    sent: int
    complete: int
    is_over: bool  # nothing is left to be sent
    idled: bool  # closed loop: the idle time before the next request is over
    waits: bool  # closed loop: for a completion
    response_ns: Any  # by request, in order: an array, which grows

    def __init__(self, queue: HostQueue, stream: Stream, inbox: Inbox, workload: CheckedWorkload, done: Any) -> None:
        self.queue = queue
        self.stream = stream
        self.inbox = inbox
        self.chunks = iter(workload.chunks())
        self.reader = ChunkReader()
        self.queue_depth = workload.queue_depth or 0
        self.done = done
        self.start_ns = now(queue.env)
        self.first = inbox.count
        self.sent = self.complete = 0
        self.idled = self.waits = False
        self.response_ns = array("q")
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
        reader = self.reader
        wait_ns: int
        while reader.row < reader.rows or self.next_chunk():
            wait_ns = reader.arrival_ns[reader.row]
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
                self.reader.load(chunk, chunk.hints(self.stream.access_latency))
                self.response_ns.extend(bytes(len(chunk)))
                return True
        return False

    @cfunc
    def send(self, now_ns: int) -> None:
        """Put in the next request."""
        reader, row = self.reader, self.reader.row
        size_bytes, has_fua, since_ns = reader.size_bytes[row], reader.fua[row] > 0, now_ns - self.stream.start_ns
        self.inbox.put(reader.op[row], reader.offset_bytes[row], size_bytes, has_fua, reader.hint[row], since_ns)
        reader.row = row + 1
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
        return np.frombuffer(self.response_ns, np.int64)
