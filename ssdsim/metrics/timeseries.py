"""The time series of the whole run, by stream and by channel."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.window_counts import WindowCounts
from ssdsim.metrics.fields import schema
from ssdsim.metrics.recorder import SUMS, Windows
from ssdsim.metrics.summary import NONE, PAGE_WRITES, SAMPLED, STATES, Sample, free_pages

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
OPERATIONS = {"read": READ, "write": WRITE}

TIMESERIES = schema("timeseries")
BY_STREAM, BY_CHANNEL = schema("timeseries_by_stream"), schema("timeseries_by_channel")

Column = npt.NDArray[np.float64]


class Served:
    """What `WindowCounts` has kept of the windows whose numbers are given, as columns of one value a window."""

    def __init__(self, windows: npt.NDArray[np.int64], counts: WindowCounts):
        self.windows = windows
        self.records = counts.records()
        self.percentiles = counts.percentiles(list(SHARES.values()))

    def columns(self, key: int) -> tuple[Column, Column, Column, dict[str, Column]]:
        """Return how many requests of `key` there are, their bytes, mean response time, and percentiles of these."""
        is_of_key = self.records[:, 1] == key
        # a window without requests of the key has no record
        records, rows = self.records[is_of_key], np.searchsorted(self.windows, self.records[is_of_key, 0])

        def placed(values: npt.ArrayLike, missing: float) -> Column:
            column = np.full(len(self.windows), missing)
            column[rows] = values
            return column

        means = placed(records[:, 3] / records[:, 2] / 1000, np.nan)
        reached = self.percentiles[is_of_key] / 1000
        tails = {name: placed(reached[:, index], np.nan) for index, name in enumerate(SHARES)}
        return placed(records[:, 2], 0), placed(records[:, 4], 0), means, tails

    def percentile_columns(self) -> dict[str, Column]:
        """Return the percentiles over the requests of all streams, by the names of their columns."""
        tails = {op: self.columns(key)[3] for op, key in OPERATIONS.items()}
        return {f"{op}_{name}_us": tails[op][name] for op in OPERATIONS for name in SHARES}


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
    nothing = [None] * len(rows)
    return pa.table(
        [
            pa.array(nothing if column is None else column, type=field.type, from_pandas=True)  # NaN as None
            for field, column in ((field, columns.get(field.name)) for field in TIMESERIES)
        ],
        schema=TIMESERIES,
    )


def by_stream(windows: npt.NDArray[np.int64], width_ns: int, served: Served, streams: Sequence[str]) -> pa.Table:
    """Return the time series of each stream, a row a window and stream."""
    seconds, several = width_ns / 1e9, len(streams)
    columns: dict[str, list[npt.NDArray[Any]]] = defaultdict(list)
    for stream in range(several):
        requests, sizes = np.zeros(len(windows)), np.zeros(len(windows))
        for op, number in OPERATIONS.items():
            # one stream is all there is: its counts are those of the run
            key = number if several == 1 else 2 + 2 * stream + number
            count, size, mean, tails = served.columns(key)
            columns[f"{op}s"].append(count)
            columns[f"{op}_response_us"].append(mean)
            for name, values in tails.items():
                columns[f"{op}_{name}_us"].append(values)
            requests += count
            sizes += size
        columns["time_s"].append(windows * seconds)
        columns["window_s"].append(np.full(len(windows), seconds))
        columns["iops"].append(requests / seconds)
        columns["bandwidth_mib_s"].append(sizes / 2**20 / seconds)
    # window by window, and in each all streams
    numbers = pa.array(np.tile(np.arange(several, dtype=np.int32), len(windows)))
    arrays = [
        pa.DictionaryArray.from_arrays(numbers, list(streams))
        if field.name == "stream"
        else _array(np.stack(columns[field.name], axis=1).ravel(), field.type)
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
            "time_s": np.repeat(windows * (width_ns / 1e9), channels),
            "channel": pa.array(np.tile(np.arange(channels), len(windows)), pa.int32()),
            "utilization": _array(shares.ravel(), pa.float64()),
        },
        schema=BY_CHANNEL,
    )


def _array(values: npt.NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    """Return a column in which what is no number is None."""
    return pa.array(values.astype(np.int64) if pa.types.is_integer(kind) else values, type=kind, from_pandas=True)
