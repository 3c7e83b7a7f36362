"""The time series of the whole run, and by stream."""

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim.metrics.course import NONE, Course
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import array
from ssdsim.metrics.recorder import Windows
from ssdsim.metrics.summary import free_pages

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}

TIMESERIES = schema("timeseries")


class Served:
    """The reads and writes that `windows` have kept, as arrays with a row an operation and a column a window.

    `requests` and `size_bytes` are 0 where there are none, `response_us`, and the percentiles of it in `tails`, NaN.
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
        reached = windows.counts.percentiles(list(SHARES.values())) / 1000
        self.tails = {name: placed(reached[:, index], np.nan) for index, name in enumerate(SHARES)}
        self.completed = self.requests.sum(axis=0).astype(np.int64)

    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns that tell of requests."""
        columns = {
            "time_s": np.arange(len(self.completed)) * self.seconds,
            "window_s": np.full(len(self.completed), self.seconds),
            "iops": self.completed / self.seconds,
            "bandwidth_mib_s": self.size_bytes.sum(axis=0) / 2**20 / self.seconds,
            "write_bandwidth_mib_s": self.size_bytes[WRITE] / 2**20 / self.seconds,
        }
        for name, op in (("read", READ), ("write", WRITE)):
            columns |= {f"{name}s": self.requests[op], f"{name}_response_us": self.response_us[op]}
            columns |= {f"{name}_{share}_us": tail[op] for share, tail in self.tails.items()}
        return columns


def timeseries(course: Course, served: Served, buffer_pages: int = 0) -> pa.Table:
    """Return the time series: a row for every window up to the end of the run.

    As in the summary, `iops` counts reads and writes, and `write_amplification` is over `requested_page_writes`,
    without a value where there are none. `buffer_pages` is the capacity of the write buffer. The mean queue depth is
    that since the row before; it has no value where the simulated clock did not move.
    """
    windows, change, state = len(course.requested), course.change, course.state
    if not windows:
        return TIMESERIES.empty_table()
    with np.errstate(invalid="ignore", divide="ignore"):  # what is divided by 0 is NaN, which becomes None
        columns = {
            **served.columns(),
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
    return pa.table([_column(columns.get(field.name), field, windows) for field in TIMESERIES], schema=TIMESERIES)


def _column(values: np.ndarray | None, field: pa.Field, rows: int) -> pa.Array:
    return pa.nulls(rows, field.type) if values is None else array(values, field.type)
