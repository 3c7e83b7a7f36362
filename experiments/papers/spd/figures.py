"""The pictures of the paper's figures, drawn from the rows that also make the CSV files."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ssdsim.report.markdown import Row

from ...study.charts import colours, finish, grouped_bars, logarithmic, panels, row_bars, row_panel, save, stacked_bars
from .runs import APART
from .systems import BASE, SYSTEMS, separated_name

COLOUR = colours([*SYSTEMS]) | dict(zip(map(separated_name, APART), ("#CC79A7", "#0072B2", "#56B4E9"), strict=True))
CASES = {"single": "#999999", "unaligned": "#E69F00", "parallel": "#009E73"}
PARTS = {"read": "#56B4E9", "write": "#D55E00", "transfer": "#E69F00", "erase": "#999999"}
bars = partial(row_bars, colour=COLOUR, legend=7, base=BASE)


def fig02(rows: Sequence[Row], path: Path) -> None:
    """Draw the shares of page writes alone, unaligned and parallel."""
    figure, axes, names = row_panel(rows)
    stacked_bars(axes, names, {case: [float(row[case]) for row in rows] for case in CASES}, CASES)
    finish(axes, "Page writes of Baseline-D, without GC (Fig. 2)", "", "percent", legend=3)
    save(figure, path)


def fig11(rows: Sequence[Row], systems: Sequence[str], path: Path) -> None:
    """Draw the mean number of planes at work as bars, and the most as dots."""
    figure, axes, names = row_panel(rows)
    grouped_bars(axes, names, {system: [row[system] for row in rows] for system in systems}, COLOUR)
    width = 0.84 / len(systems)
    for index, system in enumerate(systems):
        places = [place + (index - (len(systems) - 1) / 2) * width for place in range(len(rows))]
        axes.plot(places, [row[f"{system}, most"] for row in rows], ".", color=COLOUR[system], markersize=5)
    logarithmic(axes)
    axes.set_xlim(-0.6, len(rows) - 0.4)
    finish(axes, "Planes at work, mean (bars) and most (dots) (Fig. 11)", "", "planes", legend=7)
    save(figure, path)


def fig15(rows: Sequence[Row], path: Path) -> None:
    """Draw the parts of a collection's time, a bar a system."""
    figure, axes = panels(1, 1, width=8)
    series = {part: [float(row[part]) for row in rows] for part in PARTS}
    stacked_bars(axes[0, 0], [str(row["system"]) for row in rows], series, PARTS)
    finish(axes[0, 0], "Time of a collection, average of the workloads (Fig. 15)", "", "ms", legend=4)
    save(figure, path)


def fig21(rows: Sequence[Row], systems: Sequence[str], path: Path) -> None:
    """Draw the write latency over the buffer's size."""
    figure, axes = panels(1, 1, width=8)
    sizes = [f"{row['MiB']:g} MiB" for row in rows]
    grouped_bars(axes[0, 0], sizes, {system: [row[system] for row in rows] for system in systems}, COLOUR)
    logarithmic(axes[0, 0])
    title = "Mean write latency of RSR_0 over Baseline-D's with the smallest buffer (Fig. 21)"
    finish(axes[0, 0], title, "", "times", legend=7)
    save(figure, path)
