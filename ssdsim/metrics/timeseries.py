"""The course of a run: the counts of a device at the end of each window, and the table of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.program_order import TYPE_NAMES
from ssdsim.metrics.fields import schema
from ssdsim.metrics.recorder import Windows

TIMESERIES = schema("timeseries")

SAMPLED = (
    *("host_page_writes", "page_moves", "extra_pages", "collections", "erases", "free_blocks", "depth_ns", "now_ns"),
    *("host_programs", "host_programs_joined", "host_reads", "host_reads_joined"),
    *("backup_pages", "requested_page_writes", "buffer_used", "lsb_quota", "backlog", "in_flight"),
)
"""The numbers of a sample before its unused pages by type: counts so far, and the requests in the queue over time.
The host's page writes are those to flash, the requested ones those that came from the host: a write buffer is between
them. Extra pages were written only to complete a row or a super page, or to back up others. Operations that are joined
were done by multi-plane commands."""

PAGE_WRITES = ("host_page_writes", "page_moves", "extra_pages")
"""Counts that add up to all pages written, those of the host first."""

STATES = ("free_blocks", "now_ns", "buffer_used", "lsb_quota", "backlog", "in_flight")
"""Numbers that are a state and no count, as unused pages are, too."""

NO_QUOTA = -(1 << 62)
"""The number in a sample of a device without a quota."""

Sample = tuple[int, ...]
"""The state of the device and its queue, and their counts, at one moment."""


def by_name(sample: Any) -> dict[str, Any]:
    """Return the numbers of a sample, or columns of several samples, by their names."""
    # without strict: unused pages by type follow in a sample
    return dict(zip(SAMPLED, sample, strict=False))


def pages_written(counts: Mapping[str, Any]) -> Any:
    """Return all pages written to flash, whatever for."""
    return sum(counts[name] for name in PAGE_WRITES)


def carried(last: Sample) -> Sample:
    """Return the part of the last sample before a loss of power that is added to the samples after it."""
    # a state is read of the new device, and not added up
    return tuple(0 if name in STATES else count for name, count in by_name(last).items())


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
        self.start_ns = by_name(first)["now_ns"]
        self.change = by_name(np.diff(columns))
        self.state = {name: columns[SAMPLED.index(name), 1:] for name in STATES}
        self.free_by_type = columns[len(SAMPLED) :, 1:]
        self.completed = np.zeros(len(taken), np.int64) if completed is None else completed
        self.length_ns = self.change["now_ns"]
        self.requested = self.change["requested_page_writes"]
        self.written = pages_written(self.change)
        self.not_complete = self.state["backlog"] + self.state["in_flight"]


def served(windows: Windows) -> dict[str, np.ndarray]:
    """Return the columns on the reads and writes of windows: 0 where there are none, or NaN in the place of a time."""
    records, p99_ns = windows.counts.records(), windows.counts.percentiles(0.99)
    columns = {}
    for name, op in (("read", READ), ("write", WRITE)):
        is_op = records[:, 1] == op
        window, (count, total_ns, size_bytes) = records[is_op, 0], records[is_op, 2:5].T
        counted = {f"{name}s": count, f"{name}_bytes": size_bytes}
        times = {f"{name}_response_us": total_ns / count / 1000, f"{name}_p99_us": p99_ns[is_op] / 1000}
        for column, values in {**counted, **times}.items():
            columns[column] = np.full(windows.closed, 0 if column in counted else np.nan)
            columns[column][window] = values
    return columns


def timeseries(course: Course, of_host: dict[str, np.ndarray], seconds: float, buffer_pages: int = 0) -> pa.Table:
    """Return the time series: a row for every window up to the end of the run, all of which are so many seconds long.

    `of_host` are the columns on reads and writes, `buffer_pages` is the capacity of the write buffer. The mean queue
    depth is that since the row before; it has no value where the simulated clock did not move.
    """
    rows, change, state = len(course.requested), course.change, course.state
    if not rows:
        return TIMESERIES.empty_table()
    with np.errstate(invalid="ignore", divide="ignore"):  # what is divided by 0 is NaN, which becomes None
        columns = {
            "time_s": np.arange(rows) * seconds,
            "window_s": np.full(rows, seconds),
            **of_host,
            "iops": course.completed / seconds,
            "bandwidth_mib_s": (of_host["read_bytes"] + of_host["write_bytes"]) / 2**20 / seconds,
            "write_bandwidth_mib_s": of_host["write_bytes"] / 2**20 / seconds,
            **change,
            "buffer_utilization": state["buffer_used"] / buffer_pages if buffer_pages else None,
            # no quota in one window is none in all
            "lsb_quota": None if state["lsb_quota"][0] == NO_QUOTA else state["lsb_quota"],
            "gc_page_moves": change["page_moves"],
            "gc_collections": change["collections"],
            "write_amplification": np.where(course.requested > 0, course.written / course.requested, np.nan),
            **{name: state[name] for name in ("free_blocks", "backlog", "in_flight")},
            "queue_depth": change["depth_ns"] / change["now_ns"],
            **free_pages(course.free_by_type),
        }
    return pa.table([_column(columns.get(field.name), field, rows) for field in TIMESERIES], schema=TIMESERIES)


def _column(values: np.ndarray | None, field: pa.Field, rows: int) -> pa.Array:
    """Return a column of numbers; NaN is None."""
    if values is None:
        return pa.nulls(rows, field.type)
    column = np.ascontiguousarray(values, field.type.to_pandas_dtype())
    missing = np.isnan(column)
    # Arrow has the memory as it is: to look at an array itself it loads numpy's masked arrays
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(field.type, rows, [valid, pa.py_buffer(column)])
