"""Workloads read back whole."""

import numpy as np

from ssdsim.workload import Chunk, Workload


def whole(workload: Workload) -> Chunk:
    """Return all requests of a pass as one chunk."""
    chunks = list(workload.chunks())
    assert all(len(chunk) for chunk in chunks)
    columns = ("arrival_ns", "op", "offset_bytes", "size_bytes")
    whole = {column: np.concatenate([getattr(chunk, column) for chunk in chunks]) for column in columns}
    for column in ("access_latency", "fua"):
        parts = [getattr(chunk, column) for chunk in chunks if getattr(chunk, column) is not None]
        assert len(parts) in (0, len(chunks))
        whole[column] = np.concatenate(parts) if parts else None
    return Chunk(**whole)


def rows(workload: Workload) -> list[tuple[int, int, int, int]]:
    """Return all requests of a pass as (arrival, op, offset, size)."""
    chunk = whole(workload)
    columns = (chunk.arrival_ns, chunk.op, chunk.offset_bytes, chunk.size_bytes)
    return list(zip(*(column.tolist() for column in columns), strict=True))
