"""The time series of the whole run, and by stream."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim.metrics.course import NONE, Course
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import array
from ssdsim.metrics.recorder import Windows
from ssdsim.metrics.summary import free_pages

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
OPERATIONS = {"read": READ, "write": WRITE}

TIMESERIES, BY_STREAM = schema("timeseries"), schema("timeseries_by_stream")


class Served:
    """The requests that `windows` have kept, as arrays with a row a key of `WindowCounts` and a column a window.

    `requests` and `size_bytes` are 0 where there are none, `response_us`, and the percentiles of it in `tails`, NaN.
    """

    def __init__(self, windows: Windows):
        records, keys, count = windows.counts.records(), windows.keys, windows.samples.count
        place = records[:, 1] * count + records[:, 0]

        def placed(values: np.ndarray, missing: float) -> np.ndarray:
            column = np.full(keys * count, missing)
            column[place] = values
            return column.reshape(keys, count)

        self.seconds = windows.width_ns / 1e9
        self.requests = placed(records[:, 2], 0)
        self.size_bytes = placed(records[:, 4], 0)
        self.response_us = placed(records[:, 3] / records[:, 2] / 1000, np.nan)
        reached = windows.counts.percentiles(list(SHARES.values())) / 1000
        self.tails = {name: placed(reached[:, index], np.nan) for index, name in enumerate(SHARES)}

    @property
    def completed(self) -> np.ndarray:
        """The reads and writes of each window."""
        return (self.requests[READ] + self.requests[WRITE]).astype(np.int64)

    def columns(self, keys: dict[str, Any]) -> dict[str, np.ndarray]:
        """Return the columns that tell of requests, given the keys of the reads and of the writes."""
        requests, size_bytes = (sum(rows[key] for key in keys.values()) for rows in (self.requests, self.size_bytes))
        columns = {"iops": requests / self.seconds, "bandwidth_mib_s": size_bytes / 2**20 / self.seconds}
        for op, key in keys.items():
            columns |= {f"{op}s": self.requests[key], f"{op}_response_us": self.response_us[key]}
            columns |= {f"{op}_{name}_us": tail[key] for name, tail in self.tails.items()}
        shape = requests.shape
        times_s = np.arange(shape[-1]) * self.seconds
        return columns | {"time_s": np.broadcast_to(times_s, shape), "window_s": np.full(shape, self.seconds)}


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
            **served.columns(OPERATIONS),
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
    return pa.table([_column(columns.get(field.name), field, windows) for field in TIMESERIES], schema=TIMESERIES)


def _column(values: np.ndarray | None, field: pa.Field, rows: int) -> pa.Array:
    return pa.nulls(rows, field.type) if values is None else array(values, field.type)


def by_stream(served: Served, streams: Sequence[str]) -> pa.Table:
    """Return the time series of each stream: window by window, and in each all streams."""
    # one stream is all there is: its counts are those of the run
    first = 2 if len(streams) > 1 else 0
    columns = served.columns({op: slice(first + number, None, 2) for op, number in OPERATIONS.items()})
    numbers = array(np.tile(np.arange(len(streams)), served.requests.shape[1]), pa.int32())
    arrays = [
        pa.DictionaryArray.from_arrays(numbers, list(streams))
        if field.name == "stream"
        else array(columns[field.name].T.ravel(), field.type)
        for field in BY_STREAM
    ]
    return pa.Table.from_arrays(arrays, schema=BY_STREAM)
