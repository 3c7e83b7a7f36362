"""The pictures of a study: grouped and stacked bars, and courses over time. Needs matplotlib."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ssdsim.report.hues import BARS
from ssdsim.report.markdown import Row
from ssdsim.report.style import logarithmic as logarithmic


def colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour for each name, in order; a name keeps its colour in all pictures made with the same names."""
    return {name: BARS[index % len(BARS)] for index, name in enumerate(names)}


def panels(rows: int, columns: int, width: float = 10, height: float = 3.2) -> tuple[Figure, np.ndarray]:
    """Return a figure and its panels, two-dimensional; `height` is that of a row, both in inches."""
    figure = Figure(figsize=(width, height * rows), dpi=150, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def grouped_bars(
    axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float | None]], colour: Mapping[str, str]
) -> None:
    """Draw a bar for each series in each group; one without a value is left out."""
    width = 0.84 / len(series)  # of a group's width, the rest is the gap to the next
    for index, (name, values) in enumerate(series.items()):
        # bars stand side by side, centred on their group
        places = np.arange(len(groups)) + (index - (len(series) - 1) / 2) * width
        heights = [np.nan if value is None else value for value in values]  # no bar, and no place taken by another
        axes.bar(places, heights, width * 0.92, color=colour[name], label=name)
    axes.set_xticks(range(len(groups)), groups)


def stacked_bars(
    axes: Axes, groups: Sequence[str], series: Mapping[str, Sequence[float]], colour: Mapping[str, str]
) -> None:
    """Draw one bar a group, the series on top of each other."""
    below = np.zeros(len(groups))
    for name, values in series.items():
        axes.bar(range(len(groups)), values, 0.7, bottom=below, color=colour[name], label=name)
        below += values  # after: the next series stands on this one
    axes.set_xticks(range(len(groups)), groups)


def row_panel(rows: Sequence[Row], least: float = 8, each_row: float = 0.75) -> tuple[Figure, Axes, list[str]]:
    """Return a figure and a panel as wide as `rows` need, and their names, which come first; long ones are broken."""
    figure, axes = panels(1, 1, width=max(least, each_row * len(rows)), height=3.6)
    return figure, axes[0, 0], [str(next(iter(row.values()))).replace(" (", "\n(") for row in rows]


def row_bars(
    title: str, label: str, rows: Sequence[Row], path: Path, colour: Mapping[str, str], legend: int, base: str = ""
) -> None:
    """Draw a bar for each further column of each row, and a line where times are of those of `base`, if any."""
    figure, axes, names = row_panel(rows)
    grouped_bars(axes, names, {key: [row[key] for row in rows] for key in [*rows[0]][1:]}, colour)
    if base and label.startswith("times"):
        axes.axhline(1, color=colour[base], linewidth=1)
    axes.set_xlim(-0.6, len(rows) - 0.4)  # half a group's room on both sides
    finish(axes, title, "", label, legend)
    save(figure, path)


def finish(axes: Axes, title: str, x: str, y: str, legend: int = 0) -> None:
    """Give a panel its title and labels, and a legend of so many columns above it, if any."""
    axes.set_title(title, loc="left", fontsize=10, pad=8 if not legend else 26)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(which="both", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)  # bars lie over the grid
    if legend:
        style: dict[str, Any] = {"frameon": False, "fontsize": 8, "columnspacing": 1.2, "handlelength": 1.2}
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, ncols=legend, **style)


def save(figure: Figure, path: Path) -> None:
    """Write the picture in the format of its suffix."""
    figure.savefig(path)
