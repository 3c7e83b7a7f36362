"""The picture of a sweep: a field over a key, lines by another, whiskers over seeds. Needs matplotlib."""

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator

from ssdsim.assembly.rules import shown
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.hues import LINES
from ssdsim.report.style import PANELS_A_ROW, PLAIN, dress, logarithmic, panels_of
from ssdsim.report.sweep import Lines, Point, View, every, is_numeric, points

MOST_TICKS = 8
UNITS = {"us": "µs", "": "", "1": ""}
MARKS = "osD^vPXph"
SPREAD = 0.5
"""Of the distance between two categories, what the points of lines are spread over."""


def picture(sweep: Sweep, view: View, path: str | Path, log: str = "", remark: str = "") -> None:
    """Write the picture to `path`, in the format of its suffix; `log` names the axes that are logarithmic, x and y."""
    panels_lines = points(sweep, view)
    width = max(6.4 / min(PANELS_A_ROW, len(panels_lines)), 3.6)
    figure, panels = panels_of(len(panels_lines), width, 3.2, 1.2, sharey=True)
    width = figure.get_figwidth()
    names = dict.fromkeys(line for lines in panels_lines.values() for line in lines)
    hues = {line: index for index, line in enumerate(names)}
    xs = dict.fromkeys(point.x for point in every(panels_lines))
    places = None if is_numeric(panels_lines) else {x: index for index, x in enumerate(xs)}
    for index, (panel, (value, lines)) in enumerate(zip(panels, panels_lines.items(), strict=True)):
        _draw(panel, lines, hues, places)
        _axes(panel, panels_lines, places, log)
        title = f"{view.panels}={shown(value)}" if view.panels else ""
        dress(panel, title, label(sweep.table, view.x), label(sweep.table, view.y) if index % PANELS_A_ROW == 0 else "")
        if legend := panel.get_legend():
            legend.remove()
    if view.lines:
        drawn = {
            name: handle for panel in panels for handle, name in zip(*panel.get_legend_handles_labels(), strict=True)
        }
        # about 9 letters to an inch, and room of 6 for a mark
        ncols = max(1, min(len(drawn), int(width * 9 / (6 + max(map(len, drawn))))))
        style: dict[str, Any] = {"alignment": "left", "fontsize": 8, "title_fontsize": 8, "frameon": False}
        figure.legend(drawn.values(), drawn.keys(), title=view.lines, loc="outside upper left", ncols=ncols, **style)
    notes = f"{meaning(sweep.table, view.y)} {_notes(list(every(panels_lines)))} {remark}".split()
    figure.supxlabel(textwrap.fill(" ".join(notes), int(width * 19)), x=0.01, ha="left", fontsize=7, color="#555555")
    figure.savefig(path)


def label(table: pa.Table, name: str) -> str:
    """Return the name of a column with its unit."""
    unit = _told(table, name, b"unit")
    unit = UNITS.get(unit, unit)
    return f"{name} ({unit})" if unit else name


def meaning(table: pa.Table, name: str) -> str:
    """Return the meaning of a column, as its metadata has it."""
    return f"{name}: {_told(table, name, b'description')}"


def _told(table: pa.Table, name: str, fact: bytes) -> str:
    return (table.schema.field(name).metadata or {}).get(fact, b"").decode()


def _draw(axes: Axes, lines: Lines, hues: Mapping[Any, int], places: Mapping[Any, int] | None) -> None:
    """Draw the points of each line, joined if they lie over numbers; hollow ones have something against them."""
    for line, line_points in lines.items():
        index = hues[line]
        # side by side around the category
        shift = 0.0 if places is None else SPREAD * ((index + 0.5) / len(hues) - 0.5)
        xs = [point.x if places is None else places[point.x] + shift for point in line_points]
        means = [point.mean for point in line_points]
        halves = [(interval[1] - interval[0]) / 2 if (interval := point.interval) else 0.0 for point in line_points]
        hue, mark = LINES[index % len(LINES)], MARKS[index % len(MARKS)]
        faces = ["white" if point.codes else hue for point in line_points]
        style = "-" if places is None else "none"
        axes.plot(xs, means, color=hue, marker=mark, linestyle=style, linewidth=1.2, markersize=5, label=shown(line))
        axes.errorbar(xs, means, halves, color=hue, linestyle="none", elinewidth=0.9, capsize=2.5 * any(halves))
        axes.scatter(xs, means, s=25, marker=mark, c=faces, edgecolors=hue, linewidths=1.2, zorder=3)


def _axes(axes: Axes, panels: Mapping[Any, Lines], places: Mapping[Any, int] | None, log: str) -> None:
    axes.yaxis.set_major_formatter(PLAIN)
    if "y" in log:
        logarithmic(axes)
    if places is not None:
        axes.set_xticks(list(places.values()), [textwrap.fill(shown(place), 14) for place in places])
        axes.set_xlim(-0.6, len(places) - 0.4)
        return
    if "x" in log:
        logarithmic(axes, "x")
    values = sorted({point.x for point in every(panels)})
    if len(values) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(values))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(PLAIN)


def _notes(all_points: list[Point]) -> str:
    """Return the legend of whiskers and hollow marks, of those that there are."""
    seeds = sorted({len(point.values) for point in all_points if point.interval})
    codes = ", ".join(dict.fromkeys(code for point in all_points for code in point.codes))
    runs = " or ".join(map(str, seeds))
    whiskers = f"Means over {runs} seeds; whiskers are their intervals at 95 percent." if seeds else ""
    return f"{whiskers} {f'Hollow: something speaks against the runs ({codes}).' if codes else ''}"
