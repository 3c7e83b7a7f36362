# cython: infer_types=True
"""The time that it takes to search the write buffer."""

from __future__ import annotations

from collections import deque
from typing import Any

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH
from ssdsim._core.kernel import call_later
from ssdsim.buffer.write_buffer import WriteBuffer
from ssdsim.host.request import Request
from ssdsim.stage import Stage


class BufferSearch(Stage):
    """Passes requests to a `WriteBuffer` once it has been searched for their pages, one request after another.

    The search for a page takes `search_ns` for each page that the buffer holds as it begins, hit or miss: a linked list
    is gone through (PCFTL, 3.1). A flush looks for nothing, but does not overtake.
    """

    search_ns: float  # for each page in it
    env: Any
    line: deque[Request]  # requests, the one being searched for first

    def __init__(self, buffer: WriteBuffer, search_ns: float) -> None:
        self.buffer = buffer
        self.search_ns = search_ns
        self.env = None
        self.line = deque()

    def bind(self, env: Any) -> None:
        """Receive the clock."""
        self.env = env

    def submit(self, request: Request) -> None:
        """Search for the pages of a request after those of all before it."""
        self.line.append(request)
        if len(self.line) == 1:
            self.search()

    def search(self) -> None:
        """Begin with the request that came first."""
        request: Request = self.line[0]
        pages = 0
        if request.op != FLUSH:
            size = self.buffer.page_bytes
            pages = (request.offset_bytes + request.size_bytes - 1) // size - request.offset_bytes // size + 1
        call_later(self.env, int(pages * self.buffer.pages.used * self.search_ns + 0.5), self.searched)

    @cfunc
    def searched(self, event: Any) -> None:
        """Pass on the request that has been searched for, and take the next."""
        request = self.line.popleft()
        self.buffer.submit(request)
        if self.line:
            self.search()

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds."""
        return self.buffer.newest(lpa)

    def what_waits(self) -> list[str]:
        """Return a phrase for what waits, and why."""
        return [f"{len(self.line)} requests wait for the buffer to be searched"] if self.line else []
