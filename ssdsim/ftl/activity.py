# cython: infer_types=True
"""When the host is active, and when it has been quiet for a while."""

from __future__ import annotations

from functools import partial
from typing import Any

from ssdsim._core.either_kernel import call_later


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
        """Tell the listener after a while, unless something begins before."""
        call_later(self.env, self.quiet_ns, partial(self.waited, self.spells))

    def waited(self, spells: int, event: Any) -> None:
        """Tell the listener, unless something began since."""
        if spells == self.spells and self.under_way == 0:
            self.listener.host_is_quiet()
