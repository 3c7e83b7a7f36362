# cython: infer_types=True
"""Depth, waits and response times of each NVMe queue pair."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.latency import EXACT, LatencyGroups
from ssdsim.host.request import Request


@final
class QueueTally:
    """Sums and response times by queue pair, in nanoseconds."""

    times: LatencyGroups
    requests: Int64s
    most: Int64s  # commands outstanding
    outstanding_ns: Int64s  # of commands, from submission until the host was told
    fetch_wait_ns: Int64s  # of requests, from arrival until the first command was fetched
    interrupt_wait_ns: Int64s  # of requests, from the last completion entry until the host was told
    interrupts: Int64s

    def __init__(self, queues: Any) -> None:
        self.times = LatencyGroups(queues, EXACT)
        columns = [array("q", [0] * queues) for _ in range(6)]
        self.requests, self.most, self.outstanding_ns, *waits, self.interrupts = columns
        self.fetch_wait_ns, self.interrupt_wait_ns = waits

    @cfunc
    def deepen(self, queue: int, outstanding: int) -> None:
        """Note how many commands of a queue are outstanding."""
        self.most[queue] = max(self.most[queue], outstanding)

    @cfunc
    def add_command(self, queue: int, outstanding_ns: int) -> None:
        """Count the time for which a command was outstanding."""
        self.outstanding_ns[queue] += outstanding_ns

    @cfunc
    def add_interrupt(self, queue: int) -> None:
        """Count an interrupt."""
        self.interrupts[queue] += 1

    @cfunc
    def add(self, request: Request, response_ns: int) -> None:
        """Count in a request of which the host is told now."""
        queue = request.queue
        self.times.add(queue, request.op, response_ns, request.size_bytes)
        self.requests[queue] += 1
        self.fetch_wait_ns[queue] += request.admitted_ns - request.arrival_ns
        self.interrupt_wait_ns[queue] += request.arrival_ns + response_ns - request.posted_ns

    def latencies(self, queue: int, op: int) -> Any:
        """Return the response times of an operation, None without any, and the bytes."""
        return self.times.of(queue, op)
