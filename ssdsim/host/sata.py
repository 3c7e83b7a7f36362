# cython: infer_types=True
"""SATA: native command queuing, one queue of 32 commands for all streams."""

from __future__ import annotations

from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ, WRITE
from ssdsim.host.queue import HostQueue
from ssdsim.host.source import Source
from ssdsim.host.stream import Stream

TAGS: Final = 32


@final
class SataQueue(HostQueue):
    """Admits up to 32 reads and writes at a time, and anything else alone (Serial ATA, «Native Command Queuing»).

    A flush and a trim are no queued commands: one that is next waits until all others are complete, and no other is
    sent until it is.
    """

    turn: Stream | None  # whose next request is to be sent alone, and has the turn
    is_alone: bool  # the request in the device is one that is sent alone

    def __init__(self, *parts: Any) -> None:
        HostQueue.__init__(self, *parts)
        self.queue_depth = min(self.queue_depth, TAGS)
        self.turn = None
        self.is_alone = False

    @cfunc
    def choose_source(self) -> Source | None:
        """Return the stream whose request is sent next, or None if there is none, or it has to wait."""
        if self.in_flight and self.is_alone:
            return None
        stream = self.turn
        if stream is None or not stream.ready():
            stream = cast(Stream, HostQueue.choose_source(self))
            if stream is None:
                return None
        op = stream.next_op()
        if op in (READ, WRITE):
            self.is_alone = False
            return stream
        self.turn = stream
        if self.in_flight:
            return None
        self.turn = None
        self.is_alone = True
        return stream
