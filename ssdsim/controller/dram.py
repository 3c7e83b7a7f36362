# cython: infer_types=True
"""The controller's DRAM, and the time that it takes to move data into and out of it."""

from __future__ import annotations

from collections import deque
from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.kernel import hold, now
from ssdsim.host.request import Request
from ssdsim.stage import part_done


@final
class Dram:
    """One server: what is moved waits for all that was asked for before it.

    A page takes `access_ns`, as it lies in a row of its own, and each of its bytes `ns_per_byte`. Owes a request whose
    data has been moved its `part_done`, and the time that this took as the request's `buffer_ns`. What leaves for flash
    takes its time, too, which holds up others; its program does not wait, as it is much longer.

    Where all data passes through it (`ssdsim.controller.data_path`), the mapping table lies there, too: each page that
    is looked up, or moved by collection, takes `table_accesses` more, of `access_bytes` each.
    """

    env: Any
    busy_ns: int  # all that was asked for
    free_ns: int  # when all that was asked for is done
    line: deque[tuple[Request, int]]  # (request, duration), oldest first

    def __init__(self, access_ns: float, ns_per_byte: float, table_accesses: int = 0, access_bytes: int = 0) -> None:
        self.env = None
        self.access_ns = access_ns
        self.ns_per_byte = ns_per_byte
        self.table_accesses = table_accesses
        self.access_bytes = access_bytes
        self.busy_ns = self.free_ns = 0
        self.line = deque()

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    @cfunc
    def occupy(self, pages: int, size_bytes: int) -> int:
        """Move so much after all else, with nobody waiting, and return how long that takes."""
        duration: int = int(pages * self.access_ns + size_bytes * self.ns_per_byte + 0.5)
        self.free_ns = max(self.free_ns, now(self.env)) + duration
        self.busy_ns += duration
        return duration

    @cfunc
    def carry(self, size_bytes: int, changes_table: bool) -> None:
        """Move the data of a page of flash, and the entry of a page that has been moved, with nobody waiting."""
        accesses = self.table_accesses if changes_table else 0
        self.occupy(1 + accesses, size_bytes + accesses * self.access_bytes)

    def move(self, request: Request, pages: int, size_bytes: int) -> None:
        """Move so much of the data of `request`, and then count a part of it as done."""
        duration = self.occupy(pages, size_bytes)
        self.line.append((request, duration))
        hold(self.env, self.free_ns - now(self.env)).callbacks.append(self.moved)

    def moved(self, event: Any) -> None:
        """Count a part as done: that which has waited for longest."""
        request: Request
        request, duration = self.line.popleft()
        request.needed_no_flash(0, duration)
        part_done(request)

    @cfunc
    def backlog_ns(self) -> int:
        """Return the time until all is moved that was asked for."""
        return max(self.free_ns - now(self.env), 0)

    def worked_ns(self) -> int:
        """Return for how long it has moved data up to now."""
        return self.busy_ns - self.backlog_ns()

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits."""
        return [f"{len(self.line)} requests wait for the write buffer's DRAM"] if self.line else []
