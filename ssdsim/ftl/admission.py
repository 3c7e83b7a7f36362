# cython: infer_types=True
"""The order in which page writes and trims were admitted, and the flushes that heed it."""

from __future__ import annotations

from typing import final

from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.idle import HostActivity
from ssdsim.host.request import Request
from ssdsim.stage import Stage


@final
class Admission:
    """Numbers page writes and trims as they are admitted, and knows how many of the writes are not programmed yet.

    A flush is complete when all page writes admitted before it are programmed. `activity`, where collection waits for
    idle time, is told when a write begins and when it has ended.
    """

    version: int  # of the last page write or trim admitted: they are numbered from 1
    writes_in_flight: int  # page writes admitted and not yet programmed
    flushes: list[tuple[int, Request]]  # those under way: the last version before each, and its request
    activity: HostActivity | None  # to be told of page writes, where collection waits for idle time

    def __init__(self) -> None:
        self.version = self.writes_in_flight = 0
        self.flushes = []
        self.activity = None

    def number(self) -> int:
        """Return the number of a trim, or of a write that takes no time."""
        self.version += 1
        return self.version

    def began(self) -> int:
        """Return the number of a page write, which is in flight from now on."""
        self.version += 1
        self.writes_in_flight += 1
        if self.activity is not None:
            self.activity.began()
        return self.version

    def programmed(self, version: int) -> None:
        """Record that the page write with that number is programmed."""
        self.writes_in_flight -= 1
        if self.activity is not None:
            self.activity.ended()
        if self.flushes:
            self.count_for_flushes(version)

    @cfunc
    def count_for_flushes(self, version: int) -> None:
        """Count a page write as done for the flushes that were admitted after it."""
        for flush in list(self.flushes):
            request: Request = flush[1]
            if version <= flush[0]:
                request.remaining -= 1
                if not request.remaining:
                    self.flushes.remove(flush)
                    owner: Stage = request.owner
                    owner.completed(request)

    def flush(self, request: Request) -> None:
        """Complete the flush `request` when every page write admitted before it is programmed."""
        request.remaining = self.writes_in_flight
        if request.remaining:
            self.flushes.append((self.version, request))
            return
        owner: Stage = request.owner
        owner.completed(request)
