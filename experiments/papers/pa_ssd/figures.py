"""The pictures of the paper's figures, drawn from the rows that also make the CSV files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from ssdsim.metrics.result import Result
from ssdsim.report.markdown import Row

from ...study.charts import colours, finish, grouped_bars, logarithmic, panels, row_panel, save, stacked_bars
from .measures import free_lsb
from .systems import COMBINED

COLOUR = colours(["baseline", *COMBINED])
SPEEDS = {"fast": "#009E73", "medium": "#E69F00", "slow": "#D55E00"}
POINTS = 240


def fig06(rows: Sequence[Row], path: Path) -> None:
    """Draw the closed forms of Section 3 as lines and the simulated shares as dots."""
    figure, axes = panels(1, 1, width=7)
    pages = [row["pages"] for row in rows]
    for speed, colour in SPEEDS.items():
        axes[0, 0].plot(pages, [row[f"{speed}_form"] for row in rows], color=colour, label=speed)
        axes[0, 0].plot(pages, [row[speed] for row in rows], "o", markersize=4, color=colour)
    axes[0, 0].set_ylim(0, 100)
    title = "Writes on the conventional SSD, closed form (lines) and simulated (dots) (Fig. 6)"
    finish(axes[0, 0], title, "pages a write", "percent of writes", legend=3)
    save(figure, path)


def bars(title: str, label: str, rows: Sequence[Row], path: Path) -> None:
    """Draw a bar for each scheme without PAS of each workload, in times the baseline's or in percent of all."""
    figure, axes, names = row_panel(rows, least=11, each_row=1.0)
    grouped_bars(axes, names, {name: [row[name] for row in rows] for name in COMBINED}, COLOUR)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    finish(axes, title, "", label, legend=8)
    if label == "times":
        axes.axhline(1, color=COLOUR["baseline"], linewidth=1)
    else:
        axes.set_ylim(0, 100)
    save(figure, path)


def fig14(rows: Sequence[Row], path: Path) -> None:
    """Draw the shares of fast, medium and slow writes."""
    figure, axes = panels(1, 1, width=9)
    series = {speed: [float(row[speed]) for row in rows] for speed in SPEEDS}
    stacked_bars(axes[0, 0], [str(row["system"]) for row in rows], series, SPEEDS)
    finish(axes[0, 0], "Writes by the slowest page they were given, tDAP (Fig. 14)", "", "percent", 3)
    save(figure, path)


def binned(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return hours and mean write response in milliseconds, in at most `POINTS` bins; NaN without writes."""
    series = result.timeseries
    start, writes = series["time_s"].to_numpy(), series["writes"].to_numpy()
    response = np.nan_to_num(series["write_response_us"].to_numpy().astype(float)) / 1000
    width = (start[-1] + series["window_s"][0].as_py()) / POINTS
    bins = (start / width).astype(int)
    count, total = np.bincount(bins, writes, POINTS), np.bincount(bins, writes * response, POINTS)
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return (np.arange(len(count)) + 0.5) * width / 3600, mean


def fig16(courses: Mapping[str, Mapping[str, Result]], path: Path) -> None:
    """Draw write response time and free LSB pages over time, a row a workload."""
    figure, axes = panels(len(courses), 2, height=3.0)
    for row, (workload, by_system) in zip(axes, courses.items(), strict=True):
        for name, result in by_system.items():
            _course(row, name, result)
        logarithmic(row[0])
        row[1].set_ylim(bottom=0)
        finish(row[0], f"{workload}: write response time (Fig. 16)", "hours", "ms", legend=5)
        finish(row[1], f"{workload}: free LSB pages", "hours", "percent of those at the start")
    save(figure, path)


def _course(row: Sequence[Axes], name: str, result: Result) -> None:
    hours, response = binned(result)
    known = np.isfinite(response)
    row[0].plot(hours[known], response[known], color=COLOUR[name], linewidth=1.1, label=name)
    hours, free = free_lsb(result)
    row[1].plot(hours, 100 * free / free[0], color=COLOUR[name], linewidth=1.4, label=name)


def fig17(means: Mapping[str, float], path: Path) -> None:
    """Draw the writes' mean response time in the last of several rounds, in milliseconds."""
    figure, axes = panels(1, 1, width=6)
    bars = axes[0, 0].bar(list(means), list(means.values()), color=[COLOUR[name] for name in means])
    axes[0, 0].bar_label(bars, fmt="{:,.1f}", fontsize=8)
    finish(axes[0, 0], "Third round of tMSFS: mean write response time (Fig. 17)", "", "ms")
    save(figure, path)
