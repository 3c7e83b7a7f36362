"""Runs of host requests in columns: what a workload hands to the host, tens of thousands of requests at a time."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Self

import attrs
import numpy as np

from ssdsim._core.codes import FLUSH, READ, TRIM, WRITE
from ssdsim._core.codes import REQUESTS as OP_NAMES
from ssdsim.config import MOST_NS

__all__ = ["CHUNK_ROWS", "FLUSH", "OP_NAMES", "READ", "TRIM", "WRITE", "Chunk", "column"]

CHUNK_ROWS = 1 << 16
"""The most requests a chunk holds."""


@attrs.frozen(eq=False)
class Chunk:
    """Requests in arrival order, as columns of equal length."""

    arrival_ns: np.ndarray
    """int64, from the first request of the workload, below `MOST_NS`, never decreasing. Under closed-loop load, the
    time for which the stream is idle before the request, once all before it are complete; 0: none.
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
        columns = {field.name: getattr(self, field.name) for field in attrs.fields(type(self))}
        return attrs.evolve(self, **{name: values[rows] for name, values in columns.items() if values is not None})

    @classmethod
    def joined(cls, chunks: Sequence[Self]) -> Self:
        """Return the requests of all chunks, one chunk after another; a column that some of them lack is 0 there."""
        columns: dict[str, np.ndarray | None] = {}
        for field in attrs.fields(cls):
            parts = [getattr(chunk, field.name) for chunk in chunks]
            if any(part is not None for part in parts):
                lengths = zip(parts, map(len, chunks), strict=True)
                whole = [np.zeros(length, np.uint8) if part is None else part for part, length in lengths]
                columns[field.name] = np.concatenate(whole)
        return cls(**columns)  # type: ignore[arg-type]

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


def merged(streams: Iterable[Iterator[Chunk]]) -> Iterator[Chunk]:
    """Yield the requests of all streams in order of time, holding a chunk or two of each.

    Of those at one time the requests of an earlier stream come first.
    """
    begun = [(chunk, stream) for stream in streams if (chunk := next(stream, None)) is not None]
    held, opened = [chunk for chunk, _ in begun], dict(enumerate(stream for _, stream in begun))
    while any(map(len, held)):
        # before this time no stream has requests to come
        horizon_ns = min((int(held[number].arrival_ns[-1]) for number in opened), default=MOST_NS)
        cuts = [int(np.searchsorted(chunk.arrival_ns, horizon_ns)) for chunk in held]
        whole = Chunk.joined([chunk[:cut] for chunk, cut in zip(held, cuts, strict=True)])
        whole = whole[np.argsort(whole.arrival_ns, kind="stable")]
        for first in range(0, len(whole), CHUNK_ROWS):
            yield whole[first : first + CHUNK_ROWS]
        held = [chunk[cut:] for chunk, cut in zip(held, cuts, strict=True)]
        for number, stream in list(opened.items()):
            if not len(held[number]) or held[number].arrival_ns[-1] == horizon_ns:
                if (following := next(stream, None)) is None:
                    del opened[number]
                else:
                    held[number] = Chunk.joined([held[number], following])
