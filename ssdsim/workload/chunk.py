"""A run of host requests in columns: what a workload hands to the host, tens of thousands of requests at a time."""

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

    def __len__(self) -> int:
        return len(self.arrival_ns)

    def __getitem__(self, rows: slice) -> Self:
        hints = None if self.access_latency is None else self.access_latency[rows]
        return type(self)(self.arrival_ns[rows], self.op[rows], self.offset_bytes[rows], self.size_bytes[rows], hints)

    def hints(self, otherwise: int) -> np.ndarray:
        """Return the access latency of every request as uint8, `otherwise` where there is no hint."""
        if self.access_latency is None:
            return np.full(len(self), otherwise, np.uint8)
        return np.where(self.access_latency == 0, otherwise, self.access_latency).astype(np.uint8)


def column(values: np.ndarray, dtype: type[np.generic]) -> memoryview:
    """Return a column to be read item by item: of a view each is a Python integer, which never runs over.

    NumPy's own numbers keep their width in whatever is computed from them (a byte, 64 bits).
    """
    return np.ascontiguousarray(values, dtype=dtype).data
