"""The pictures of the paper's figures, drawn from the rows that also make the CSV files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ssdsim.report.markdown import Row

from ...study.charts import colours, finish, grouped_bars, panels, save
from ...study.measures import ratio
from .measures import PANELS
from .systems import SYSTEMS, WITH_TBM, WITHOUT_TBM

COLOUR = colours([*SYSTEMS])
STYLE = {name: ("--" if "BAC" in name else "-") for name in (*WITHOUT_TBM, *WITH_TBM)}


def fig02(rows: Sequence[Row], axis_ends: Mapping[str, float], path: Path) -> None:
    """Draw the long run without TBM; the vertical axes reach to `axis_ends`, as in Fig. 6."""
    _courses(rows, WITHOUT_TBM, axis_ends, path)


def fig06(rows: Sequence[Row], axis_ends: Mapping[str, float], path: Path) -> None:
    """Draw the long run with TBM."""
    _courses(rows, WITH_TBM, axis_ends, path)


def _courses(rows: Sequence[Row], systems: Mapping[str, object], axis_ends: Mapping[str, float], path: Path) -> None:
    figure, axes = panels(2, 2, height=2.9)
    for panel, (key, (title, unit)) in zip(axes.flat, PANELS.items(), strict=True):
        for name in systems:
            points = [(row["volume"], row[key]) for row in rows if row["system"] == name and row[key] is not None]
            colour = COLOUR[name.replace("+BAC", "")]
            panel.plot(*zip(*points, strict=True), STYLE[name], color=colour, linewidth=1.4, label=name)
        panel.set_xlim(left=0)
        panel.set_ylim(0, 1.05 * axis_ends[key])
        finish(panel, title, "written, in capacities", unit, legend=4 if panel is axes[0, 0] else 0)
    save(figure, path)


def fig07(rows: Sequence[Row], path: Path) -> None:
    """Draw IOPS, response time and collection's cost, all over F's."""
    figure, axes = panels(4, 1, height=2.4)
    titles = {
        "iops": "IOPS, saturated",
        "queued_ms": "Response time, saturated",
        "response_ms": "Response time at the trace's times",
        "moves a block": "Pages moved a block erased",
    }
    groups = list(dict.fromkeys(row["workload"] for row in rows))
    for panel, (key, title) in zip(axes.flat, titles.items(), strict=True):
        values = {(row["workload"], row["system"]): row[key] for row in rows}
        series = {name: [ratio(values[group, name], values[group, "F"]) for group in groups] for name in SYSTEMS}
        grouped_bars(panel, groups, series, COLOUR)
        panel.axhline(1, color=COLOUR["F"], linewidth=0.8)
        finish(panel, f"{title}, over F's (Fig. 7)", "", "times", legend=5 if panel is axes[0, 0] else 0)
    save(figure, path)
