"""The course of a run: what a device had counted at the end of each window, and the table of that."""

from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import array
from ssdsim.metrics.recorder import Windows

TIMESERIES = schema("timeseries")

SAMPLED = (
    *("host_page_writes", "page_moves", "extra_pages", "collections", "erases", "free_blocks", "depth_ns", "now_ns"),
    *("host_programs", "host_programs_joined", "host_reads", "host_reads_joined"),
    *("backup_pages", "requested_page_writes", "buffer_used", "lsb_quota", "backlog", "in_flight"),
)
"""What a sample holds before its unused pages by type: counts so far, and the requests in the queue summed over time.
The host's page writes are those to flash, the requested ones those that came from the host: a write buffer is between
them. Extra pages were written only to complete a row or a super page, or to back up others. Operations that are joined
were done by multi-plane commands."""

PAGE_WRITES = ("host_page_writes", "page_moves", "extra_pages")
"""What of it adds up to all pages written, those of the host first."""

STATES = ("free_blocks", "now_ns", "buffer_used", "lsb_quota", "backlog", "in_flight")
"""What of it is a state and not a count; unused pages are too."""

NONE = -(1 << 62)
"""What stands in a sample for a quota that there is none of."""

Sample = tuple[int, ...]
"""What only the device and its queue know at one moment."""


def changes(before: Sample, after: Sample) -> dict[str, int]:
    """Return by how much each thing sampled has grown."""
    # without strict: unused pages by type follow in a sample
    return {name: b - a for name, a, b in zip(SAMPLED, before, after, strict=False)}


def free_by_type(sample: Sample) -> Sample:
    """Return the unused pages of each type."""
    return sample[len(SAMPLED) :]


def carried(last: Sample) -> Sample:
    """Return the counts that a device that has lost power adds to those of the one that went on from it."""
    # a state is read of the new device, and not added up
    return tuple(0 if name in STATES else count for name, count in zip(SAMPLED, last, strict=False))


def free_pages(free_by_type: Any) -> dict[str, Any]:
    """Return the unused pages by name of their type, None for a type that the device does not have."""
    free = dict(zip(TYPE_NAMES[len(free_by_type)], free_by_type, strict=True))
    return {f"free_{name}": free.get(name) for name in dict.fromkeys((*TYPE_NAMES[3], *free))}


class Course:
    """A run in pieces, in order: the `change` of everything sampled in each of them, and its `state` at their ends.

    `first` is the sample before the first piece, `samples` has one at the end of each; `completed` are the reads and
    writes of each, of which there are none without flash timing.
    """

    def __init__(self, first: Sample, samples: Any, completed: np.ndarray | None = None) -> None:
        taken = np.asarray(samples, np.int64).reshape(-1, len(first))
        columns = np.vstack([first, taken]).T
        self.change = dict(zip(SAMPLED, np.diff(columns), strict=False))
        self.state = {name: columns[SAMPLED.index(name), 1:] for name in STATES}
        self.free_by_type = columns[len(SAMPLED) :, 1:]
        self.completed = np.zeros(len(taken), np.int64) if completed is None else completed
        self.length_ns = self.change["now_ns"]
        self.requested = self.change["requested_page_writes"]
        self.written = np.add.reduce([self.change[name] for name in PAGE_WRITES])  # for whomever
        self.not_complete = self.state["backlog"] + self.state["in_flight"]


class Served:
    """The reads and writes that `windows` have kept, as arrays with a row an operation and a column a window.

    `requests` and `size_bytes` are 0 where there are none, `response_us` and `p99_us` NaN.
    """

    def __init__(self, windows: Windows):
        records, count = windows.counts.records(), windows.samples.count

        def placed(values: np.ndarray, missing: float) -> np.ndarray:
            rows = np.full((2, count), missing)
            rows[records[:, 1], records[:, 0]] = values
            return rows

        self.seconds = windows.width_ns / 1e9
        self.requests = placed(records[:, 2], 0)
        self.size_bytes = placed(records[:, 4], 0)
        self.response_us = placed(records[:, 3] / records[:, 2] / 1000, np.nan)
        self.p99_us = placed(windows.counts.percentiles([0.99])[:, 0] / 1000, np.nan)
        self.completed = self.requests.sum(axis=0).astype(np.int64)


def timeseries(course: Course, served: Served, buffer_pages: int = 0) -> pa.Table:
    """Return the time series, given the capacity of the write buffer: a row for every window up to the end of the run.

    The mean queue depth is that since the row before; it has no value where the simulated clock did not move.
    """
    windows, change, state = len(course.requested), course.change, course.state
    if not windows:
        return TIMESERIES.empty_table()
    with np.errstate(invalid="ignore", divide="ignore"):  # what is divided by 0 is NaN, which becomes None
        columns = {
            "time_s": np.arange(windows) * served.seconds,
            "window_s": np.full(windows, served.seconds),
            "iops": served.completed / served.seconds,
            "bandwidth_mib_s": served.size_bytes.sum(axis=0) / 2**20 / served.seconds,
            "write_bandwidth_mib_s": served.size_bytes[WRITE] / 2**20 / served.seconds,
            **change,
            "buffer_utilization": state["buffer_used"] / buffer_pages if buffer_pages else None,
            # no quota in one window is none in all
            "lsb_quota": None if state["lsb_quota"][0] == NONE else state["lsb_quota"],
            "gc_page_moves": change["page_moves"],
            "gc_collections": change["collections"],
            "write_amplification": np.where(course.requested > 0, course.written / course.requested, np.nan),
            **{name: state[name] for name in ("free_blocks", "backlog", "in_flight")},
            "queue_depth": change["depth_ns"] / change["now_ns"],
            **free_pages(course.free_by_type),
        }
    for name, op in (("read", READ), ("write", WRITE)):
        columns[f"{name}s"] = served.requests[op]
        columns |= {f"{name}_response_us": served.response_us[op], f"{name}_p99_us": served.p99_us[op]}
    return pa.table([_column(columns.get(field.name), field, windows) for field in TIMESERIES], schema=TIMESERIES)


def _column(values: np.ndarray | None, field: pa.Field, rows: int) -> pa.Array:
    return pa.nulls(rows, field.type) if values is None else array(values, field.type)
