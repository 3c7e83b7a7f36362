"""The picture of a search for two objectives: every point, and the front of the best. Needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from ssdsim.metrics.sweep import Sweep
from ssdsim.report.style import BLUE, GREY, PLAIN, VERMILION, dress, logarithmic
from ssdsim.report.sweep_plot import label

Values = Sequence[float] | None

LOGARITHMIC = 50
"""How many times the least value the largest is where an axis is logarithmic."""


def picture(
    sweep: Sweep,
    names: Sequence[str],
    points: Sequence[tuple[bool, Values]],
    front: Sequence[int],
    path: Path,
    form: str,
) -> None:
    """Write the picture of `points`, each whether it counts and its values, to `path`, as `form`: png, svg or pdf."""
    figure = Figure(figsize=(6.4, 4.4), dpi=150, layout="constrained")
    axes = figure.subplots()
    jobs = sweep.table["job"].to_pylist()
    counted = [values for counts, values in points if counts and values]
    others = [values for counts, values in points if not counts and values]
    best = [values for values in (points[at][1] for at in front) if values]
    axes.scatter(*_coordinates(counted), s=22, color=BLUE, label="points", zorder=2)
    if others:
        axes.scatter(*_coordinates(others), s=22, facecolors="white", edgecolors=GREY, label="pruned", zorder=1)
    axes.plot(*_coordinates(best), color=VERMILION, marker="o", markersize=6, label="Pareto front", zorder=3)
    for which, values in zip("xy", _coordinates([*counted, *others]), strict=True):
        axis = getattr(axes, f"{which}axis")
        axis.set_major_formatter(PLAIN)
        if min(values) > 0 and max(values) > LOGARITHMIC * min(values):
            logarithmic(axes, which)
    for at, point in zip(front, best, strict=True):
        axes.annotate(
            str(jobs[at]), (point[0], point[1]), xytext=(5, 5), textcoords="offset points", fontsize=7, color=VERMILION
        )
    dress(axes, "Numbers are those of jobs", *(label(sweep.table, name) for name in names))
    figure.savefig(path, format=form)


def _coordinates(points: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[1] for point in points]
