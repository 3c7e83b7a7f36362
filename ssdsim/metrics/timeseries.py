"""The time series beyond sums and samples: percentiles by window, and the series by stream and by channel."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.window_counts import merged, percentiles
from ssdsim.metrics.fields import described

SHARES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999}
OPERATIONS = {"read": READ, "write": WRITE}
PERCENTILES = tuple(f"{op}_{name}_us" for op in OPERATIONS for name in SHARES)
"""Columns of the time series."""

Counted = tuple[int, int, int, int, np.ndarray, np.ndarray]
"""What `WindowCounts.take` returns of a key."""

Served = Mapping[int, Mapping[int, Counted]]
"""By window, then by 2 * stream + operation, what `Windows` keeps of response times."""

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


def percentile_columns(windows: Sequence[int], served: Served) -> dict[str, list[float | None]]:
    """Return the columns `PERCENTILES` over the requests of all streams; None where a window has none.

    They are at most 1.6 percent too high, and never above the longest response time of the window.
    """
    columns: dict[str, list[float | None]] = {name: [] for name in PERCENTILES}
    for window in windows:
        found = served.get(window, {})
        for name, op in OPERATIONS.items():
            counted = None
            for key, of in found.items():
                if key % 2 == op:
                    counted = of if counted is None else merged(counted, of)
            _append(columns, name, counted)
    return columns


def by_stream(windows: Sequence[int], width_ns: int, served: Served, streams: Sequence[str]) -> pa.Table:
    """Return the time series of each stream, a row a window and stream."""
    seconds = width_ns / 1e9
    columns: dict[str, list[Any]] = {field.name: [] for field in BY_STREAM if field.name != "stream"}
    for window in windows:
        found = served.get(window, {})
        for stream in range(len(streams)):
            both = {name: found.get(2 * stream + op) for name, op in OPERATIONS.items()}
            columns["time_s"].append(window * seconds)
            columns["window_s"].append(seconds)
            for name, counted in both.items():
                columns[f"{name}s"].append(0 if counted is None else counted[0])
                columns[f"{name}_response_us"].append(None if counted is None else counted[1] / counted[0] / 1000)
                _append(columns, name, counted)
            known = [counted for counted in both.values() if counted is not None]
            columns["iops"].append(sum(counted[0] for counted in known) / seconds)
            columns["bandwidth_mib_s"].append(sum(counted[2] for counted in known) / 2**20 / seconds)
    numbers = np.tile(np.arange(len(streams), dtype=np.int32), len(windows))
    arrays = [
        pa.DictionaryArray.from_arrays(numbers, list(streams))
        if field.name == "stream"
        else pa.array(columns[field.name], type=field.type)
        for field in BY_STREAM
    ]
    return pa.Table.from_arrays(arrays, schema=BY_STREAM)


def by_channel(
    rows: Sequence[tuple[int, ...]], width_ns: int, busy_ns: Mapping[int, Sequence[int]], first: Sequence[int], now: int
) -> pa.Table:
    """Return the share of the time for which each channel's bus was held, a row a window and channel.

    `rows` are those of `Windows`, of which number `now` is the simulated time, `busy_ns` what it was told by window,
    and `first` the same when it began, with the time. None where the clock did not move.
    """
    channels = len(first) - 1
    if not rows or not channels:
        return BY_CHANNEL.empty_table()
    times = np.array([row[now] for row in rows], dtype=np.int64)
    elapsed = np.diff(times, prepend=first[0])[:, None]
    held, last = [], np.array(first[1:], dtype=np.int64)
    for row in rows:
        last = np.array(busy_ns.get(row[0], last), dtype=np.int64)
        held.append(last)
    change = np.diff(np.array(held), axis=0, prepend=[first[1:]])
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(elapsed > 0, change / elapsed, np.nan)
    windows = np.array([row[0] for row in rows], dtype=np.int64)
    return pa.table(
        {
            "time_s": np.repeat(windows * (width_ns / 1e9), channels),
            "channel": pa.array(np.tile(np.arange(channels), len(rows)), pa.int32()),
            "utilization": pa.array(shares.ravel(), pa.float64(), from_pandas=True),
        },
        schema=BY_CHANNEL,
    )


def _append(columns: dict[str, list[Any]], op: str, counted: Counted | None) -> None:
    """Add the percentiles of an operation in a window."""
    values = [None] * len(SHARES) if counted is None else percentiles(counted, list(SHARES.values()))
    for name, value in zip(SHARES, values, strict=True):
        columns[f"{op}_{name}_us"].append(None if value is None else value / 1000)
