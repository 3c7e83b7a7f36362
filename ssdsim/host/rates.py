# cython: infer_types=True
"""Limits of what streams send, and when a stream that has spent all may go on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, TRIM
from ssdsim._core.either_kernel import run_routine
from ssdsim._core.inlined import now
from ssdsim._core.schedule import PAUSE, Routine, resume_routine
from ssdsim.host.request import Request
from ssdsim.host.stream import Stream


@final
class Tokens:
    """Tokens of one kind, which come at `rate` a second, and are kept up to those of `burst_ns`; None: no limit.

    They are kept as the time at which all are there (the generic cell rate algorithm, ITU-T I.371, Annex A), in parts
    of a nanosecond so small that nothing is rounded but the time at which a request goes, which is never too early.
    """

    parts: Any  # of a nanosecond; these are Python's integers, which do not overflow
    cost: Any  # of a token, in parts, as are the others
    burst: Any
    full: Any

    def __init__(self, rate: Any, burst_ns: Any, now_ns: Any) -> None:
        self.parts = 1 if rate is None else rate.numerator
        self.cost = 0 if rate is None else rate.denominator * 10**9
        self.burst = burst_ns * self.parts
        self.full = now_ns * self.parts

    def due_ns(self, amount: Any) -> Any:
        """Return the time from which on there are `amount` tokens, or as many as the bucket holds, in ns."""
        return -((self.burst - self.full - min(amount * self.cost, self.burst)) // self.parts)

    def spend(self, amount: Any, now_ns: Any) -> None:
        """Take `amount` tokens out of the bucket."""
        # what has come since the last whole nanosecond is not lost, or a rate would not be kept in the long run
        if self.full <= (now_ns - 1) * self.parts:
            self.full = now_ns * self.parts
        self.full += amount * self.cost


@final
class Throttle(Routine):
    """The process that keeps a stream to its rates: a request goes when there are tokens for its bytes and for itself.

    Its tokens outlast a loss of power, as the stream does: it begins anew with each device queue.
    """

    queue: Any  # the `HostQueue`
    byte_tokens: Tokens
    request_tokens: Tokens
    due_ns: int  # when the next request may go
    sleeps: bool  # until the next request may go, or until it has begun

    def __init__(self, stream: Stream, mib_s: Any, iops: Any, burst_ms: Any, now_ns: Any) -> None:
        burst_ns = round(burst_ms * 1e6)
        self.stream = stream
        self.byte_tokens = Tokens(None if mib_s is None else Fraction(mib_s) * 2**20, burst_ns, now_ns)
        self.request_tokens = Tokens(None if iops is None else Fraction(iops), burst_ns, now_ns)
        self.due_ns = now_ns

    def begin(self, queue: Any) -> None:
        """Begin to hold requests of the stream before a device queue."""
        self.queue = queue
        self.sleeps = True
        run_routine(queue.env, self)

    @cfunc
    def sent(self, request: Request, now_ns: int) -> None:
        """Spend the tokens of a request that the stream sends now, and hold the next until there are some for it."""
        stream = self.stream
        request.throttled_ns = max(self.due_ns - request.arrival_ns, 0)
        if request.op != FLUSH:
            self.byte_tokens.spend(request.size_bytes if request.op != TRIM else 0, now_ns)
            self.request_tokens.spend(1, now_ns)
        # of a live stream the next request is yet to come
        if not stream.exhausted and not (stream.is_live and stream.arrived == stream.admitted):
            self.hold(now_ns)

    @cfunc
    def hold(self, now_ns: int) -> None:
        """Hold the next request of the stream until there are tokens for it."""
        reader = self.stream.reader
        op = reader.op[reader.row]
        self.due_ns = 0
        if op != FLUSH:
            moved = reader.size_bytes[reader.row] if op != TRIM else 0
            self.due_ns = max(self.byte_tokens.due_ns(moved), self.request_tokens.due_ns(1))
        if self.due_ns > now_ns:
            self.stream.held = True
            if not self.sleeps:
                self.sleeps = True
                resume_routine(self, self.due_ns - now_ns)

    def go_on(self) -> int:
        """Wait for tokens, and wake the queue when there are some."""
        left_ns = self.due_ns - now(self.queue.env)
        if self.stream.held and left_ns > 0:
            return left_ns
        self.stream.held = False
        self.sleeps = False
        self.queue.ring(self.stream)
        return PAUSE
