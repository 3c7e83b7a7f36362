# cython: infer_types=True
"""A request of the host, and what its response time is made of."""

from __future__ import annotations

from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH
from ssdsim._core.columns import Int64s

PARTS = ("queue", "bus", "array", "gc", "urgent_gc", "mapping", "buffer")
"""The parts of a response time: all but `urgent_gc`, which is one of `gc`, add up to it; `queue` is what is left."""
OUTER_PARTS = ("link", "processor")
"""Parts besides, of a device with a link or a processor that takes time."""
MEASURED: Final = 8  # parts of both but the queue

SECTOR: Final = 512
"""Bytes that a bit of what `Request.touched` returns stands for."""

Bits = int
"""A bit for each sector of a page. A page may have more of them than a C integer, so this is a Python one."""

BIT: Bits = 1
SIGN_BIT = 63  # of a C integer


class RequestOwner:
    """Whoever is to be told that a request is complete: a stage on its way, or what made it."""

    def completed(self, request: Request) -> None:
        """React when a request that this one owns is complete; it may be used again from here."""
        raise NotImplementedError


@final
class Request:
    """One request.

    Its parts are those of the transaction that finished last, or of the write buffer's DRAM: with the time spent
    waiting for other work they add up to the response time, which counts from `arrival_ns`.
    """

    owner: RequestOwner
    about: Any  # what its owner remembers by it
    data: Any  # by LPA, what a write brings or a read found, where integrity is checked; else None
    group: WriteGroup | None  # that its page belongs to
    access_latency: int  # the host's hint: 0 none, 1 idle, 2 normal, 3 low
    number: int  # among those of its stream, from 0
    queue_length: int  # requests in the device queue when this one was admitted, itself included
    page_type: int  # that was specified for a write
    slowest_type: int  # the slowest page type that any page of a write was given; -1: none was
    buffer_pages: int  # that the write buffer served
    remaining: int  # parts not yet done
    fua: bool  # it forces unit access: a write is in flash when it is complete
    submitted_ns: int  # when it was put into its submission queue, if there is one
    urgent_gc_ns: int  # that part of `gc_ns` in which collection had the right of way
    held_ns: int  # part of both: how long it was held itself until a collection was over (`Gate`)
    buffer_ns: int  # in the DRAM of the write buffer, or `dram_ns` where all data shares one DRAM
    dram_ns: int  # there, or waiting for it
    throttled_ns: int  # after its arrival, while its stream had no tokens for it

    def __init__(self) -> None:
        self.owner = None
        self.about = None
        self.data = None
        self.group = None
        self.id = self.stream = self.op = 0
        self.access_latency = self.number = self.queue_length = self.page_type = 0
        self.arrival_ns = self.admitted_ns = self.offset_bytes = self.size_bytes = 0
        self.buffer_pages = self.remaining = 0
        self.fua = False
        self.slowest_type = self.submitted_ns = -1
        self.bus_ns = self.array_ns = self.gc_ns = self.urgent_gc_ns = self.mapping_ns = 0
        self.buffer_ns = self.held_ns = self.link_ns = self.processor_ns = self.throttled_ns = self.dram_ns = 0

    @cfunc
    def add_parts(self, sums: Int64s, first: int) -> None:
        """Add each measured part, in the order of `PARTS` and `OUTER_PARTS`, to one of `sums` from `first` on."""
        sums[first] += self.bus_ns
        sums[first + 1] += self.array_ns
        sums[first + 2] += self.gc_ns
        sums[first + 3] += self.urgent_gc_ns
        sums[first + 4] += self.mapping_ns
        sums[first + 5] += self.buffer_ns
        sums[first + 6] += self.link_ns
        sums[first + 7] += self.processor_ns

    @cfunc
    def part_done(self) -> None:
        """Count one part of it as done, and tell its owner after the last."""
        self.remaining -= 1
        if self.remaining == 0:
            self.owner.completed(self)

    def needed_no_flash(self, mapping_ns: int, buffer_ns: int) -> None:
        """Count a part of it as done, or about to be, that took only this."""
        self.bus_ns = self.array_ns = 0
        self.gc_ns = self.urgent_gc_ns = self.held_ns
        self.mapping_ns = mapping_ns
        self.buffer_ns = buffer_ns

    def pages(self, page_bytes: int) -> int:
        """Return how many pages it touches."""
        last = (self.offset_bytes + self.size_bytes - 1) // page_bytes
        return 0 if self.op == FLUSH else last - self.offset_bytes // page_bytes + 1

    def bytes_of(self, lpa: int, page_bytes: int) -> int:
        """Return how many bytes of page `lpa` it touches."""
        start = max(self.offset_bytes, lpa * page_bytes)
        return min(self.offset_bytes + self.size_bytes, (lpa + 1) * page_bytes) - start

    def touched(self, lpa: int, page_bytes: int) -> Bits:
        """Return the sectors of page `lpa` that it touches, as bits: part of one counts as the whole."""
        sector: int = SECTOR
        one: int = BIT
        start: int = max(self.offset_bytes - lpa * page_bytes, 0) // sector
        end: int = (min(self.offset_bytes + self.size_bytes - lpa * page_bytes, page_bytes) + sector - 1) // sector
        if end < SIGN_BIT:
            return (one << end) - (one << start)
        return (BIT << end) - (BIT << start)


@final
class WriteGroup:
    """Pages that are to be written together: transactions that wait until all `size` of them have come."""

    members: list[Any]  # that have come
    collection: int  # whose row they are to complete, or -1
    since_ns: int  # when they began to wait for garbage collection, or -1

    def __init__(self, size: int) -> None:
        self.size = size
        self.members = []
        self.collection = self.since_ns = -1


@final
class RequestPool:
    """Requests used again and again, so that the hot path allocates nothing."""

    free: list[Any]  # the first `spare` of them; it has room for all, as growing and shrinking takes long
    made: list[Any]  # all of them

    def __init__(self) -> None:
        self.free = []
        self.made = []
        self.spare = 0

    def take(self) -> Request:
        """Return a request with its measurements at zero."""
        if not self.spare:
            request = Request()
            self.made.append(request)
            self.free.append(request)
            return request
        self.spare -= 1
        request = cast(Request, self.free[self.spare])
        request.bus_ns = request.array_ns = request.gc_ns = 0
        request.urgent_gc_ns = request.mapping_ns = request.buffer_ns = request.held_ns = 0
        request.link_ns = request.processor_ns = request.throttled_ns = request.dram_ns = 0
        request.buffer_pages = 0
        request.slowest_type = -1
        return request

    def taken(self) -> list[Any]:
        """Return the requests that have an owner to tell of their completion."""
        return [request for request in self.made if request.owner is not None]

    def give_back(self, request: Request) -> None:
        """Keep a completed request for the next `take`."""
        self.free[self.spare] = request
        self.spare += 1


class RequestObserver:
    """Takes note of requests that are complete."""

    def add(self, request: Request, response_ns: int) -> None:
        """Take note of a request that took `response_ns`."""
