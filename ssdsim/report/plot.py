"""One picture of a run: response times, throughput, latency distribution, garbage collection. Needs matplotlib."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, StrMethodFormatter

from ssdsim.metrics.result import Result

# Two hues of the Okabe-Ito palette, told apart by colour-blind readers and in grey print.
COLOURS = {"read": "#0072B2", "write": "#D55E00"}
HOST, GC = "#999999", "#009E73"
PLAIN = StrMethodFormatter("{x:,g}")


def overview(result: Result, path: str | Path) -> None:
    """Write the picture of `result` to `path`, in the format of its suffix."""
    figure = Figure(figsize=(10, 6.2), dpi=150, layout="constrained")
    panels = figure.subplots(2, 2)
    series = result.timeseries
    _response_over_time(panels[0, 0], series)
    _throughput(panels[0, 1], series)
    _latency(panels[1, 0], result)
    _collection(panels[1, 1], series)
    for axes in panels.flat:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25, linewidth=0.6)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(frameon=False, fontsize=8)
    figure.suptitle(_title(result), fontsize=10)
    figure.savefig(path)


def _response_over_time(axes: Axes, series: pa.Table) -> None:
    for op, colour in COLOURS.items():
        time, response = _known(series, f"{op}_response_us")
        if len(time):
            axes.plot(time, response, color=colour, label=op, **_stroke(len(time)))
            axes.set_yscale("log")
            _plain_log(axes.yaxis)
    _label(axes, "Response time", "simulated time (s)", "mean of a window (µs)")


def _throughput(axes: Axes, series: pa.Table) -> None:
    time, iops = _known(series, "iops")
    axes.plot(time, iops, color="black", **_stroke(len(time)))
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PLAIN)
    _label(axes, "Throughput", "simulated time (s)", "IOPS")


def _latency(axes: Axes, result: Result) -> None:
    for op, colour in COLOURS.items():
        bins = result.latency.filter(pc.equal(result.latency["op"], op)).sort_by("up_to_us")
        counts = bins["count"].to_numpy()
        if counts.sum():
            p99 = result.summary["requests"][op]["response_us"]["p99"]
            share = np.cumsum(counts) / counts.sum()
            axes.step(bins["up_to_us"], share, where="post", color=colour, label=f"{op} (p99 {p99:,.0f} µs)")
            axes.set_xscale("log")
            _plain_log(axes.xaxis)
    axes.set_ylim(0, 1.02)
    _label(axes, "Latency distribution", "response time (µs)", "share of requests")


def _collection(axes: Axes, series: pa.Table) -> None:
    window = series["window_s"].to_numpy()
    time = series["time_s"].to_numpy()
    for column, label, colour in (("host_page_writes", "host writes", HOST), ("gc_page_moves", "GC moves", GC)):
        rate = np.divide(series[column].to_numpy(), window, out=np.zeros(len(window)), where=window > 0)
        axes.fill_between(time, rate, color=colour, alpha=0.25, linewidth=0)
        axes.plot(time, rate, color=colour, label=label, **_stroke(len(time)))
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(PLAIN)
    _label(axes, "Garbage collection", "simulated time (s)", "pages a second")


def _known(series: pa.Table, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the times and values of the windows in which `column` has a value."""
    values = series[column].to_numpy().astype(float)
    known = np.isfinite(values)
    return series["time_s"].to_numpy()[known], values[known]


def _stroke(points: int) -> dict[str, object]:
    """Return how a line of so many points is drawn: thin if there are many, with dots if they are few."""
    return {"linewidth": 1.2 if points < 400 else 0.7, "marker": "." if points < 40 else None}


def _plain_log(axis: Axis) -> None:
    """Write out the numbers of a logarithmic axis, at 1, 2 and 5 of each decade."""
    axis.set_minor_locator(LogLocator(subs=(2, 5)))
    axis.set_major_formatter(PLAIN)
    axis.set_minor_formatter(PLAIN)


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", fontsize=10)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(which="both", labelsize=8)


def _title(result: Result) -> str:
    source = (result.summary.get("workload") or {}).get("path")
    numbers = ", ".join(f"{name} {value}" for name, value in result.headline().items())
    return f"{Path(source).name}: {numbers}" if source else numbers
