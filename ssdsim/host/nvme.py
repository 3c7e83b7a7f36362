# cython: infer_types=True
"""NVMe: pairs of submission and completion queues, fetching of commands, and interrupts that are coalesced."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, TRIM
from ssdsim._core.inlined import now
from ssdsim._core.kernel import END, PAUSE, Routine, resume_routine, run_routine
from ssdsim.host.queue import (
    HostQueue,
    count_in,
    count_out,
    go_on_with,
    receive_request,
    record_request,
    send_request,
    take_request,
)
from ssdsim.host.request import Request
from ssdsim.host.source import Source
from ssdsim.host.stream import Stream

UNLIMITED: Final = 1 << 30
"""Commands of a queue under way where there is no limit."""


@final
class QueuePair(Source):
    """A submission queue and its completion queue, which serve one stream.

    A command is `waiting` in the driver until there is room, then `submitted` until the controller fetches it, and
    `posted` from its completion until the host is told. `outstanding` counts those from submission on.
    """

    stream: Stream
    depth: int  # commands outstanding at most
    fetch_size: int  # commands under way in the controller at most
    waiting: deque[Request]
    submitted: deque[Request]
    posted: deque[Request]
    outstanding: int
    fetched: int  # under way in the controller
    interrupt: Routine  # the process that tells the host, while it has nothing to wait for

    def __init__(self, index: int, number: int, stream: Stream, depth: int, fetch_size: int) -> None:
        self.index = index
        self.name = f"{stream.name}/{number}"
        self.weight = stream.weight
        self.priority = stream.priority
        self.stream = stream
        self.depth = depth
        self.fetch_size = fetch_size
        self.waiting = deque()
        self.submitted = deque()
        self.posted = deque()
        self.outstanding = self.fetched = 0
        self.interrupt = None

    def ready(self) -> bool:
        """Return whether a command can be fetched now."""
        return bool(self.submitted) and self.fetched < self.fetch_size

    @cfunc
    def has_room(self) -> bool:
        """Return whether a request can be submitted."""
        return self.outstanding < self.depth and not self.waiting

    @cfunc
    def fill(self, now_ns: int) -> None:
        """Submit commands that wait in the driver, as far as there is room."""
        while self.waiting and self.outstanding < self.depth:
            command: Request = self.waiting.popleft()
            command.submitted_ns = now_ns
            self.submitted.append(command)
            self.outstanding += 1


@final
class NvmeQueue(HostQueue):
    """Requests on their way through queue pairs, of which each stream has some (NVM Express Base Specification).

    The driver splits a read or write of more than `mdts_bytes` into commands, and puts each request into the next pair
    of its stream that has room; a request that finds none waits in the host. The controller fetches commands one by
    one, from queues that the arbitration chooses, while it has less than `queue_depth` under way, and of a queue less
    than its fetch size. The host is told of completions once `aggregation_threshold` of a queue are posted, or
    `aggregation_ns` after the oldest of them was; the response time of a request ends when it is told of its last.
    """

    pairs: list[QueuePair]
    pairs_of_stream: int
    next_pair: list[int]  # by stream: the place among its pairs of the one that is next
    commands: int  # under way in the controller
    unfetched: int  # requests in the pairs of which no command has been fetched
    mdts_bytes: int  # 0: no limit
    aggregation_threshold: int
    aggregation_ns: int
    interrupts: list[Interrupting]  # processes, where they are coalesced

    def __init__(
        self,
        env: Any,
        streams: list[Stream],
        arbitration: Any,
        queue_depth: int,
        device: Any,
        recorder: Any,
        activity: Any,
        oracle: Any,
        wanted: Any,
    ) -> None:
        fetch_size: int = wanted.fetch_size or UNLIMITED
        self.pairs_of_stream = wanted.queue_pairs
        self.pairs = [
            QueuePair(stream.index * wanted.queue_pairs + number, number, stream, wanted.queue_depth, fetch_size)
            for stream in streams
            for number in range(wanted.queue_pairs)
        ]
        self.next_pair = [0] * len(streams)
        self.commands = self.unfetched = 0
        self.interrupts = []
        self.mdts_bytes = 0 if wanted.mdts_kib is None else wanted.mdts_kib * 1024
        self.aggregation_threshold = wanted.aggregation_threshold
        self.aggregation_ns = round(wanted.aggregation_us * 1000)
        HostQueue.__init__(self, env, streams, arbitration, queue_depth, device, recorder, activity, oracle)

    def sources(self) -> list[Any]:
        """Return the queue pairs."""
        return self.pairs

    def start(self) -> None:
        """Start the processes of the queue, and one for the interrupts of each pair if they are coalesced."""
        HostQueue.start(self)
        if self.aggregation_ns and self.aggregation_threshold > 1:
            self.interrupts = [Interrupting(self, pair) for pair in self.pairs]
            for process in self.interrupts:
                run_routine(self.env, process)

    # The host's side.

    @cfunc
    def ring(self, stream: Stream) -> None:
        """Wake the controller, before which the host submits what it can."""
        idle = self.idle
        if idle is not None:
            self.idle = None
            resume_routine(idle, 0)

    @cfunc
    def submit_all(self) -> None:
        """Submit the requests that are there, as far as there is room."""
        now_ns = now(self.env)
        for number in range(len(self.streams)):
            stream: Stream = self.streams[number]
            while stream.ready():
                pair = self.pair_with_room(number)
                if pair is None:
                    break
                self.submit_next(stream, pair, now_ns)

    @cfunc
    def pair_with_room(self, stream: int) -> QueuePair | None:
        """Return the next pair of a stream that has room, after the one that had its last request."""
        count = self.pairs_of_stream
        first: int = self.next_pair[stream]
        for step in range(count):
            place = (first + step) % count
            pair: QueuePair = self.pairs[stream * count + place]
            if pair.has_room():
                self.next_pair[stream] = (place + 1) % count
                return pair
        return None

    @cfunc
    def submit_next(self, stream: Stream, pair: QueuePair, now_ns: int) -> None:
        """Submit the stream's next request, in commands if it is too large for one."""
        request = take_request(self, stream, now_ns)
        request.queue = pair.index
        request.submitted_ns = now_ns
        request.admitted_ns = request.posted_ns = -1
        self.unfetched += 1
        most = self.mdts_bytes
        if not most or request.size_bytes <= most or request.op in (TRIM, FLUSH):
            pair.waiting.append(request)
        else:
            request.remaining = 0
            for first in range(0, request.size_bytes, most):
                command = self.part_of(request, first, min(most, request.size_bytes - first))
                request.remaining += 1
                pair.waiting.append(command)
        pair.fill(now_ns)
        self.changed(pair)

    @cfunc
    def part_of(self, request: Request, first: int, size: int) -> Request:
        """Return a command for `size` bytes of a request from its byte `first` on."""
        command: Request = self.pool.take()
        command.whole = request
        command.id = request.id
        command.number = request.number
        command.stream = request.stream
        command.op = request.op
        command.arrival_ns = request.arrival_ns
        command.access_latency = request.access_latency
        command.fua = request.fua
        command.round = request.round
        command.throttled_ns = request.throttled_ns
        command.offset_bytes = request.offset_bytes + first
        command.size_bytes = size
        return command

    @cfunc
    def changed(self, pair: QueuePair) -> None:
        """Tell the arbitration that a queue may have become ready, or be ready no more."""
        if len(self.pairs) > 1:
            self.arbitration.update(pair)

    # The controller's side.

    @cfunc
    def choose_source(self) -> Source | None:
        """Return the pair whose command is fetched next, or None if there is no room for one, or none."""
        self.submit_all()
        return self.arbitration.choose() if self.commands < self.queue_depth else None

    @cfunc
    def admit(self, source: Source) -> None:
        """Fetch the next command of a pair, and begin to execute it."""
        now_ns = now(self.env)
        pair = cast(QueuePair, source)
        command: Request = pair.submitted.popleft()
        pair.fetched += 1
        self.changed(pair)
        request = command if command.whole is None else command.whole
        if request.admitted_ns < 0:
            request.admitted_ns = now_ns
            self.unfetched -= 1
            count_in(self, now_ns)
        command.queue = pair.index
        self.commands += 1
        command.queue_length = self.commands
        send_request(self, command, now_ns)

    def completed(self, command: Request) -> None:
        """Post the completion of a command, and tell the host, or have it told later."""
        now_ns: int = now(self.env)
        receive_request(self, command, now_ns)
        pair: QueuePair = self.pairs[command.queue]
        self.commands -= 1
        pair.fetched -= 1
        command.posted_ns = now_ns
        request = command if command.whole is None else command.whole
        if command.whole is None:
            command.remaining = 0
        else:
            request.remaining -= 1
            command.remaining = request.remaining  # commands of the request that are left, as the host will see it
        if not command.remaining:
            request.posted_ns = now_ns
            count_out(self, now_ns)
        if self.activity is not None:
            self.activity.ended()
        pair.posted.append(command)
        if not self.aggregation_ns or len(pair.posted) >= self.aggregation_threshold:
            self.tell_host(pair)
        elif pair.interrupt is not None:
            process = pair.interrupt
            pair.interrupt = None
            resume_routine(process, self.aggregation_ns)
        self.changed(pair)
        self.ring(pair.stream)

    @cfunc
    def tell_host(self, pair: QueuePair) -> None:
        """Interrupt the host, which takes all completions of a pair that are posted."""
        now_ns = now(self.env)
        while pair.posted:
            command: Request = pair.posted.popleft()
            pair.outstanding -= 1
            is_last: bool = not command.remaining
            request = command
            if command.whole is not None:
                request = command.whole
                take_parts(request, command, is_last)
                command.whole = None
                command.queue = -1
                self.pool.give_back(command)
            if is_last:
                self.finish(request, now_ns)
        pair.fill(now_ns)
        self.changed(pair)
        self.ring(pair.stream)

    @cfunc
    def finish(self, request: Request, now_ns: int) -> None:
        """Record a request that the host has been told of."""
        record_request(self, request, now_ns)
        request.queue = -1
        go_on_with(self, cast(Stream, self.streams[request.stream]))

    @cfunc
    def end(self) -> None:
        """Tell that all requests are complete, and have no interrupt follow."""
        for number in range(len(self.interrupts)):
            process: Interrupting = self.interrupts[number]
            process.queue = None
        HostQueue.end(self)

    # Looks.

    def requests_inside(self) -> list[Any]:
        """Return the requests that have been submitted, and that the host has not been told of."""
        return [request for request in self.pool.made if request.queue >= 0 and request.whole is None]

    def backlog(self) -> int:
        """Return the requests that have arrived and are not in the device, as far as is followed."""
        return HostQueue.backlog(self) + self.unfetched


@final
class Interrupting(Routine):
    """The process that tells the host of the completions of a pair when the oldest has been posted for long enough."""

    queue: NvmeQueue | None  # None once all requests are complete

    def __init__(self, queue: NvmeQueue, pair: QueuePair) -> None:
        self.queue = queue
        self.pair = pair

    def go_on(self) -> int:
        """Tell the host if it is time, or wait for that, or for the next completion."""
        queue = self.queue
        pair = self.pair
        if queue is None:
            return END
        if pair.posted:
            oldest: Request = pair.posted[0]
            left_ns = oldest.posted_ns + queue.aggregation_ns - now(queue.env)
            if left_ns > 0:
                return left_ns
            queue.tell_host(pair)
        pair.interrupt = self
        return PAUSE


@cfunc
def take_parts(request: Request, command: Request, is_last: bool) -> None:
    """Add the measurements of a command to its request, whose parts are those of the last one."""
    request.buffer_pages += command.buffer_pages
    request.slowest_type = max(request.slowest_type, command.slowest_type)
    if not is_last:
        return
    request.bus_ns = command.bus_ns
    request.array_ns = command.array_ns
    request.gc_ns = command.gc_ns
    request.urgent_gc_ns = command.urgent_gc_ns
    request.mapping_ns = command.mapping_ns
    request.buffer_ns = command.buffer_ns
    request.held_ns = command.held_ns
    request.link_ns = command.link_ns
    request.processor_ns = command.processor_ns
