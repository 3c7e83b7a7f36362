# cython: infer_types=True
"""The way of all data through the controller's DRAM, which it shares with the mapping table."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim._core.kernel import hold, now
from ssdsim.controller.dram import Dram
from ssdsim.host.request import Request
from ssdsim.stage import Stage


@final
class DataPath(Stage):
    """Moves data into the DRAM and out of it: once on each way over the host's link, and once over a channel's bus.

    A write goes on when its data has been moved in, and a read is complete when its data has been moved out; both come
    after all that was asked for before. What crosses a bus, for whatever reason, is moved while it does: the bus waits
    until that can begin (`FlashController.cross`). An entry of the mapping table is looked up for each page of a
    request, before that goes on, and written for each page that collection moves.
    """

    env: Any
    host: Any  # the `Stage` to be told of completions
    page_bytes: int
    line: deque[tuple[Request, bool]]  # (request, whether it is complete then) that wait for the DRAM, in order

    def __init__(self, inner: Stage, dram: Dram, page_bytes: int) -> None:
        self.inner = inner
        self.dram = dram
        self.env = None
        self.host = None
        self.page_bytes = page_bytes
        self.line = deque()

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    @cfunc
    def pages_of(self, request: Request) -> int:
        """Return the number of pages that a request touches."""
        if request.op == FLUSH:
            return 0
        first = request.offset_bytes // self.page_bytes
        return (request.offset_bytes + request.size_bytes - 1) // self.page_bytes - first + 1

    def submit(self, request: Request) -> None:
        """Look up the pages of a request, and move the data of a write in."""
        self.host = request.owner
        request.owner = self
        if request.op == READ and not self.dram.table_accesses:
            self.inner.submit(request)
            return
        pages = self.pages_of(request)
        accesses = pages * self.dram.table_accesses
        size = accesses * self.dram.access_bytes
        if request.op == WRITE:
            accesses += pages
            size += request.size_bytes
        self.move(request, accesses, size, False)

    def completed(self, request: Request) -> None:
        """Move the data of a read out."""
        if request.op == READ:
            self.move(request, self.pages_of(request), request.size_bytes, True)
        else:
            self.conclude(request)

    @cfunc
    def move(self, request: Request, accesses: int, size: int, is_complete: bool) -> None:
        """Have a request wait until so much has been moved, after all else."""
        self.dram.occupy(accesses, size)
        request.dram_ns -= now(self.env)
        self.line.append((request, is_complete))
        hold(self.env, self.dram.free_ns - now(self.env)).callbacks.append(self.moved)

    def moved(self, event: Any) -> None:
        """Go on with the request that has waited for longest."""
        request: Request
        request, is_complete = self.line.popleft()
        request.dram_ns += now(self.env)
        if is_complete:
            self.conclude(request)
        else:
            self.inner.submit(request)

    @cfunc
    def conclude(self, request: Request) -> None:
        """Tell the host that a request is complete."""
        request.buffer_ns = request.dram_ns
        host: Stage = self.host
        host.completed(request)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.inner.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits."""
        return [f"{len(self.line)} requests wait for the DRAM"] if self.line else []
