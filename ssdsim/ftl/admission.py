# cython: infer_types=True
"""What the host has under way: page writes and trims in their order, the flushes that heed it, and idle time."""

from __future__ import annotations

from functools import partial
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.kernel import call_later
from ssdsim.host.request import Request
from ssdsim.stage import Stage


class HostActivity:
    """Counts the work that the host has under way, requests in the device and page writes not yet in flash.

    `listener` is told by `host_is_active` as soon as there is something, and by `host_is_quiet` when there has been
    nothing for `quiet_ns`.
    """

    listener: Any  # the collector
    spells: int  # of activity so far

    def __init__(self, env: Any, quiet_ns: int, listener: Any) -> None:
        self.env = env
        self.quiet_ns = quiet_ns
        self.listener = listener
        self.under_way = self.spells = 0
        self.wait()

    def began(self) -> None:
        """Count one more request under way."""
        if self.under_way == 0:
            self.spells += 1
            self.listener.host_is_active()
        self.under_way += 1

    def ended(self) -> None:
        """Count one request as done."""
        self.under_way -= 1
        if self.under_way == 0:
            self.wait()

    def wait(self) -> None:
        """Tell the listener after a while, if nothing begins before."""
        call_later(self.env, self.quiet_ns, partial(self.waited, self.spells))

    def waited(self, spells: int, event: Any) -> None:
        """Tell the listener, unless something began since."""
        if spells == self.spells and self.under_way == 0:
            self.listener.host_is_quiet()


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
