# cython: infer_types=True
"""NVMe: pairs of submission and completion queues, and the fetching of commands."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.inlined import now
from ssdsim._core.kernel import resume_routine
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

    A command is `submitted` until the controller fetches it; `outstanding` counts those from submission on.
    """

    stream: Stream
    depth: int  # commands outstanding at most
    fetch_size: int  # commands under way in the controller at most
    submitted: deque[Request]
    outstanding: int
    fetched: int  # under way in the controller

    def __init__(self, index: int, number: int, stream: Stream, depth: int, fetch_size: int) -> None:
        self.index = index
        self.name = f"{stream.name}/{number}"
        self.weight = stream.weight
        self.priority = stream.priority
        self.stream = stream
        self.depth = depth
        self.fetch_size = fetch_size
        self.submitted = deque()
        self.outstanding = self.fetched = 0

    def ready(self) -> bool:
        """Return whether a command can be fetched now."""
        return bool(self.submitted) and self.fetched < self.fetch_size


@final
class NvmeQueue(HostQueue):
    """Requests on their way through queue pairs, of which each stream has some (NVM Express Base Specification).

    The driver puts each request, as one command, into the next pair of its stream that has room; a request that finds
    none waits in the host. The controller fetches commands one by one, from queues that the arbitration chooses, while
    it has less than `queue_depth` under way, and of a queue less than its fetch size.
    """

    pairs: list[QueuePair]
    pairs_of_stream: int
    next_pair: list[int]  # by stream: the place among its pairs of the one that is next
    unfetched: int  # commands in the pairs

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
        self.unfetched = 0
        HostQueue.__init__(self, env, streams, arbitration, queue_depth, device, recorder, activity, oracle)

    def sources(self) -> list[Any]:
        """Return the queue pairs."""
        return self.pairs

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
            if pair.outstanding < pair.depth:
                self.next_pair[stream] = (place + 1) % count
                return pair
        return None

    @cfunc
    def submit_next(self, stream: Stream, pair: QueuePair, now_ns: int) -> None:
        """Submit the stream's next request."""
        request = take_request(self, stream, now_ns)
        request.queue = pair.index
        request.submitted_ns = now_ns
        request.admitted_ns = -1
        self.unfetched += 1
        pair.submitted.append(request)
        pair.outstanding += 1
        self.changed(pair)

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
        return self.arbitration.choose() if self.in_flight < self.queue_depth else None

    @cfunc
    def admit(self, source: Source) -> None:
        """Fetch the next command of a pair, and begin to execute it."""
        now_ns = now(self.env)
        pair = cast(QueuePair, source)
        request: Request = pair.submitted.popleft()
        pair.fetched += 1
        self.changed(pair)
        self.unfetched -= 1
        count_in(self, now_ns)
        request.queue_length = self.in_flight
        send_request(self, request, now_ns)

    def completed(self, request: Request) -> None:
        """Tell the host that a command is complete."""
        now_ns: int = now(self.env)
        receive_request(self, request, now_ns)
        count_out(self, now_ns)
        pair: QueuePair = self.pairs[request.queue]
        pair.fetched -= 1
        pair.outstanding -= 1
        if self.activity is not None:
            self.activity.ended()
        record_request(self, request, now_ns)
        request.queue = -1
        go_on_with(self, pair.stream)
        self.changed(pair)
        self.ring(pair.stream)

    # Looks.

    def requests_inside(self) -> list[Any]:
        """Return the requests that have been submitted and are not complete."""
        return [request for request in self.pool.made if request.queue >= 0]

    def backlog(self) -> int:
        """Return the requests that have arrived and are not in the device, as far as is followed."""
        return HostQueue.backlog(self) + self.unfetched
