"""Streams of requests, each in order of time, as one."""

from collections.abc import Iterable, Iterator

import numpy as np

from ssdsim.workload.chunk import CHUNK_ROWS, Chunk


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

    hinted = any(chunk.access_latency is not None for chunk in chunks)
    hints = np.concatenate([chunk.hints(0) for chunk in chunks])[order] if hinted else None
    return Chunk(column("arrival_ns"), column("op"), column("offset_bytes"), column("size_bytes"), hints)
