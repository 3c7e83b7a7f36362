"""The page of several runs: the points of a sweep or a search, or the systems of a comparison. Needs altair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle

from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError, nearest
from ssdsim.report import charts
from ssdsim.report.comparison import FIELDS, Point, Row, compared, entry, results_table
from ssdsim.report.page import Chart, Page, Section
from ssdsim.report.run import configured, recorded
from ssdsim.report.text import TextTable

MOST_TAILS = 8
"""Points up to which the distributions of their response times are drawn."""


def page(
    points: Mapping[str, Sequence[Point]],
    fields: Sequence[str],
    configs: Sequence[SimulationConfig],
    default: SimulationConfig,
    repeat: Sequence[str],
    title: str,
    baseline: str | None = None,
    over: str | None = None,
    alarms: Sequence[str] = (),
) -> Page:
    """Return the page of points by their workload, all of which have the same keys.

    Ratios are to the point called `baseline`, if any, and `over` is a key. Raise InputError for one, or a field, that
    there is none of.
    """
    every = [point for of_workload in points.values() for point in of_workload]
    keys = list(every[0].keys)
    for name in fields:
        entry(name)  # refuses what is no field
    if over and over not in keys:
        raise InputError(f"--over {over}: was not swept{nearest(over, keys)}; keys that were are {', '.join(keys)}.")
    results: list[TextTable | Chart | None] = []
    drawn: list[Chart | None] = []
    for workload, of_workload in points.items():
        under = f" under {workload}" if len(points) > 1 else ""
        cells = compared(of_workload, fields, baseline)
        ratios = f"; in brackets ratios to {baseline}, paired by seed" if baseline else ""
        table = results_table(of_workload, cells, f"Means over seeds{under}, ± half of their intervals{ratios}")
        results.append(table.turned() if baseline else table)
        hues = dict(zip((point.name for point in of_workload), cycle(charts.HUES), strict=False))
        if baseline:
            results.append(charts.ratios(f"Ratios to {baseline}{under}", cells, baseline, hues))
        if len(of_workload) <= MOST_TAILS:
            results += [_tails(of_workload, hues, op, under) for op in ("read", "write")]
        if keys and not baseline:
            drawn += [_over(of_workload, cells, name, over) for name in fields]
    failures = Counter(why for point in every for why in point.failures)
    alarms = [*alarms, *(f"{count} of the runs: {why}" for why, count in failures.items())]
    sections = [
        Section("Results", parts=results),
        Section("Over the swept keys", ["Means over seeds; bars are intervals at 95 percent."] * any(drawn), drawn),
        configured(configs, default),
        Section("To repeat it", parts=repeat),
    ]
    runs = sum(len(point.runs) for point in every) + failures.total()
    return Page(title, "Runs of ssdsim", sections, {"runs": str(runs), "points": str(len(every))}, alarms)


def _tails(points: Sequence[Point], hues: Mapping[str, str], op: str, under: str) -> Chart | None:
    """Return the chart of the response times of an operation by point, its seeds taken together."""
    tables = {point.name: [recorded(run, "latency") for run in point.runs] for point in points}
    known = {name: of_point for name, of_point in tables.items() if of_point and None not in of_point}
    return charts.tails(f"Latency distribution of {op}s{under}", known, op, hues)


def _over(points: Sequence[Point], cells: Sequence[Row], name: str, over: str | None) -> Chart | None:
    """Return the chart of a field over a key; None if no run has it.

    The key is that asked for, or of those with numbers the one with the most values.
    """
    numeric = {key: all(charts.is_number(point.keys[key]) for point in points) for key in points[0].keys}
    x = over or max(numeric, key=lambda key: (numeric[key], len({str(point.keys[key]) for point in points})))
    by_point = {cell["system"]: cell for cell in cells if cell["field"] == name}
    rows = []
    for point in points:
        others = ", ".join(f"{key}={value}" for key, value in point.keys.items() if key != x)
        if point.name in by_point:
            place = point.keys[x] if numeric[x] else str(point.keys[x])
            rows.append({"x": place, "line": others or name, **by_point[point.name]})
    if not rows:
        return None
    title, unit = FIELDS.get(name, name), entry(name).unit.replace("us", "µs")
    axis = title if unit in ("", "1", title) else f"{title} ({unit})"
    return charts.over(f"{title} over {x}", entry(name).meaning, x, axis, rows)
