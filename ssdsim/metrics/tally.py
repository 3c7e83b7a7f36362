# cython: infer_types=True
"""Sums and distributions over completed requests: of a run, and of each round of a workload that repeats itself."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from ssdsim._core.codes import WRITE
from ssdsim._core.columns import Int64s
from ssdsim._core.latency import EXACT, LatencyCauses, LatencyGroups, LatencyParts, LatencyRecorder
from ssdsim.host.request import Request

PARTS = ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer")
"""What a response time is made of: all but `urgent_gc`, which is a part of `gc`, add up to it."""

OUTER_PARTS = ("link", "processor")
"""Parts besides, of a device with a link or a processor that takes time."""


class Tally:
    """What completed requests add up to: sums and response-time distributions by operation, and their parts."""

    times: LatencyGroups  # of one group
    parts: LatencyParts  # by operation
    outer: LatencyCauses | None  # by operation, of `OUTER_PARTS`, where there are any
    outer_ns: Int64s  # those of the request that came last
    by_type: Int64s  # writes, by the slowest page type that a page of theirs was given
    done: int  # requests

    def __init__(self, has_outer_parts: bool = False) -> None:
        self.times = LatencyGroups(1, EXACT)
        self.parts = LatencyParts(4)
        self.outer = LatencyCauses(4, len(OUTER_PARTS)) if has_outer_parts else None
        self.outer_ns = array("q", [0] * len(OUTER_PARTS))
        self.by_type = array("q", [0] * 4)
        self.done = 0

    def add(self, request: Request, response_ns: int) -> None:
        """Count in a request that took `response_ns`."""
        self.done += 1
        if request.op == WRITE and request.slowest_type >= 0:  # -1 is a write whose pages were given no type
            self.by_type[request.slowest_type] += 1
        self.times.add(0, request.op, response_ns, request.size_bytes)
        self.parts.add(
            request.op,
            response_ns,
            request.bus_ns,
            request.array_ns,
            request.gc_ns,
            request.urgent_gc_ns,
            request.mapping_ns,
            request.buffer_ns,
        )
        if self.outer is not None:
            self.outer_ns[0] = request.link_ns
            self.outer_ns[1] = request.processor_ns
            self.outer.add(request.op, response_ns, self.outer_ns)

    def response(self, op: int) -> LatencyRecorder:
        """Return the distribution of the response times of `op`, which answers without any request, too."""
        return self.times.of(0, op)[0] or LatencyRecorder()

    def count(self, op: int) -> int:
        """Return how many requests of `op` are complete."""
        return self.response(op).count

    def size_bytes(self, op: int) -> int:
        """Return the bytes of the complete requests of `op`."""
        return self.times.of(0, op)[1]

    def slowest(self, op: int, count: int) -> tuple[float, dict[str, float]]:
        """Return the mean response time of the `count` slowest requests of `op`, and that of each of its parts.

        These are the requests of the slowest bins of the histogram, at most 1.6 percent wide; one of which only a part
        is wanted counts with its mean.
        """
        queue, bus, array_ns, gc, urgent_gc, mapping, buffer = self.parts.slowest(op, count).tolist()
        total = queue + bus + array_ns + gc + mapping + buffer  # `urgent_gc` is a part of `gc`
        outer = [] if self.outer is None else self.outer.slowest(op, count).tolist()
        parts = dict(zip(PARTS, (queue - sum(outer), bus, array_ns, gc, urgent_gc, mapping, buffer), strict=True))
        parts |= dict(zip(OUTER_PARTS, outer, strict=False))
        divisor = max(count, 1)
        return total / divisor, {name: part / divisor for name, part in parts.items()}


class Rounds:
    """Measures each round, of `requests` requests, by a tally of its own; `finished` has the report on each.

    A round is finished when all of its requests and of those of the rounds before it are complete: none is any more
    once a loss of power has taken one.
    """

    finished: list[Any]
    unfinished: dict[int, Tally]  # by round

    def __init__(self, requests: int, report: Callable[[Tally], Any], has_outer_parts: bool = False) -> None:
        self.requests = requests
        self.has_outer_parts = has_outer_parts
        self.report = report
        self.finished = []
        self.unfinished = {}

    def add(self, request: Request, response_ns: int) -> None:
        """Count in a completed request of the workload."""
        tally: Tally = self.unfinished.get(request.round)
        if tally is None:
            tally = self.unfinished[request.round] = Tally(self.has_outer_parts)
        tally.add(request, response_ns)
        if tally.done == self.requests:
            self.finish()

    def finish(self) -> None:
        """Report on the rounds that are finished and have not been reported on: a later one waits for those before."""
        while True:
            tally: Tally = self.unfinished.get(len(self.finished))
            if tally is None or tally.done < self.requests:
                return
            del self.unfinished[len(self.finished)]
            self.finished.append(self.report(tally))
