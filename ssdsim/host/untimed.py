# cython: infer_types=True
"""Replay without flash timing, for preconditioning and for studies of write amplification alone."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ, TRIM, WRITE
from ssdsim._core.columns import FrozenBytes, FrozenInt64s, Int64s
from ssdsim.ftl.layer import FlashTranslationLayer
from ssdsim.host.request import Request
from ssdsim.workload.chunk import column

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
    writes_by_type: Int64s  # by the slowest page type that they were given
    counts: Int64s  # by operation
    bytes: Int64s  # by operation
    ops: FrozenBytes
    hint: FrozenBytes
    offsets: FrozenInt64s
    sizes: FrozenInt64s

    def __init__(self, layer: FlashTranslationLayer, page_bytes: int, oracle: Any = None) -> None:
        self.layer = layer
        self.oracle = oracle
        self.page_bytes = page_bytes
        self.counts = array("q", [0] * 4)
        self.bytes = array("q", [0] * 4)
        self.page_reads = 0
        self.writes_by_type = array("q", [0] * 4)
        self.request = Request()
        self.request.queue_length = 1

    def run(self, chunk: Chunk, stream: int = 0, access_latency: int = 0) -> None:
        """Replay the requests of one chunk of a stream, whose hint holds for requests without one."""
        self.request.stream = stream
        self.hint = column(chunk.hints(access_latency), np.uint8)
        self.ops = column(chunk.op, np.uint8)
        self.offsets = column(chunk.offset_bytes, np.int64)
        self.sizes = column(chunk.size_bytes, np.int64)
        self.run_rows(len(chunk))

    @cfunc
    def run_rows(self, rows: int) -> None:
        """Replay the rows at hand."""
        for row in range(rows):
            op = self.ops[row]
            size = self.sizes[row]
            self.counts[op] += 1
            self.bytes[op] += size
            if row + LOOKAHEAD < rows:
                self.layer.mapping.expect(self.offsets[row + LOOKAHEAD] // self.page_bytes)
            if size:
                self.request.access_latency = self.hint[row]
                self.replay(op, self.offsets[row], size)

    def replay(self, op: int, offset: int, size: int) -> None:
        """Replay one request, page by page."""
        end = offset + size
        self.request.offset_bytes = offset
        self.request.size_bytes = size
        if self.oracle is not None:
            self.request.op = op
            self.oracle.admitted(self.request, 0)
        if op == WRITE:
            self.layer.writes.specify(self.request)
        for lpa in range(offset // self.page_bytes, (end - 1) // self.page_bytes + 1):
            whole: bool = lpa * self.page_bytes >= offset and (lpa + 1) * self.page_bytes <= end
            if op == WRITE:
                if not whole and self.layer.partial.read_modify_write and self.layer.mapping.lookup(lpa) >= 0:
                    self.page_reads += 1
                self.layer.writes.write_now(self.request, lpa)
            elif op == READ:
                self.page_reads += self.layer.mapping.lookup(lpa) >= 0
                self.layer.reads.read_now(self.request, lpa)
            elif op == TRIM and whole:
                self.layer.writes.trim_now(lpa)
        if op == WRITE:
            self.writes_by_type[self.request.slowest_type] += 1
        if self.oracle is not None:
            self.oracle.completed(self.request, 0)
