"""What every workload owes the simulation."""

import sys
from collections.abc import Iterator
from typing import Any, Protocol

import attrs
import numpy as np

from ssdsim.config import ACCESS_LATENCIES
from ssdsim.errors import ConfigError
from ssdsim.workload.chunk import FLUSH, MAX_TIME_NS, Chunk


class Workload(Protocol):
    """A finite sequence of host requests, generated or read.

    Everything that can be refused (a damaged trace, a size that does not fit the device) is refused on construction
    or, at the latest, while `chunks` runs; a workload keeps no state between two passes.
    """

    @property
    def requests(self) -> int | None:
        """How many requests a pass yields; None if that is not known beforehand."""

    @property
    def queue_depth(self) -> int | None:
        """Requests kept outstanding by closed-loop load; None for open-loop replay at `Chunk.arrival_ns`."""

    @property
    def rounds(self) -> int:
        """Rounds of equally many requests that a pass consists of; `requests` is known if there are several."""

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests. No chunk is empty."""

    def describe(self) -> dict[str, Any]:
        """Return the facts on the requests read, skipped and changed, as JSON-able values."""


class CheckedWorkload:
    """A workload whose requests are held against the capacity of its namespace before the simulator sees them.

    The namespace begins at byte `first_bytes` of the device, from which the offsets of the workload count.
    """

    def __init__(self, workload: Workload, capacity_bytes: int, first_bytes: int = 0):
        self.workload, self.capacity_bytes, self.first_bytes = workload, capacity_bytes, first_bytes
        self.requests, self.queue_depth, self.rounds = workload.requests, workload.queue_depth, workload.rounds
        # those of a job of fio have more
        self.stage: int = getattr(workload, "stage", 0)
        self.runtime_ns: int = getattr(workload, "runtime_ns", 0)
        self.extents: dict[int, tuple[int, int]] | None = getattr(workload, "extents", None)
        self.ramp: Workload | None = getattr(workload, "ramp", None)
        if first_bytes and self.extents is not None:
            self.extents = {op: (first + first_bytes, end + first_bytes) for op, (first, end) in self.extents.items()}
        if first_bytes and self.ramp is not None:
            self.ramp = CheckedWorkload(self.ramp, capacity_bytes, first_bytes)
        self.is_live: bool = getattr(workload, "is_live", False)
        self.is_endless: bool = getattr(workload, "is_endless", False)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the workload's chunks; raise ConfigError for a request that no device can take."""
        if self.is_live:  # of which nothing is written yet
            yield from self.workload.chunks()
        last_ns = before = 0
        for chunk in self.workload.chunks():
            self._check_columns(chunk, before)
            last_ns = self._check_times(chunk.arrival_ns, last_ns, before)
            start, size = chunk.offset_bytes, chunk.size_bytes
            # without a sum, which could run over
            fits = (start >= 0) & (size >= 0) & (start <= self.capacity_bytes - size)
            # a flush has no size, and all else has
            fits &= ((size > 0) | (chunk.op == FLUSH)) & (chunk.op <= FLUSH)
            if not fits.all():
                row = int(np.argmin(fits))
                raise self._refused(
                    f"op {chunk.op[row]}, offset {start[row]}, size {size[row]} as request {before + row}, but a "
                    "request has op 0 to 3, a size above 0 (flush: 0) and an end within the "
                    f"{self.capacity_bytes} bytes of the device or its namespace"
                )
            hints = chunk.access_latency
            if hints is not None and (len(hints) != len(chunk) or hints.max() >= len(ACCESS_LATENCIES)):
                raise self._refused(
                    f"a column access_latency that does not have 0 to {len(ACCESS_LATENCIES) - 1} for each of "
                    f"{len(chunk)} requests; mend it, or leave it out"
                )
            if chunk.fua is not None and (len(chunk.fua) != len(chunk) or chunk.fua.max() > 1):
                raise self._refused(f"a column fua that does not have 0 or 1 for each of {len(chunk)} requests")
            # the offset of a flush says nothing
            yield attrs.evolve(chunk, offset_bytes=start + self.first_bytes) if self.first_bytes else chunk
            before += len(chunk)

    def _check_columns(self, chunk: Any, before: int) -> None:
        columns = {name: getattr(chunk, name, None) for name in ("arrival_ns", "op", "offset_bytes", "size_bytes")}
        wrong = {name: column for name, column in columns.items() if not _is_whole(column)}
        if wrong:
            kinds = (f"{name} of {getattr(value, 'dtype', type(value).__name__)}" for name, value in wrong.items())
            given = f"from request {before} on {', '.join(kinds)}" if isinstance(chunk, Chunk) else f"{chunk!r:.200}"
            raise self._refused(
                f"{given}, and owes chunks (ssdsim.workload.Chunk), whose columns are arrays of whole numbers"
            )
        if len({column.shape for column in columns.values() if column is not None}) > 1 or chunk.op.ndim != 1:
            raise self._refused(f"from request {before} on a chunk whose columns are not of equal length")

    def _check_times(self, times: np.ndarray, last_ns: int, done: int) -> int:
        """Return the last arrival; raise ConfigError where times go back, or past what can be simulated."""
        if not len(times):
            return last_ns
        closed = self.workload.queue_depth is not None  # they are idle times then
        before = np.concatenate([[last_ns], times[:-1]]) if not closed else np.zeros(len(times), np.int64)
        wrong = (times < before) | (times >= MAX_TIME_NS)
        if wrong.any():
            row = int(np.argmax(wrong))
            after = "as an idle time" if closed else f"after one at {before[row]} ns"
            raise self._refused(
                f"a request at {times[row]} ns {after} (request {done + row}), and owes times that never go back, from "
                f"0 to below {MAX_TIME_NS} ns"
            )
        return int(times[-1])

    def _refused(self, said: str) -> ConfigError:
        kind = type(getattr(self.workload, "generator", self.workload))
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        return ConfigError(f"workload: {kind.__name__}{f' in {file}' if file else ''} yields {said}.")

    def describe(self) -> dict[str, Any]:
        """Return the workload's own description."""
        return self.workload.describe()


def _is_whole(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "iu"
