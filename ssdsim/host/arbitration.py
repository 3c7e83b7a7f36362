# cython: infer_types=True
"""Which stream's request goes into the device next when there is room, or which submission queue's."""

from __future__ import annotations

from array import array
from typing import Any, Final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.config.validators import check_option, is_count
from ssdsim.device_view import Policy
from ssdsim.host.stream import Stream

UNLIMITED: Final = 1 << 30
"""Requests of a burst without a limit."""

MOST_WEIGHT = 256
"""The largest weight of a class of priority: it has 8 bits in NVMe, 0 for 1."""

URGENT: Final = 0
CLASSES: Final = 4  # of priority, the urgent one first


class Arbitration(Policy):
    """Chooses among streams, or with `host.interface=nvme` among their submission queues.

    `bind` is called once with all streams, in order. Where there are several, `update` is called when one may have
    become ready, or be ready no more, and `choose` when there is room in the device. It returns one of the streams that
    are `ready()`, or None if none is; only the policy's own state may change. A stream has an `index`, a `name`, a
    `weight` (`host.weights`) and a class of `priority` (`host.priorities`), from 0 (urgent) to 3 (low).
    """

    streams: list[Stream]
    last: int

    owed = ("choose() -> a ready stream or None",)

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams."""
        self.streams = streams
        self.last = len(streams) - 1

    def update(self, stream: Stream) -> None:
        """React to a change of a stream."""

    def choose(self) -> Stream | None:
        """Return the stream whose request is admitted next, or None."""
        raise NotImplementedError


class RoundRobin(Arbitration):
    """The streams in turn, continuing after the one served last; each up to `burst` times in its turn (NVMe).

    Which are ready is kept, a byte each, so that choosing looks at no stream but the one that it chooses.
    """

    is_ready: Int8s
    ready_streams: int
    burst: int
    credit: int  # for how many more requests the last one stays in its turn

    def __init__(self, burst: Any = 1) -> None:
        check_option(
            "host.arbitration_options.burst", burst, lambda v: v is None or is_count(v), "at least 1, or null: no limit"
        )
        self.burst = UNLIMITED if burst is None else min(burst, UNLIMITED)
        self.credit = 0

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams."""
        Arbitration.bind(self, streams)
        self.is_ready = array("b", [stream.ready() for stream in streams])
        self.ready_streams = sum(self.is_ready)

    def update(self, stream: Stream) -> None:
        """Note whether a stream is ready."""
        self.note(stream.index, stream.ready())

    @cfunc
    def note(self, place: int, is_ready: bool) -> None:
        """Note whether the stream at `place` is ready."""
        self.ready_streams += is_ready - self.is_ready[place]
        self.is_ready[place] = is_ready

    def choose(self) -> Stream | None:
        """Return the stream whose turn it is, or None if none is ready."""
        return self.streams[self.turn()] if self.ready_streams else None

    @cfunc
    def turn(self) -> int:
        """Stay at the last stream while it has credit, or go to the next ready one, of which there is one at least."""
        at, count = self.last, len(self.streams)
        if not (self.credit and self.is_ready[at]):
            while True:
                at = at + 1 if at + 1 < count else 0
                if self.is_ready[at]:
                    break
            self.last = at
            self.credit = self.full_credit(at)
        self.credit -= 1
        return at

    @cfunc
    def full_credit(self, place: int) -> int:
        """Return the credit of the stream at `place` for its turn."""
        return self.burst


class Weighted(RoundRobin):
    """Weighted round robin: a stream of weight w is served up to w bursts in its turn (after NVMe's)."""

    @cfunc
    def full_credit(self, place: int) -> int:
        """Return the credit of the stream at `place` for its turn."""
        stream: Stream = self.streams[place]
        return stream.weight * self.burst


class UrgentWeighted(Arbitration):
    """Weighted round robin with an urgent class (NVMe: NVM Express Base Specification, «Command Arbitration»).

    A stream of the urgent class goes before all others. The classes `high`, `medium` and `low` have credit for as many
    requests a round as their options say; a round is over when no class that has a request has credit left. Within a
    class it is round robin, up to `burst` requests at a time or what credit there is.
    """

    classes: list[RoundRobin]  # by priority
    place: Int64s  # by index of the stream: its place in its class
    weights: Int64s  # by priority
    credits: Int64s

    def __init__(self, high: Any = 4, medium: Any = 2, low: Any = 1, burst: Any = 1) -> None:
        for name, weight in (("high", high), ("medium", medium), ("low", low)):
            check_option(
                f"host.arbitration_options.{name}",
                weight,
                lambda v: is_count(v) and v <= MOST_WEIGHT,
                f"a whole number, 1 to {MOST_WEIGHT}",
            )
        self.classes = [RoundRobin(burst) for _ in range(CLASSES)]
        self.weights = array("q", [0, high, medium, low])
        self.credits = array("q", self.weights)

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams."""
        self.streams = streams
        self.place = array("q", [0] * len(streams))
        members: list[Any] = [[] for _ in range(CLASSES)]
        for stream in streams:
            self.place[stream.index] = len(members[stream.priority])
            members[stream.priority].append(stream)
        for priority in range(CLASSES):
            served: RoundRobin = self.classes[priority]
            served.bind(members[priority])

    def update(self, stream: Stream) -> None:
        """Note whether a stream is ready."""
        served: RoundRobin = self.classes[stream.priority]
        served.note(self.place[stream.index], stream.ready())

    def choose(self) -> Stream | None:
        """Return the stream whose turn it is, or None if none is ready."""
        served: RoundRobin = self.classes[URGENT]
        if served.ready_streams:
            return served.streams[served.turn()]
        while True:
            waits = False
            for priority in range(URGENT + 1, CLASSES):
                served = self.classes[priority]
                if served.ready_streams and self.credits[priority]:
                    self.credits[priority] -= 1
                    stream = served.streams[served.turn()]
                    if not self.credits[priority]:
                        served.credit = 0  # a burst ends with the round
                    return stream
                waits = waits or served.ready_streams > 0
            if not waits:
                return None
            for priority in range(URGENT + 1, CLASSES):
                self.credits[priority] = self.weights[priority]
