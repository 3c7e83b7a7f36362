"""The paper's measures, from the results of the runs."""

from collections.abc import Mapping

import attrs
import numpy as np

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row

from ...study.measures import ratio

SUMS = ("reads", "writes", "host_page_writes", "gc_page_moves", "gc_collections")
JOINED = {"write": ("host_programs_joined", "host_programs"), "read": ("host_reads_joined", "host_reads")}

WRITES, READS = (f"multi-plane {op} %" for op in JOINED)
COLLECTIONS = "collections per 1000 pages"
ADMITTED, ARRIVED = "queued_ms", "response_ms"
"""Response times from admission to the device, and from arrival: where requests come as fast as the queue takes them,
the former are what its 32 wait."""

# What Figs. 2 and 6 show, with title and unit.
PANELS = {
    ADMITTED: ("Response time from admission", "ms"),
    COLLECTIONS: ("Collections", "per 1000 pages written"),
    WRITES: ("Multi-plane writes", "percent of the host's"),
    READS: ("Multi-plane reads", "percent of the host's"),
}

EARLY, LATE = (0.0, 0.75), (8.0, np.inf)  # volumes before collection starts, and in which the long run is long

# Volumes of which numbers are those of Fig. 7: collection has gone through a fair part of the blocks.
SETTLED = (1.25, np.inf)

Span = tuple[float, float]


@attrs.frozen
class Course:
    """A run as a course over the volume written, in units of the capacity."""

    volume: np.ndarray
    """What had been written at the end of each window."""

    sums: Mapping[str, np.ndarray]
    """By window: numbers of `SUMS` and `JOINED`, the `window_s` that it took, and of all its requests the `response_us`
    and the `queued_s` from admission to the device to completion."""

    def between(self, span: Span) -> Row:
        """Return the figures between two volumes; None for one of nothing that happened."""
        start, end = span
        within = (self.volume > start) & (self.volume <= end)
        total = {name: float(values[within].sum()) for name, values in self.sums.items()}
        requests = total["reads"] + total["writes"]
        return {
            ARRIVED: ratio(total["response_us"], 1000 * requests),
            ADMITTED: ratio(1000 * total["queued_s"], requests),
            "iops": ratio(requests, total["window_s"]),
            COLLECTIONS: ratio(1000 * total["gc_collections"], total["host_page_writes"]),
            **{f"multi-plane {op} %": ratio(100 * total[joined], total[all_]) for op, (joined, all_) in JOINED.items()},
        }

    def points(self, step: float) -> list[Row]:
        """Return the course in steps of so much volume."""
        ends = np.arange(1, round(float(self.volume[-1]) / step) + 1) * step
        return [{"volume": float(end - step / 2), **self.between((end - step, end))} for end in ends]

    @property
    def first_collection(self) -> float | None:
        """The volume at which collection starts; None if it does not."""
        collected = np.flatnonzero(self.sums["gc_collections"])
        return float(self.volume[collected[0]]) if len(collected) else None


def course(result: Result, pages: int) -> Course:
    """Return the course of a run on a device of `pages`."""
    series = result.timeseries

    def column(name: str) -> np.ndarray:
        return np.nan_to_num(series[name].to_numpy().astype(float))

    sums = {name: column(name) for name in (*SUMS, *(name for pair in JOINED.values() for name in pair))}
    sums["response_us"] = sum(column(f"{op}s") * column(f"{op}_response_us") for op in ("read", "write"))
    sums["window_s"] = np.diff(column("time_s") + column("window_s"), prepend=0.0)
    sums["queued_s"] = column("queue_depth") * sums["window_s"]
    return Course(np.cumsum(sums["host_page_writes"]) / pages, sums)
