"""The time series beyond sums and samples: percentiles by window, and the series by stream and by channel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.window_counts import WindowCounts
from ssdsim.metrics.fields import described
from ssdsim.metrics.recorder import Windows

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
OPERATIONS = {"read": READ, "write": WRITE}
PERCENTILES = tuple(f"{op}_{name}_us" for op in OPERATIONS for name in SHARES)
"""Columns of the time series, over the requests of all streams: at most 1.6 percent too high, None without requests."""

BY_STREAM = described(
    "timeseries_by_stream",
    pa.schema(
        [("time_s", pa.float64()), ("window_s", pa.float64()), ("stream", pa.dictionary(pa.int32(), pa.string()))]
        + [(name, pa.int64()) for name in ("reads", "writes")]
        + [(name, pa.float64()) for name in ("iops", "bandwidth_mib_s", "read_response_us", "write_response_us")]
        + [(name, pa.float64()) for name in PERCENTILES]
    ),
)

BY_CHANNEL = described(
    "timeseries_by_channel",
    pa.schema([("time_s", pa.float64()), ("channel", pa.int32()), ("utilization", pa.float64())]),
)

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
        """Return the columns `PERCENTILES`."""
        tails = {op: self.columns(key)[3] for op, key in OPERATIONS.items()}
        return {f"{op}_{name}_us": tails[op][name] for op in OPERATIONS for name in SHARES}


def by_stream(windows: npt.NDArray[np.int64], width_ns: int, served: Served, streams: Sequence[str]) -> pa.Table:
    """Return the time series of each stream, a row a window and stream."""
    seconds, several = width_ns / 1e9, len(streams)
    columns: dict[str, list[npt.NDArray[Any]]] = {field.name: [] for field in BY_STREAM if field.name != "stream"}
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
