# cython: infer_types=True
"""Interfaces of drives: NVMe's queue pairs, and the one queue of SATA."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ, WRITE
from ssdsim._core.inlined import now
from ssdsim.host.arbitration import UNLIMITED
from ssdsim.host.queue import HostQueue, take_request
from ssdsim.host.stream import Stream, is_ready

TAGS: Final = 32
"""Commands that SATA has under way at once."""


@final
class NvmeQueue(HostQueue):
    """Requests on their way through queue pairs, of which each stream has one (NVM Express Base Specification).

    The driver puts each request, as one command, into the pair of its stream; a request that finds no room waits in the
    host. The controller fetches commands one by one, from queues that the arbitration chooses, while it has less than
    `queue_depth` under way, and of a queue less than its fetch size.
    """

    def __init__(self, wanted: Any, env: Any, streams: list[Stream], *parts: Any) -> None:
        for stream in streams:
            stream.submitted = [None] * wanted.queue_depth
            stream.fetched = stream.admitted
            stream.fetch_size = wanted.fetch_size or UNLIMITED
        HostQueue.__init__(self, env, streams, *parts)
        self.pair_depth: int = wanted.queue_depth

    @cfunc
    def choose_stream(self) -> Stream | None:
        """Return the stream whose command is fetched next, after the host has submitted what there is room for."""
        now_ns = now(self.env)
        stream: Stream
        for stream in self.streams:
            while stream.can_send() and stream.outstanding < self.pair_depth:
                request = take_request(self, stream, now_ns)
                request.submitted_ns = now_ns
                request.admitted_ns = -1
                stream.submitted[request.number % self.pair_depth] = request
                if len(self.streams) > 1:
                    self.arbitration.update(stream)
        return HostQueue.choose_stream(self)


@final
class SataQueue(HostQueue):
    """Admits up to 32 reads and writes at a time, and anything else alone (Serial ATA, «Native Command Queuing»).

    A flush and a trim are no queued commands: one that is next waits until all others are complete, and no other is
    sent until it is.
    """

    turn: Stream | None  # whose next request is to be sent alone, and has the turn
    is_alone: bool  # the request in the device is one that is sent alone

    def __init__(self, *parts: Any) -> None:
        HostQueue.__init__(self, *parts)
        self.queue_depth = min(self.queue_depth, TAGS)
        self.turn = None
        self.is_alone = False

    @cfunc
    def choose_stream(self) -> Stream | None:
        """Return the stream whose request is sent next, or None if there is none, or it has to wait."""
        if self.in_flight and self.is_alone:
            return None
        stream = self.turn
        if stream is None or not is_ready(stream):
            stream = HostQueue.choose_stream(self)
            if stream is None:
                return None
        op = stream.reader.op[stream.reader.row]
        if op in (READ, WRITE):
            self.is_alone = False
            return stream
        self.turn = stream
        if self.in_flight:
            return None
        self.turn = None
        self.is_alone = True
        return stream
