"""Runs of host requests in columns: what a workload hands to the host, tens of thousands of requests at a time."""

from collections.abc import Iterable, Iterator
from typing import Self

import attrs
import numpy as np

from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.codes import REQUESTS as OP_NAMES
from ssdsim.config import MOST_NS

__all__ = ["CHUNK_ROWS", "FLUSH", "MAX_TIME_NS", "OP_NAMES", "READ", "TRIM", "WRITE", "Chunk", "column"]

CHUNK_ROWS = 1 << 16
"""The most requests a chunk holds."""

MAX_TIME_NS = MOST_NS
"""Arrivals lie below this, some 104 days: simulated time ends here."""


@attrs.frozen(eq=False)
class Chunk:
    """Requests in arrival order, as columns of equal length."""

    arrival_ns: np.ndarray
    """int64, from the first request of the workload, never decreasing. Under closed-loop load, the time for which the
    stream is idle before the request, once all before it are complete; 0: none.
    """

    op: np.ndarray
    """uint8: READ, WRITE, TRIM or FLUSH."""

    offset_bytes: np.ndarray
    """int64, aligned to nothing; offset plus size lies within the device's logical capacity."""

    size_bytes: np.ndarray
    """int64, above 0; 0 for FLUSH."""

    access_latency: np.ndarray | None = None
    """uint8, a position in `ACCESS_LATENCIES`: how soon the host will want the data; None if nothing says so."""

    fua: np.ndarray | None = None
    """uint8: 1 for a write that is complete only when it is in flash (forced unit access), else 0; None: none is."""

    def __len__(self) -> int:
        return len(self.arrival_ns)

    def __getitem__(self, rows: slice | np.ndarray) -> Self:
        hints = None if self.access_latency is None else self.access_latency[rows]
        fua = None if self.fua is None else self.fua[rows]
        always = (self.arrival_ns[rows], self.op[rows], self.offset_bytes[rows], self.size_bytes[rows])
        return type(self)(*always, hints, fua)

    @classmethod
    def writes(cls, pages: np.ndarray, page_bytes: int) -> Self:
        """Return a write of each of these pages; under closed-loop load each comes as soon as there is room."""
        at_once = np.zeros(len(pages), np.int64)
        return cls(at_once, np.full(len(pages), WRITE, np.uint8), pages * page_bytes, at_once + page_bytes)

    def hints(self, otherwise: int) -> np.ndarray:
        """Return the access latency of every request as uint8, `otherwise` where there is no hint."""
        if self.access_latency is None:
            return np.full(len(self), otherwise, np.uint8)
        # 0 is a hint of nothing
        return np.where(self.access_latency == 0, otherwise, self.access_latency).astype(np.uint8)


def column(values: np.ndarray, dtype: type[np.generic]) -> memoryview:
    """Return a column to be read item by item: of a view each is a Python integer, which never runs over.

    NumPy's own numbers keep their width in whatever is computed from them (a byte, 64 bits).
    """
    return np.ascontiguousarray(values, dtype=dtype).data


class _Stream:
    """What is held of a stream: its next requests, those of the last time among them only if no more are to come."""

    def __init__(self, chunks: Iterator[Chunk]) -> None:
        self._chunks = chunks
        self.held = [chunk] if (chunk := next(chunks, None)) is not None else []
        self.is_open = bool(self.held)

    def last_ns(self) -> int:
        """Return the time of the last request held."""
        return int(self.held[-1].arrival_ns[-1])

    def take(self, horizon_ns: int | None) -> list[Chunk]:
        """Remove and return the requests before `horizon_ns`, or all, and read on if hardly anything is left."""
        taken, left = [], []
        for chunk in self.held:
            cut = len(chunk) if horizon_ns is None else int(np.searchsorted(chunk.arrival_ns, horizon_ns, "left"))
            taken.append(chunk[:cut])
            left += [chunk[cut:]] if cut < len(chunk) else []
        self.held = left
        if self.is_open and (not left or self.last_ns() == horizon_ns):
            following = next(self._chunks, None)
            self.is_open = following is not None
            self.held += [following] if following is not None else []
        return taken


def merged(streams: Iterable[Iterator[Chunk]]) -> Iterator[Chunk]:
    """Yield the requests of all streams in order of time, holding a chunk or two of each.

    Of those at one time the requests of an earlier stream come first.
    """
    opened = [_Stream(chunks) for chunks in streams]
    while any(stream.held for stream in opened):
        horizon = min((stream.last_ns() for stream in opened if stream.is_open), default=None)
        parts = [part for stream in opened for part in stream.take(horizon) if len(part)]
        if parts:
            whole = _in_order(parts)
            for first in range(0, len(whole), CHUNK_ROWS):
                yield whole[first : first + CHUNK_ROWS]


def _in_order(chunks: list[Chunk]) -> Chunk:
    order = np.argsort(np.concatenate([chunk.arrival_ns for chunk in chunks]), kind="stable")

    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(chunk, name) for chunk in chunks])[order]

    def optional(name: str) -> np.ndarray | None:
        parts = [getattr(chunk, name) for chunk in chunks]
        if all(part is None for part in parts):
            return None
        zeros = [np.zeros(len(chunk), np.uint8) for chunk in chunks]
        return np.concatenate([z if part is None else part for part, z in zip(parts, zeros, strict=True)])[order]

    always = (column("arrival_ns"), column("op"), column("offset_bytes"), column("size_bytes"))
    return Chunk(*always, optional("access_latency"), optional("fua"))
