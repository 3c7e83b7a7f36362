"""One picture of a run: response times, throughput, latency distribution, garbage collection. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from ssdsim.metrics.result import Result
from ssdsim.report.hues import BLUE, GREEN, GREY, VERMILION
from ssdsim.report.style import PLAIN, dress

COLOURS = {"read": BLUE, "write": VERMILION}
COLLECTION = [("host_page_writes", "host writes", GREY), ("gc_page_moves", "GC moves", GREEN)]
POINTS = 160
STROKE: dict[str, Any] = {"linewidth": 1.2}


def overview(result: Result, path: str | Path) -> None:
    """Write the picture of `result` to `path`, in the format of its suffix."""
    figure = Figure(figsize=(10, 6.2), dpi=150, layout="constrained")
    panels = figure.subplots(2, 2)
    if result.timeseries.num_rows:
        series = _binned(result.timeseries)
        _response_over_time(panels[0, 0], series)
        _rates(panels[0, 1], series, [("iops", "", "black")])
        _rates(panels[1, 1], series, COLLECTION)
    _latency(panels[1, 0], result)
    dress(panels[0, 0], "Response time", "simulated time (s)", "mean (µs)")
    dress(panels[0, 1], "Throughput", "simulated time (s)", "IOPS")
    dress(panels[1, 0], "Latency distribution", "response time (µs)", "share of requests")
    dress(panels[1, 1], "Garbage collection", "simulated time (s)", "pages a second")
    figure.suptitle(_title(result), fontsize=10)
    figure.savefig(path)


def _binned(series: pa.Table) -> dict[str, np.ndarray]:
    """Return the series in at most `POINTS` bins of equal width, for a line to show a course and not its noise.

    Rates are by the second; a response time is NaN in a bin without requests.
    """
    column = {name: np.nan_to_num(series[name].to_numpy().astype(float)) for name in series.column_names}
    width = column["window_s"][0]
    window = np.rint(column["time_s"] / width).astype(int)
    windows = int(window.max()) + 1
    windows_a_bin = -(-windows // POINTS)
    bins = np.arange(-(-windows // windows_a_bin))
    seconds = np.minimum(windows_a_bin, windows - bins * windows_a_bin) * width

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(window // windows_a_bin, values, len(bins))

    binned = {"time": bins * windows_a_bin * width + seconds / 2}
    for name in ("host_page_writes", "gc_page_moves"):
        binned[name] = total(column[name]) / seconds
    for op in COLOURS:
        served = total(column[f"{op}s"])
        waited = total(column[f"{op}s"] * column[f"{op}_response_us"])
        binned[op] = np.divide(waited, served, out=np.full(len(bins), np.nan), where=served > 0)
    binned["iops"] = total(column["iops"] * width) / seconds
    return binned


def _response_over_time(axes: Axes, series: dict[str, np.ndarray]) -> None:
    for op, colour in COLOURS.items():
        known = np.isfinite(series[op])
        if known.any():
            axes.plot(series["time"][known], series[op][known], color=colour, label=op, **STROKE)
    is_log = any((series[op] > 0).any() for op in COLOURS)  # what the flash is not needed for takes no time
    axes.set_yscale("log" if is_log else "linear")
    axes.yaxis.set_major_formatter(PLAIN)
    low, high = axes.get_ylim()
    if is_log and high < 100 * low:
        # Too few powers of ten to read values by.
        axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.yaxis.set_minor_formatter(PLAIN)


def _latency(axes: Axes, result: Result) -> None:
    for op, colour in COLOURS.items():
        bins = result.latency.filter(pc.equal(result.latency["op"], op)).sort_by("up_to_us")
        counts = bins["count"].to_numpy()
        if counts.sum():
            p99 = result.summary["requests"][op]["response_us"]["p99"]
            bounds = bins["up_to_us"].to_numpy()
            share = np.cumsum(counts) / counts.sum()
            label = f"{op} (p99 {p99:,.0f} µs)"
            axes.step([bounds[0], *bounds], [0, *share], where="post", color=colour, label=label)
    if (result.latency["up_to_us"].to_numpy() > 0).any():
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(PLAIN)
    axes.set_ylim(0, 1.02)


def _rates(axes: Axes, series: dict[str, np.ndarray], lines: Sequence[tuple[str, str, str]]) -> None:
    """Draw columns from 0 on by their labels and colours; of several the ground is filled."""
    for column, label, colour in lines:
        if len(lines) > 1:
            axes.fill_between(series["time"], series[column], color=colour, alpha=0.25, linewidth=0)
        axes.plot(series["time"], series[column], color=colour, label=label, **STROKE)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PLAIN)


def _title(result: Result) -> str:
    source = (result.summary.get("workload") or {}).get("path")
    numbers = ", ".join(f"{name} {value}" for name, value in result.headline().items())
    return f"{Path(source).name}: {numbers}" if source else numbers
