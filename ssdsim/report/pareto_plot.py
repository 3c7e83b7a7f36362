"""The picture of a search for two objectives: every point, and the front of the best. Needs matplotlib."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from matplotlib.figure import Figure

from ssdsim.report.hues import BLUE, GREY, VERMILION
from ssdsim.report.style import PLAIN, dress, logarithmic
from ssdsim.report.sweep_plot import label

CROWDED = 16
"""Pixels that labels are apart at least."""

LOGARITHMIC = 50
"""How many times the least value the largest is where an axis is logarithmic."""


def front_picture(
    table: pa.Table, objectives: Mapping[str, str], complete: Sequence[int], pruned: Sequence[int], front: Sequence[int]
) -> Figure:
    """Return the picture of the runs in these rows of a sweep's table, by two objectives with their directions.

    `front` are rows, too, in order of the first objective. What a step of its line leaves on its far side was not
    reached by any run.
    """
    along, upwards = objectives.values()
    columns = [table[name].to_pylist() for name in objectives]
    jobs = table["job"].to_pylist()

    def coordinates(rows: Sequence[int]) -> list[list[float]]:
        return [[column[row] for row in rows] for column in columns]

    figure = Figure(figsize=(6.4, 4.4), dpi=150, layout="constrained")
    axes = figure.subplots()
    for label_of, rows, hue, marker, order in (("runs", complete, BLUE, "o", 2), ("pruned", pruned, GREY, "x", 1)):
        if rows:
            style: Any = {"color": hue, "marker": marker, "linestyle": "none", "label": label_of, "zorder": order}
            axes.plot(*coordinates(rows), markersize=5, **style)
    side = "steps-post" if along == "minimize" else "steps-pre"
    ordered = sorted(front, key=lambda row: columns[0][row])
    axes.plot(
        *coordinates(ordered), color=VERMILION, marker="o", markersize=6, drawstyle=side, label="Pareto front", zorder=3
    )
    for axis_name, values in zip(("x", "y"), coordinates([*complete, *pruned]), strict=True):
        getattr(axes, f"{axis_name}axis").set_major_formatter(PLAIN)
        if min(values) > 0 and max(values) > LOGARITHMIC * min(values):
            logarithmic(axes, "x" if axis_name == "x" else "y")
    titles = [f"{label(table, name)}, {direction}d" for name, direction in objectives.items()]
    dress(axes, "Numbers are those of jobs", *titles)
    figure.draw_without_rendering()  # only then it is known which points are neighbours
    offset = (-4 if along == "minimize" else 4, 4 if upwards == "maximize" else -9)  # where no run is better
    style = {"textcoords": "offset points", "fontsize": 7, "color": VERMILION}
    taken: list[Any] = []
    for row in front:
        place = columns[0][row], columns[1][row]
        shown = axes.transData.transform(place)
        if all(abs(shown - other).max() > CROWDED for other in taken):
            taken.append(shown)
            axes.annotate(str(jobs[row]), place, offset, ha="right" if along == "minimize" else "left", **style)
    return figure
