# cython: infer_types=True
"""Replay without flash timing, for preconditioning and for studies of write amplification alone."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ, TRIM, WRITE
from ssdsim._core.columns import Int64s
from ssdsim.ftl.layer import FlashTranslationLayer
from ssdsim.host.request import Request
from ssdsim.host.stream import ChunkReader

if TYPE_CHECKING:
    from ssdsim.workload.chunk import Chunk


LOOKAHEAD: Final = 8
"""How many requests ahead the mapping is told what it will be asked: the table is far larger than any cache."""


class UntimedReplay:
    """Sends requests, in order and one at a time, through the same translation layer, which collects at once.

    A write of part of a page counts as a write of the page, and as a read of it where the layer reads the rest first.
    A request finds nothing but itself in the device queue. `oracle`, if any, is told of every request that touches a
    page, when it is admitted and when it is complete (`ssdsim.check`).
    """

    request: Request  # the one at hand
    reader: ChunkReader
    writes_by_type: Int64s  # by the slowest page type that they were given
    counts: Int64s  # by operation
    bytes: Int64s  # by operation

    def __init__(self, layer: FlashTranslationLayer, page_bytes: int, oracle: Any = None) -> None:
        self.layer = layer
        self.oracle = oracle
        self.page_bytes = page_bytes
        self.counts = array("q", [0] * 4)
        self.bytes = array("q", [0] * 4)
        self.page_reads = 0
        self.writes_by_type = array("q", [0] * 4)
        self.reader = ChunkReader()
        self.request = Request()
        self.request.queue_length = 1

    def run(self, chunk: Chunk, stream: int = 0, access_latency: int = 0) -> None:
        """Replay the requests of one chunk of a stream, whose hint holds for requests without one."""
        self.request.stream = stream
        reader, request = self.reader, self.request
        reader.load(chunk, chunk.hints(access_latency))
        while reader.row < reader.rows:
            if reader.row + LOOKAHEAD < reader.rows:
                self.layer.reads.table.prefetch(reader.offset_bytes[reader.row + LOOKAHEAD] // self.page_bytes)
            reader.read_into(request)
            op, size = request.op, request.size_bytes
            self.counts[op] += 1
            self.bytes[op] += size
            if size:
                self.replay(request)

    @cfunc
    def replay(self, request: Request) -> None:
        """Replay one request, page by page."""
        op, offset, page_bytes = request.op, request.offset_bytes, self.page_bytes
        reads = self.layer.reads
        end = offset + request.size_bytes
        if self.oracle is not None:
            self.oracle.admitted(request, 0)
        request.slowest_type = -1  # as it is used again
        if op == WRITE and self.layer.writes.page_types is not None:
            request.page_type = self.layer.writes.page_types.of_request(request)
        for lpa in range(offset // page_bytes, (end - 1) // page_bytes + 1):
            start = lpa * page_bytes
            whole: bool = offset <= start and start + page_bytes <= end
            if op == WRITE:
                if not whole and reads.partial.read_modify_write and reads.table.get(lpa) >= 0:
                    self.page_reads += 1
                self.layer.writes.write_now(request, lpa)
            elif op == READ:
                self.page_reads += reads.table.get(lpa) >= 0
                if reads.translation is not None:
                    reads.translation.knows(lpa, False)
                if reads.data is not None and request.data is not None:
                    reads.give_data(request, lpa, reads.newest(lpa))
            elif op == TRIM and whole:
                self.layer.writes.trim(None, lpa)
        if op == WRITE:
            self.writes_by_type[request.slowest_type] += 1
        if self.oracle is not None:
            self.oracle.completed(request, 0)
