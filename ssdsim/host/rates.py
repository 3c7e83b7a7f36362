# cython: infer_types=True
"""Limits of what streams send, and when a stream that has spent all may go on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine, resume_routine
from ssdsim.host.request import Request
from ssdsim.host.stream import Stream


def cost_ns(amount: Any, rate: Any) -> int:
    """Return the time in which a bucket gets tokens for `amount` at `rate` a second, rounded up: never too few."""
    return int(-(-amount * 10**9 // rate))  # of Python's numbers, which do not overflow


@final
class TokenBucket:
    """Two buckets of tokens, for bytes and for requests, each of which holds what comes in `burst_ns`.

    A request goes when there are tokens for it in both, or when those are full for which it is too large. Tokens are
    kept as the time at which a bucket will be full (the generic cell rate algorithm, ITU-T I.371, Annex A).
    """

    byte_rate: Any  # bytes a second, 0: no limit
    request_ns: int  # time for a token of a request, 0: no limit
    burst_ns: int
    bytes_full_ns: int
    requests_full_ns: int
    due_ns: int  # when the next request may go
    check: Any  # that it keeps its rates (`ssdsim.check.rates`), or None

    def __init__(self, mib_s: Any, iops: Any, burst_ms: Any, now_ns: Any) -> None:
        self.byte_rate = 0 if mib_s is None else round(mib_s * 2**20)
        self.request_ns = 0 if iops is None else cost_ns(1, Fraction(iops))
        self.burst_ns = round(burst_ms * 1e6)
        self.bytes_full_ns = self.requests_full_ns = now_ns
        self.due_ns = now_ns
        self.check = None

    def bytes_ns(self, op: int, size_bytes: int) -> int:
        """Return the time for the bytes of a request."""
        return cost_ns(size_bytes, self.byte_rate) if self.byte_rate and op in (READ, WRITE) else 0

    def requests_ns(self, op: int) -> int:
        """Return the time for a request as such."""
        return 0 if op == FLUSH else self.request_ns

    def await_tokens(self, op: int, size_bytes: int) -> None:
        """Note from when on there are tokens for a request, the next one."""
        due_ns = self.bytes_full_ns - self.burst_ns + min(self.bytes_ns(op, size_bytes), self.burst_ns)
        requests_due_ns = self.requests_full_ns - self.burst_ns + min(self.requests_ns(op), self.burst_ns)
        if not self.request_ns or op == FLUSH:
            requests_due_ns = due_ns
        if not self.byte_rate or op not in (READ, WRITE):
            due_ns = requests_due_ns
        self.due_ns = 0 if op == FLUSH else max(due_ns, requests_due_ns)

    def spend(self, op: int, size_bytes: int, now_ns: int) -> None:
        """Take the tokens of a request, which goes now."""
        if self.check is not None:
            self.check.sent(op, size_bytes, now_ns)
        self.bytes_full_ns = max(self.bytes_full_ns, now_ns) + self.bytes_ns(op, size_bytes)
        self.requests_full_ns = max(self.requests_full_ns, now_ns) + self.requests_ns(op)


@final
class Throttling(Routine):
    """The process that lets a stream go on when there are tokens for its next request."""

    queue: Any  # the `HostQueue`
    sleeps: bool  # until the next request may go

    def __init__(self, queue: Any, stream: Stream) -> None:
        self.queue = queue
        self.stream = stream
        self.sleeps = True  # until it has begun

    @cfunc
    def sent(self, request: Request, now_ns: int) -> None:
        """Spend the tokens of a request that the stream sends now, and hold the next until there are some for it."""
        stream = self.stream
        bucket: TokenBucket = stream.bucket
        request.throttled_ns = max(bucket.due_ns - request.arrival_ns, 0)
        bucket.spend(request.op, request.size_bytes, now_ns)
        # of a live stream the next request is yet to come
        if not stream.exhausted and not (stream.is_live and stream.arrived == stream.admitted):
            self.hold(now_ns)

    @cfunc
    def hold(self, now_ns: int) -> None:
        """Hold the next request of the stream until there are tokens for it."""
        stream = self.stream
        bucket: TokenBucket = stream.bucket
        bucket.await_tokens(stream.op[stream.row], stream.size_bytes[stream.row])
        left_ns = bucket.due_ns - now_ns
        if left_ns > 0:
            stream.held = True
            if not self.sleeps:
                self.sleeps = True
                resume_routine(self, left_ns)

    def go_on(self) -> int:
        """Wait for tokens, and wake the queue when there are some."""
        stream = self.stream
        bucket: TokenBucket = stream.bucket
        left_ns = bucket.due_ns - now(self.queue.env)
        if stream.held and left_ns > 0:
            return left_ns
        stream.held = False
        self.sleeps = False
        self.queue.ring_for(stream)
        return PAUSE
