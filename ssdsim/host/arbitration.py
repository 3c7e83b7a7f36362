# cython: infer_types=True
"""Which stream's request is admitted next when the device queue has a free slot."""

from __future__ import annotations

from ssdsim.host.stream import Stream


class Arbitration:
    """Chooses among streams.

    `bind` is called once with all streams, in order; `choose` when there is a free slot. It returns one of the streams
    that are `ready()`, or None if none is; only the policy's own state may change.
    """

    streams: list[Stream]
    last: int

    owed = ("choose() -> a ready stream or None",)

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams."""
        self.streams = streams
        self.last = len(streams) - 1

    def choose(self) -> Stream | None:
        """Return the stream whose request is admitted next, or None."""
        raise NotImplementedError


class RoundRobin(Arbitration):
    """The streams in turn, continuing after the one served last (NVMe)."""

    only: Stream | None  # where there is one

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams; one alone is served without a look at the others."""
        self.streams = streams
        self.last = len(streams) - 1
        self.only = streams[0] if len(streams) == 1 else None

    def choose(self) -> Stream | None:
        """Return the next ready stream after the last one."""
        if self.only is not None:
            return self.only if self.only.ready() else None
        at = self.last
        for _ in range(len(self.streams)):
            at = at + 1 if at + 1 < len(self.streams) else 0
            stream: Stream = self.streams[at]
            if stream.ready():
                self.last = at
                return stream
        return None


class Weighted(Arbitration):
    """Weighted round robin: a stream of weight w is served up to w times in its turn (after NVMe's)."""

    credit: int

    def bind(self, streams: list[Stream]) -> None:
        """Receive the streams and start with the first one's turn."""
        self.streams = streams
        self.last = 0
        self.credit = streams[0].weight

    def choose(self) -> Stream | None:
        """Return the stream whose turn it is, or the next ready one with its full credit."""
        count = len(self.streams)
        stream: Stream = self.streams[self.last]
        if self.credit and stream.ready():
            self.credit -= 1
            return stream
        for step in range(1, count + 1):
            at = (self.last + step) % count
            stream = self.streams[at]
            if stream.ready():
                self.last = at
                self.credit = stream.weight - 1
                return stream
        return None
