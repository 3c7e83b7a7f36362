"""Sums and distributions over completed requests."""

from array import array

import cython

if cython.compiled:
    from cython.cimports.ssdsim._core.codes import READ, WRITE
    from cython.cimports.ssdsim._core.latency import LatencyRecorder
else:
    from ssdsim._core.codes import READ, WRITE
    from ssdsim._core.latency import LatencyRecorder

PARTS = ("queue", "bus", "array", "gc")


class Tally:
    """What completed requests add up to: sums and response-time distributions by operation."""

    def __init__(self):
        self.counts = array("q", [0] * 4)
        self.bytes = array("q", [0] * 4)
        self.by_type = array("q", [0] * 4)
        self.response = [LatencyRecorder(), LatencyRecorder()]
        self.parts = array("d", [0.0] * 8)  # in 64 bits, 10**7 waits of 1000 s would run over
        self.done = 0

    def add(self, request, response_ns, queue_ns):
        """Count in a request that took `response_ns`, of which it waited `queue_ns` for other work."""
        op = request.op
        self.counts[op] += 1
        self.bytes[op] += request.size_bytes
        self.done += 1
        if op == WRITE and request.slowest_type >= 0:
            self.by_type[request.slowest_type] += 1
        if op in (READ, WRITE):
            latency = self.response[op]
            latency.add(response_ns)
            self.parts[4 * op] += queue_ns
            self.parts[4 * op + 1] += request.bus_ns
            self.parts[4 * op + 2] += request.array_ns
            self.parts[4 * op + 3] += request.gc_ns

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
        """Return the mean of each of `PARTS` of the response time of `op`, read or write."""
        count = max(self.counts[op], 1)
        return {name: self.parts[4 * op + at] / count for at, name in enumerate(PARTS)}
