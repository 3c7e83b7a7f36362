# cython: infer_types=True
"""Which stream's request is admitted next when the device queue has a free slot."""

from __future__ import annotations

from array import array

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s
from ssdsim.device_view import Policy
from ssdsim.host.stream import Stream


class Arbitration(Policy):
    """Chooses among streams.

    `bind` is called once with all streams, in order; `update`, if there are several, when one may have become ready, or
    be ready no more; `choose` when there is a free slot. It returns one of the streams that are `ready()`, or None if
    none is; only the policy's own state may change.
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
    """The streams in turn, continuing after the one served last (NVMe).

    Which are ready is kept, a byte each, so that choosing looks at no stream but the one that it chooses.
    """

    only: Stream | None  # where there is one
    is_ready: Int8s
    ready_streams: int

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams."""
        self.streams = streams
        self.last = len(streams) - 1
        self.only = streams[0] if len(streams) == 1 else None
        self.is_ready = array("b", [stream.ready() for stream in streams])
        self.ready_streams = sum(self.is_ready)

    def update(self, stream: Stream) -> None:
        """Note whether a stream is ready."""
        is_ready = stream.ready()
        self.ready_streams += is_ready - self.is_ready[stream.index]
        self.is_ready[stream.index] = is_ready

    def choose(self) -> Stream | None:
        """Return the stream whose turn it is, or None if none is ready."""
        if self.only is not None:
            return self.only if self.only.ready() else None
        return self.streams[self.turn()] if self.ready_streams else None

    @cfunc
    def turn(self) -> int:
        """Make the next ready stream, of which there is one at least, the last one, and return its position."""
        at, count = self.last, len(self.streams)
        while True:
            at = at + 1 if at + 1 < count else 0
            if self.is_ready[at]:
                self.last = at
                return at


class Weighted(RoundRobin):
    """Weighted round robin: a stream of weight w is served up to w times in its turn (after NVMe's)."""

    credit: int

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams and start with the first one's turn."""
        RoundRobin.bind(self, streams)
        self.last = 0
        self.credit = streams[0].weight

    @cfunc
    def turn(self) -> int:
        """Stay at the last stream, or give the next ready one its full credit."""
        if not (self.credit and self.is_ready[self.last]):
            RoundRobin.turn(self)
            stream: Stream = self.streams[self.last]
            self.credit = stream.weight
        self.credit -= 1
        return self.last
