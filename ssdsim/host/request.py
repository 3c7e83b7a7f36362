"""A request of the host, and what its response time is made of."""

import cython

SECTOR = 512
"""Bytes that a bit of what `Request.touched` returns stands for."""

BIT = 1
"""The first of those bits, as a Python integer: a page may have more of them than a C one."""

SIGN_BIT = 63
"""The bit that a C integer has for its sign."""


class Request:
    """One request.

    `bus_ns`, `array_ns`, `gc_ns` and `mapping_ns` are those of the transaction that finished last, or `buffer_ns` that
    of the write buffer's DRAM: with the time spent waiting for other work they add up to the response time, which
    counts from `arrival_ns`. `urgent_gc_ns` is that part of `gc_ns` in which collection had the right of way
    (`Transaction`); both include `held_ns`, the time for which the request itself was held until a collection was over
    (`Gate`). `group` is what a page of a request of the write buffer's is to be written along with, or None. `data` has
    images of pages (`ssdsim.check.data`) by logical page, where integrity is checked: those that a write brings, and
    those that a read has found so far.
    """

    def __init__(self):
        self.owner = None
        self.about = None
        self.data = None
        self.group = None
        self.next = None
        self.previous = None
        self.id = self.stream = self.op = 0
        self.access_latency = self.round = self.queue_length = self.page_type = 0
        self.slowest_type = -1
        self.arrival_ns = self.admitted_ns = self.offset_bytes = self.size_bytes = 0
        self.buffer_pages = 0
        self.remaining = 0
        self.bus_ns = self.array_ns = self.gc_ns = self.urgent_gc_ns = self.mapping_ns = 0
        self.buffer_ns = self.held_ns = 0

    def needed_no_flash(self, mapping_ns, buffer_ns):
        """Count a part of it as done, or about to be, that took only this."""
        self.bus_ns = self.array_ns = 0
        self.gc_ns = self.urgent_gc_ns = self.held_ns
        self.mapping_ns = mapping_ns
        self.buffer_ns = buffer_ns

    def bytes_of(self, lpa, page_bytes):
        """Return how many bytes of page `lpa` it touches."""
        start = max(self.offset_bytes, lpa * page_bytes)
        return min(self.offset_bytes + self.size_bytes, (lpa + 1) * page_bytes) - start

    def touched(self, lpa, page_bytes):
        """Return the sectors of page `lpa` that it touches, as bits: part of one counts as the whole."""
        sector: cython.longlong = SECTOR
        one: cython.longlong = BIT
        start = max(self.offset_bytes - lpa * page_bytes, 0) // sector
        end = (min(self.offset_bytes + self.size_bytes - lpa * page_bytes, page_bytes) + sector - 1) // sector
        if end < SIGN_BIT:
            return (one << end) - (one << start)
        return (BIT << end) - (BIT << start)


class WriteGroup:
    """Pages that are to be written together: transactions that wait until all `size` of them have come.

    `members` are those that have. `collection` is the one whose row they are to complete, or -1; `since_ns`, when they
    began to wait for garbage collection, or -1.
    """

    def __init__(self, size):
        self.size = size
        self.members = []
        self.collection = self.since_ns = -1


class RequestPool:
    """Requests used again and again, so that the hot path allocates nothing."""

    def __init__(self):
        self.free = None

    def take(self):
        """Return a request with its measurements at zero."""
        request = self.free
        if request is None:
            return Request()
        self.free = request.next
        request.next = None
        request.bus_ns = request.array_ns = request.gc_ns = 0
        request.urgent_gc_ns = request.mapping_ns = request.buffer_ns = request.held_ns = 0
        request.buffer_pages = 0
        request.slowest_type = -1
        return request

    def give_back(self, request):
        """Keep a completed request for the next `take`."""
        request.next = self.free
        self.free = request
