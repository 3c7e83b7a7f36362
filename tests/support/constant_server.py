"""A device that serves any number of requests at once, each in the same time, and what a queue sends into it."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from ssdsim.host.arbitration import RoundRobin
from ssdsim.host.queue import HostQueue
from ssdsim.host.stream import Stream, stream_of
from ssdsim.metrics.recorder import Recorder, Sampled, Windows
from ssdsim.stage import Stage
from ssdsim.workload import Chunk
from support.tiny_device import PAGE

NEVER = 10**15


@attrs.frozen
class Timed:
    """Reads of page 0, 1, 2 and so on in short chunks: `times_ns` are arrivals or, closed loop, idle times."""

    times_ns: Sequence[int]
    queue_depth: int | None = None
    chunk_rows: int = 3

    @property
    def requests(self):
        return len(self.times_ns)

    def chunks(self):
        for first in range(0, self.requests, self.chunk_rows):
            times = np.array(self.times_ns[first : first + self.chunk_rows], np.int64)
            offsets = (first + np.arange(len(times))) * PAGE
            yield Chunk(times, np.zeros(len(times), np.uint8), offsets, np.full(len(times), PAGE))


class ConstantServer(Stage):
    """Completes each request `service_ns` after it was sent; `sent` holds (stream, page, time) of all."""

    def __init__(self, env, service_ns, sent):
        self.env, self.service_ns, self.sent = env, service_ns, sent

    def submit(self, request):
        self.sent.append((request.stream, request.offset_bytes // PAGE, int(self.env.now)))
        self.env.process(self.serve(request))

    def serve(self, request):
        yield self.env.timeout(self.service_ns)
        request.owner.completed(request)


def streams_of(loads: Sequence[Timed]) -> list[Stream]:
    """Return a stream a load."""
    return [stream_of(index, str(index), 1, load) for index, load in enumerate(loads)]


def serve(
    env: Any, streams: list[Stream], service_ns: int, sent: list[Any], depth: int = NEVER, activity: Any = None
) -> HostQueue:
    """Start a queue that sends the requests of `streams` to a constant server."""
    device, recorder = ConstantServer(env, service_ns, sent), Recorder(Windows(Sampled(7)))
    queue = HostQueue(env, streams, RoundRobin(), depth, device, recorder, activity=activity)
    queue.start()
    return queue


def expected(load: Timed, service_ns: int, cuts: Sequence[tuple[int, int]] = ()) -> list[int]:
    """Return when a constant server is sent each request of a stream; power is off between the times of each cut."""
    cuts, now, sent, in_service = [*cuts], 0, [], []
    while len(sent) < load.requests:
        wait = load.times_ns[len(sent)]
        if load.queue_depth is None:
            at = max(now, wait)
        elif wait:
            at = max([now, *in_service]) + wait
        else:
            at = max(now, min(in_service)) if len(in_service) == load.queue_depth else now
        if cuts and at >= cuts[0][0]:
            now, in_service = cuts.pop(0)[1], []
        else:
            now, in_service = at, [end for end in in_service if end > at] + [at + service_ns]
            sent.append(at)
    return sent
