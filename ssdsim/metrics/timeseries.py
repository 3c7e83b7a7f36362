"""The time series of the whole run, by stream and by channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.window_counts import WindowCounts
from ssdsim.metrics.fields import schema
from ssdsim.metrics.parquet import array
from ssdsim.metrics.recorder import SUMS, Windows
from ssdsim.metrics.summary import NONE, PAGE_WRITES, SAMPLED, STATES, Sample, free_pages

if TYPE_CHECKING:
    import numpy.typing as npt

    Column = npt.NDArray[np.float64]

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
OPERATIONS = {"read": READ, "write": WRITE}

TIMESERIES = schema("timeseries")
BY_STREAM, BY_CHANNEL = schema("timeseries_by_stream"), schema("timeseries_by_channel")


class Served:
    """What `WindowCounts` has kept of so many windows, as arrays with a row a key and a column a window.

    `requests` and `size_bytes` are 0 where there are none, `response_us`, and the percentiles of it in `tails`, NaN.
    """

    def __init__(self, windows: int, keys: int, counts: WindowCounts):
        records = counts.records()
        place = records[:, 1] * windows + records[:, 0]

        def placed(values: npt.ArrayLike, missing: float) -> Column:
            column = np.full(keys * windows, missing)
            column[place] = values
            return column.reshape(keys, windows)

        self.requests = placed(records[:, 2], 0)
        self.size_bytes = placed(records[:, 4], 0)
        self.response_us = placed(records[:, 3] / records[:, 2] / 1000, np.nan)
        reached = counts.percentiles(list(SHARES.values())) / 1000
        self.tails = {name: placed(reached[:, index], np.nan) for index, name in enumerate(SHARES)}

    def percentile_columns(self) -> dict[str, Column]:
        """Return the percentiles over the requests of all streams, by the names of their columns."""
        return {f"{op}_{name}_us": self.tails[name][key] for op, key in OPERATIONS.items() for name in SHARES}


def timeseries(
    rows: npt.NDArray[np.int64], width_ns: int, first: Sample, buffer_pages: int = 0, served: Served | None = None
) -> pa.Table:
    """Return the time series from the rows of `Windows`; `first` is the device's sample when it started.

    There is a row for every window up to the end of the run. As in the summary, `iops` counts reads and writes, and
    `write_amplification` is over `requested_page_writes`, without a value where there are none. `buffer_pages` is the
    capacity of the write buffer. The mean queue depth is that since the row before; it has no value where the simulated
    clock did not move. `backlog` are the requests that have arrived and are not in the device, `in_flight` those in it,
    at the end of the window; `served` is what response times it had (`Windows`).
    """
    if not len(rows):
        return TIMESERIES.empty_table()
    window, reads, writes, read_ns, write_ns, read_bytes, write_bytes = rows[:, :SUMS].T
    sampled = np.vstack([first, rows[:, SUMS:]])  # the sample at the start, so that the first window has a change, too
    change = dict(zip(SAMPLED, np.diff(sampled, axis=0).T, strict=False))
    state = {name: sampled[1:, SAMPLED.index(name)] for name in STATES}
    written = sum(change[name] for name in PAGE_WRITES)
    requested = change["requested_page_writes"]
    seconds = width_ns / 1e9
    # a window without requests has no mean: NaN, which becomes None
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "time_s": window * seconds,
            "window_s": np.full(len(rows), seconds),
            "reads": reads,
            "writes": writes,
            "iops": (reads + writes) / seconds,
            "bandwidth_mib_s": (read_bytes + write_bytes) / 2**20 / seconds,
            "write_bandwidth_mib_s": write_bytes / 2**20 / seconds,
            "read_response_us": read_ns / reads / 1000,
            "write_response_us": write_ns / writes / 1000,
            **change,
            "buffer_utilization": state["buffer_used"] / buffer_pages if buffer_pages else None,
            # no quota in one window is none in all
            "lsb_quota": None if state["lsb_quota"][0] == NONE else state["lsb_quota"],
            "gc_page_moves": change["page_moves"],
            "gc_collections": change["collections"],
            "write_amplification": np.where(requested > 0, written / requested, np.nan),
            **{name: state[name] for name in ("free_blocks", "backlog", "in_flight")},
            **({} if served is None else served.percentile_columns()),
            "queue_depth": change["depth_ns"] / change["now_ns"],
            **free_pages(sampled[1:, len(SAMPLED) :].T),
        }
    return pa.table(
        [
            pa.nulls(len(rows), field.type) if column is None else array(column, field.type)
            for field, column in ((field, columns.get(field.name)) for field in TIMESERIES)
        ],
        schema=TIMESERIES,
    )


def by_stream(windows: npt.NDArray[np.int64], width_ns: int, served: Served, streams: Sequence[str]) -> pa.Table:
    """Return the time series of each stream, a row a window and stream."""
    seconds, several = width_ns / 1e9, len(streams)
    # one stream is all there is: its counts are those of the run
    first = 2 if several > 1 else 0
    keys = {op: slice(first + number, None, 2) for op, number in OPERATIONS.items()}
    columns: dict[str, Any] = {
        "time_s": np.tile(windows * seconds, (several, 1)),
        "window_s": np.full((several, len(windows)), seconds),
        "iops": sum(served.requests[key] for key in keys.values()) / seconds,
        "bandwidth_mib_s": sum(served.size_bytes[key] for key in keys.values()) / 2**20 / seconds,
    }
    for op, key in keys.items():
        columns |= {f"{op}s": served.requests[key], f"{op}_response_us": served.response_us[key]}
        columns |= {f"{op}_{name}_us": values[key] for name, values in served.tails.items()}
    # window by window, and in each all streams
    numbers = array(np.tile(np.arange(several), len(windows)), pa.int32())
    arrays = [
        pa.DictionaryArray.from_arrays(numbers, list(streams))
        if field.name == "stream"
        else array(columns[field.name].T.ravel(), field.type)
        for field in BY_STREAM
    ]
    return pa.Table.from_arrays(arrays, schema=BY_STREAM)


def by_channel(
    windows: npt.NDArray[np.int64], width_ns: int, elapsed_ns: npt.NDArray[np.int64], kept: Windows
) -> pa.Table:
    """Return the share of the time for which each channel's bus was held, a row a window and channel.

    `elapsed_ns` is how long ago the window before was closed; None where the clock has not moved since.
    """
    channels = len(kept.channels)
    if not len(windows) or not channels:
        return BY_CHANNEL.empty_table()
    change = np.diff(kept.bus_held_ns(), axis=0)  # held up to each end, less up to the one before
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(elapsed_ns[:, None] > 0, change / elapsed_ns[:, None], np.nan)
    return pa.table(
        {
            "time_s": array(np.repeat(windows * (width_ns / 1e9), channels), pa.float64()),
            "channel": array(np.tile(np.arange(channels), len(windows)), pa.int32()),
            "utilization": array(shares.ravel(), pa.float64()),
        },
        schema=BY_CHANNEL,
    )
