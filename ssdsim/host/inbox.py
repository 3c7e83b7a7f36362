# cython: infer_types=True
"""The inbox of a stream whose requests are put there while it runs."""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, final

import numpy as np

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import FLUSH
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.workload.chunk import Chunk

ROWS: Final = 4096
"""Requests that an inbox has room for at a time."""


@final
class Inbox:
    """A workload whose requests are put in while it runs: they are written into chunks that the stream reads already.

    A chunk that is full is handed to `keep`, if anybody keeps the load.
    """

    requests: ClassVar[None] = None
    queue_depth: ClassVar[None] = None
    is_live: ClassVar[bool] = True
    keep: Callable[[Chunk], object] | None
    ahead: deque[Chunk]  # that requests have been put into, and the stream has not asked for
    chunk: Chunk | None  # the one that requests are put into
    row: int  # its next
    count: int  # requests put in
    arrival_ns: Int64s
    offset_bytes: Int64s
    size_bytes: Int64s
    op: Int8s
    hint: Int8s
    fua: Int8s

    def __init__(self) -> None:
        self.keep = None
        self.ahead = deque()
        self.chunk = None
        self.row = self.count = 0

    def describe(self) -> dict[str, Any]:
        """Return the facts on this load for the summary."""
        return {"kind": "drive", "requests": self.count}

    def chunks(self) -> Iterator[Chunk]:
        """Return chunks without end, of which the last is yet to be written."""
        return iter(self.next_chunk, None)

    def next_chunk(self) -> Chunk:
        """Return the chunk with the next requests, or the one where they will be."""
        return self.ahead.popleft() if self.ahead else self.new_chunk()

    def new_chunk(self) -> Chunk:
        """Begin a chunk; as long as nothing is in it, its rows are flushes."""
        self.kept()
        self.arrival_ns = array("q", bytes(8 * ROWS))
        self.offset_bytes = array("q", bytes(8 * ROWS))
        self.size_bytes = array("q", bytes(8 * ROWS))
        self.op = array("b", bytes([FLUSH]) * ROWS)
        self.hint = array("b", bytes(ROWS))
        self.fua = array("b", bytes(ROWS))
        self.row = 0
        self.chunk = Chunk(
            np.frombuffer(self.arrival_ns, np.int64),
            np.frombuffer(self.op, np.uint8),
            np.frombuffer(self.offset_bytes, np.int64),
            np.frombuffer(self.size_bytes, np.int64),
            np.frombuffer(self.hint, np.uint8),
            np.frombuffer(self.fua, np.uint8),
        )
        return self.chunk

    def kept(self) -> None:
        """Hand on the requests of the chunk."""
        if self.keep is not None and self.row:
            self.keep(self.chunk[: self.row])

    @cfunc
    def put(self, op: int, offset_bytes: int, size_bytes: int, fua: bool, hint: int, arrival_ns: int) -> int:
        """Put in a request that arrives now, and return its number."""
        if self.row == ROWS:
            self.ahead.append(self.new_chunk())
        row = self.row
        self.arrival_ns[row] = arrival_ns
        self.offset_bytes[row] = offset_bytes
        self.size_bytes[row] = size_bytes
        self.op[row] = op
        self.hint[row] = hint
        self.fua[row] = fua
        self.row = row + 1
        self.count += 1
        return self.count - 1
