"""The time that it takes to search the write buffer."""

from collections import deque

from cython.cimports.ssdsim._core.codes import FLUSH
from cython.cimports.ssdsim._core.kernel import hold
from cython.cimports.ssdsim.host.request import Request
from cython.cimports.ssdsim.stage import Stage


class BufferSearch(Stage):
    """Passes requests to a `WriteBuffer` once it has been searched for their pages, one request after another.

    The search for a page takes `search_ns` for each page that the buffer holds as it begins, hit or miss: a linked list
    is gone through (PCFTL, 3.1). A flush looks for nothing, but does not overtake.
    """

    def __init__(self, buffer, search_ns):
        self.buffer = buffer
        self.search_ns = search_ns
        self.env = None
        self.line = deque()

    def bind(self, env):
        """Receive the clock."""
        self.env = env

    def submit(self, request):
        """Search for the pages of a request after those of all before it."""
        self.line.append(request)
        if len(self.line) == 1:
            self.search()

    def search(self):
        """Begin with the request that came first."""
        request: Request = self.line[0]
        pages = 0
        if request.op != FLUSH:
            size = self.buffer.page_bytes
            pages = (request.offset_bytes + request.size_bytes - 1) // size - request.offset_bytes // size + 1
        hold(self.env, int(pages * self.buffer.used * self.search_ns + 0.5)).callbacks.append(self.searched)

    def searched(self, event):
        """Pass on the request that has been searched for, and take the next."""
        request = self.line.popleft()
        self.buffer.submit(request)
        if self.line:
            self.search()

    def newest(self, lpa):
        """Return the data of `lpa` that the device holds."""
        return self.buffer.newest(lpa)

    def what_waits(self):
        """Return a phrase for what waits, and why."""
        return [f"{len(self.line)} requests wait for the buffer to be searched"] if self.line else []
