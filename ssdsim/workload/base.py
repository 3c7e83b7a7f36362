"""What every workload owes the simulation, and what a class of the user's own does that makes requests."""

import sys
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol

import attrs
import numpy as np

from ssdsim.config import ACCESS_LATENCIES, MOST_NS
from ssdsim.errors import ConfigError
from ssdsim.workload.chunk import FLUSH, Chunk


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

    def chunks(self) -> Iterator[Chunk]:
        """Start a fresh pass; every pass yields the same requests. No chunk is empty."""

    def describe(self) -> dict[str, Any]:
        """Return the facts on the requests read, skipped and changed, as JSON-able values."""


class Generator:
    """Makes requests, as `workload.generator` names it; its constructor takes `workload.options`.

    `bind` is called once, before anything else; whatever is drawn at random is drawn from `seed`, anew in each pass.
    `requests` is how many a pass yields, None if that is not known; with a `queue_depth` so many are kept outstanding,
    without one they come at their arrival times.
    """

    owed: ClassVar[tuple[str, ...]] = ("chunks()",)
    optional: ClassVar[tuple[str, ...]] = ("describe() -> a dictionary",)
    requests: int | None = None
    queue_depth: int | None = None
    capacity_bytes: int
    page_bytes: int
    seed: int

    def bind(self, capacity_bytes: int, page_bytes: int, seed: int) -> None:
        """Receive the bytes that the host sees, those of a page, and the seed of this stream."""
        self.capacity_bytes, self.page_bytes, self.seed = capacity_bytes, page_bytes, seed

    def chunks(self) -> Iterator[Chunk]:
        """Yield the requests of a pass in order, some tens of thousands at a time; no chunk is empty."""
        raise NotImplementedError

    def describe(self) -> dict[str, Any]:
        """Return the facts worth telling in `summary.json`, as JSON-able values."""
        return {}


class CheckedWorkload:
    """A workload whose requests are held against the capacity of its namespace before the simulator sees them.

    The namespace begins at byte `first_bytes` of the device, from which the offsets of the workload count.
    """

    def __init__(self, workload: Workload, capacity_bytes: int, first_bytes: int = 0):
        self.workload, self.capacity_bytes, self.first_bytes = workload, capacity_bytes, first_bytes
        self.requests, self.queue_depth = workload.requests, workload.queue_depth
        # those of a job of fio have more
        self.stage: int = getattr(workload, "stage", 0)
        self.runtime_ns: int = getattr(workload, "runtime_ns", 0)
        self.is_endless: bool = getattr(workload, "is_endless", False)
        extents: dict[int, tuple[int, int]] = getattr(workload, "extents", {})
        self.extents = {op: (first + first_bytes, end + first_bytes) for op, (first, end) in extents.items()}
        self.is_live: bool = getattr(workload, "is_live", False)

    def chunks(self) -> Iterator[Chunk]:
        """Yield the workload's chunks; raise ConfigError for a request that no device can take."""
        if self.is_live:  # of which nothing is written yet
            yield from self.workload.chunks()
        before = last_ns = 0
        for chunk in self.workload.chunks():
            if fault := self._fault(chunk, before, last_ns):
                kind = type(getattr(self.workload, "generator", self.workload))
                file = getattr(sys.modules.get(kind.__module__), "__file__", None)
                raise ConfigError(f"workload: {kind.__name__}{f' in {file}' if file else ''} yields {fault}.")
            before += len(chunk)
            last_ns = int(chunk.arrival_ns[-1]) if len(chunk) else last_ns
            # the offset of a flush says nothing
            yield attrs.evolve(chunk, offset_bytes=chunk.offset_bytes + self.first_bytes) if self.first_bytes else chunk

    def _fault(self, chunk: Any, before: int, last_ns: int) -> str:
        """Return a fault of a chunk, nothing if it has none; `before` it there were so many requests."""
        columns = [getattr(chunk, name, None) for name in ("arrival_ns", "op", "offset_bytes", "size_bytes")]
        whole = [column for column in columns if isinstance(column, np.ndarray) and column.dtype.kind in "iu"]
        if len(whole) < len(columns) or len({column.shape for column in whole}) > 1 or whole[0].ndim != 1:
            return f"no chunk from request {before} on: its columns owe to be arrays of whole numbers of equal length"
        times, op, start, size = whole
        # under closed-loop load they are idle times
        earliest = 0 if self.queue_depth is not None else np.concatenate([[last_ns], times])[:-1]
        wrong = (times < earliest) | (times >= MOST_NS)
        # without a sum, which could run over
        wrong |= (size < (op != FLUSH)) | (op > FLUSH) | (start < 0) | (start > self.capacity_bytes - size)
        if wrong.any():
            row = int(np.argmax(wrong))
            return (
                f"request {before + row} at {times[row]} ns with op {op[row]}, offset {start[row]}, size {size[row]}; "
                f"times never go back, from 0 to below {MOST_NS} ns, and a request has op 0 to 3, a size above 0 "
                f"(flush: 0) and an end within the {self.capacity_bytes} bytes of the device or its namespace"
            )
        for name, most in (("access_latency", len(ACCESS_LATENCIES) - 1), ("fua", 1)):
            hints = getattr(chunk, name)
            if hints is not None and (len(hints) != len(chunk) or hints.max() > most):
                return f"a column {name} that does not have 0 to {most} for each of {len(chunk)} requests"
        return ""

    def describe(self) -> dict[str, Any]:
        """Return the workload's own description."""
        return self.workload.describe()
