"""The time series of a run: a row a window."""

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim.metrics.course import NONE, Course
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import array
from ssdsim.metrics.recorder import Windows
from ssdsim.metrics.summary import free_pages

TIMESERIES = schema("timeseries")


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
