# cython: infer_types=True
"""The flash translation layer: requests become reads, writes and trims of pages."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH, READ, WRITE
from ssdsim.ftl.padding import WordlinePadding
from ssdsim.ftl.reads import ReadPath
from ssdsim.ftl.writes import WritePath
from ssdsim.host.request import Request, WriteGroup
from ssdsim.stage import Stage


@final
class FlashTranslationLayer(Stage):
    """Splits requests into pages: `reads` answers reads, `writes` does writes, trims and flushes."""

    page_bytes: int
    reads: ReadPath
    writes: WritePath
    padding: WordlinePadding | None  # None where pages of a wordline are programmed one by one
    together: int  # logical pages that are always written together

    def __init__(self, reads: ReadPath, writes: WritePath, together: int) -> None:
        self.page_bytes = reads.partial.page_bytes
        self.reads = reads
        self.writes = writes
        self.padding = None
        self.together = together

    def submit(self, request: Request) -> None:
        """Split `request` into pages and start them; unaligned ends touch parts of pages."""
        if request.op == FLUSH:
            self.writes.flush(request)
            if self.padding is not None:
                self.padding.flush()
            return
        op, page_bytes = request.op, self.page_bytes
        start, end = request.offset_bytes, request.offset_bytes + request.size_bytes
        first, last = start // page_bytes, (end - 1) // page_bytes
        request.remaining = last - first + 2  # one more, so that it cannot complete before all are started
        if op == WRITE and self.writes.page_types is not None:  # all its pages inherit it
            request.page_type = self.writes.page_types.of_request(request)
        if op == WRITE and self.together > 1 and request.group is None:
            self.write_together(request, first, last)
        else:
            for lpa in range(first, last + 1):
                size = min(end, (lpa + 1) * page_bytes) - max(start, lpa * page_bytes)
                if op == READ:
                    self.reads.read(request, lpa, size)
                elif op == WRITE:
                    self.writes.write(request, lpa, size, request.group)
                else:
                    self.trim(request, lpa)
        request.part_done()

    @cfunc
    def write_together(self, request: Request, first: int, last: int) -> None:
        """Write pages `first` to `last` in super pages, and the rest of these as it is."""
        for number in range(first // self.together, last // self.together + 1):
            group = WriteGroup(self.together)
            for lpa in range(number * self.together, (number + 1) * self.together):
                if first <= lpa <= last:
                    self.writes.write(request, lpa, request.bytes_of(lpa, self.page_bytes), group)
                else:
                    self.writes.write(None, lpa, 0, group)

    @cfunc
    def trim(self, request: Request, lpa: int) -> None:
        """Forget `lpa` if `request` covers the whole of it, and of its super page; a part of that stays as it is."""
        start = lpa // self.together * self.together * self.page_bytes
        end = start + self.together * self.page_bytes
        if start < request.offset_bytes or request.offset_bytes + request.size_bytes < end:
            request.part_done()
        else:
            self.writes.trim(request, lpa)

    def newest(self, lpa: int) -> Any:
        """Return the data of `lpa` that the device holds, wherever that is; it takes no time, and changes nothing."""
        return self.reads.newest(lpa)
