# cython: infer_types=True
"""Where requests wait while the device takes none."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.either_kernel import now
from ssdsim.host.request import Request
from ssdsim.stage import Stage


class Gate(Stage):
    """Lets requests pass to `front`, in the order in which they come, unless something holds them.

    What holds them calls `hold`, and `let_go` when it is over; several may, and `open` lets those that wait go on once
    none does. A request that is let go on may have the gate held again. How long it waited it carries in `held_ns`.
    """

    env: Any
    line: deque[Request]  # requests that wait, oldest first
    holders: int  # of them, so many

    def __init__(self, front: Stage) -> None:
        self.front = front
        self.env = None
        self.line = deque()
        self.holders = 0

    def submit(self, request: Request) -> None:
        """Pass a request on, or have it wait behind those that do."""
        if self.holders or self.line:
            request.held_ns = -now(self.env)
            self.line.append(request)
        else:
            self.front.submit(request)

    def hold(self) -> None:
        """Hold all requests."""
        self.holders += 1

    def let_go(self) -> None:
        """React when what held requests is over."""
        self.holders -= 1

    def open(self) -> None:
        """Pass on what waits, oldest first, as far as it goes."""
        while self.line and not self.holders:
            request: Request = self.line[0]
            request.held_ns += now(self.env)
            request.gc_ns = request.urgent_gc_ns = request.held_ns
            self.front.submit(request)
            self.line.popleft()

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.front.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and why."""
        return [f"{len(self.line)} requests wait for the end of a collection"] if self.line else []
