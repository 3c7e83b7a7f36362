"""Sums and distributions over completed requests."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import WRITE
    from cython.cimports.ssdsim._core.latency import LatencyParts, LatencyRecorder
else:
    from ssdsim._core.codes import WRITE
    from ssdsim._core.latency import LatencyParts, LatencyRecorder

PARTS = ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer")
"""What a response time is made of: all but `urgent_gc`, which is a part of `gc`, add up to it."""


class Tally:
    """What completed requests add up to: sums and response-time distributions by operation, and their parts."""

    def __init__(self):
        self.counts = array("q", [0] * 4)
        self.bytes = array("q", [0] * 4)
        self.by_type = array("q", [0] * 4)
        self.response = [LatencyRecorder() for _ in range(4)]
        self.parts = [LatencyParts() for _ in range(4)]
        self.done = 0

    def add(self, request, response_ns):
        """Count in a request that took `response_ns`."""
        op = request.op
        self.counts[op] += 1
        self.bytes[op] += request.size_bytes
        self.done += 1
        if op == WRITE and request.slowest_type >= 0:
            self.by_type[request.slowest_type] += 1
        latency = self.response[op]
        latency.add(response_ns)
        parts = self.parts[op]
        parts.add(
            response_ns,
            request.bus_ns,
            request.array_ns,
            request.gc_ns,
            request.urgent_gc_ns,
            request.mapping_ns,
            request.buffer_ns,
        )

    def count(self, op):
        """Return how many requests of `op` are complete."""
        return self.counts[op]

    def size_bytes(self, op):
        """Return the bytes of the complete requests of `op`."""
        return self.bytes[op]

    def writes_by_type(self):
        """Return how many writes are complete, by the slowest page type that a page of theirs was given."""
        return list(self.by_type)

    def part_means_ns(self, op):
        """Return the mean of each of `PARTS` of the response time of `op`."""
        return self.slowest(op, self.counts[op])[1]

    def slowest(self, op, count):
        """Return the mean response time of the `count` slowest requests of `op`, and that of each of `PARTS`.

        These are the requests of the slowest bins of the histogram, at most 1.6 percent wide; one of which only a part
        is wanted counts with its mean.
        """
        total, bus, array_ns, gc, urgent_gc, mapping, buffer = self.parts[op].slowest(count).tolist()
        queue = total - bus - array_ns - gc - mapping - buffer
        parts = (queue, bus, array_ns, gc, urgent_gc, mapping, buffer)
        most = max(count, 1)
        return total / most, {name: part / most for name, part in zip(PARTS, parts, strict=True)}
