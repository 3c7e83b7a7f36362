"""The page of a sweep: its runs in a table, and the main numbers over the keys that were swept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from ssdsim.config import SimulationConfig
from ssdsim.metrics.confidence import across
from ssdsim.metrics.sweep import Sweep
from ssdsim.report.html import figures
from ssdsim.report.html.page import Cell, Chart, Columns, Page, Section, Table
from ssdsim.report.html.run import configured, repeated, validity
from ssdsim.report.html.theme import chart, colour, entry, finished, in_columns, titled

SEED = "seed"

MOST_TICKS = 10
"""Values of a key up to which each has its tick."""

Row = Mapping[str, Any]


def page(
    sweep: Sweep,
    configs: Sequence[SimulationConfig],
    default: SimulationConfig,
    repeat: Sequence[str],
    title: str,
) -> Page:
    """Return the page of a sweep; `repeat` are commands that repeat it."""
    rows, keys = sweep.table.to_pylist(), list(sweep.swept)
    drawn = [
        over_keys(rows, keys, name, field, f"main{place}")
        for place, (name, field) in enumerate(figures.HEADLINE.items())
        if field in sweep.table.column_names
    ]
    charts = [chart for chart in drawn if chart is not None]
    codes = Counter(code for row in rows for code in row["validity"] or ())
    counts: list[list[str | Cell]] = [[Cell(code, mark="warns"), str(count)] for code, count in codes.most_common()]
    note = "Means over seeds; bars are their intervals at 95 percent, where there are several."
    failed = [row for row in rows if row["status"] not in (None, "completed")]  # runs of no sweep have no status
    alarms = [f"{len(failed)} of {len(rows)} runs have not come to their end: the table says why."] if failed else []
    sections = [
        validity(Table("What speaks against how many of the runs", ["code", "runs"], counts) if codes else None),
        Section("Runs", parts=[_runs(rows, keys)]),
        Section("Over the swept keys", [note] if charts else ["No key was swept over, or no run has numbers."], charts),
        configured(configs, default),
        repeated(repeat),
    ]
    numbers = [("runs", Cell(str(len(rows)))), ("keys", Cell(", ".join(keys) or "none"))]
    return Page(title, "Sweep of ssdsim", sections, numbers, alarms)


def _runs(rows: Sequence[Row], keys: Sequence[str]) -> Table:
    main = {name: field for name, field in figures.HEADLINE.items() if any(row.get(field) is not None for row in rows)}
    told: list[list[str | Cell]] = []
    for place, row in enumerate(rows):
        name = str(place if row["job"] is None else row["job"])  # runs of no sweep are numbered by their rows
        codes = " ".join(row["validity"] or ())
        told.append(
            [
                Cell(name, hint=row["folder"] or ""),
                *(figures.shown(row.get(key)) for key in keys),
                *(figures.shown(row.get(field)) for field in main.values()),
                Cell(
                    row["status"] or "-", hint=row["message"] or "", mark="" if row["status"] == "completed" else "bad"
                ),
                Cell(codes or "none", mark="warns" if codes else ""),
            ]
        )
    heads = [Cell(name, entry(field).meaning) for name, field in main.items()]
    return Table("A row a run", ["job", *keys, *heads, "status", "against it"], told, sortable=True)


def over_keys(rows: Sequence[Row], keys: Sequence[str], title: str, field: str, data: str) -> Chart | None:
    """Return a chart of a field over the swept key with the most values, a line for each choice of the others.

    None if nothing was swept over but seeds, or no run has the field.
    """
    own = [key for key in keys if key != SEED]
    known = [row for row in rows if row.get(field) is not None and row["status"] in (None, "completed")]
    if not own or not known:
        return None
    # a number before words, and then the key with the most values
    x = max(own, key=lambda key: (_is_numeric(rows, key), len({str(row[key]) for row in rows})))
    groups: dict[tuple[Any, str], list[float]] = {}
    for row in known:
        series = ", ".join(f"{key}={figures.shown(row[key])}" for key in own if key != x) or field
        groups.setdefault((row[x], series), []).append(float(row[field]))
    # lines by name, and each by its values in order; of a single seed there is no interval
    points = [
        (place, series, sum(values) / len(values), *(across(values) or (None, None)), len(values))
        for (place, series), values in sorted(groups.items(), key=lambda group: (group[0][1], _order(group[0][0])))
    ]
    columns = in_columns(points, "x", "series", "value", "low", "high", "runs")
    axis, meaning = titled(title, entry(field)), entry(field).meaning
    drawn = finished(_lines(data, x, "quantitative" if _is_numeric(rows, x) else "ordinal", axis, columns))
    return Chart(f"{field.replace('.', '-')}-over-keys", title, meaning, drawn, columns)


def _lines(data: str, x: str, kind: Any, axis: str, columns: Columns) -> Any:
    is_number, places = kind == "quantitative", list(dict.fromkeys(columns["x"]))
    # more ticks than these would run into each other
    ticks = alt.Axis(values=places) if is_number and len(places) <= MOST_TICKS else alt.Axis()
    across_x = alt.X("x", type=kind, title=x, scale=alt.Scale(zero=False) if is_number else alt.Scale(), axis=ticks)
    up = alt.Y("value:Q", title=axis, scale=alt.Scale(zero=False), axis=alt.Axis(format=",.6~f"))
    tooltip = [alt.Tooltip("x", type=kind, title=x), "series:N", alt.Tooltip("value:Q", format=",.4~g"), "runs:Q"]
    hue = colour(list(dict.fromkeys(columns["series"])))
    base = chart(data)
    rules = base.transform_filter("isValid(datum.low)").mark_rule()
    bars = [rules.encode(across_x, alt.Y("low:Q"), y2="high:Q", color=hue)] if any(columns["low"]) else []
    drawn = base.mark_line(point=True).encode(across_x, up, color=hue, tooltip=tooltip)
    return alt.layer(*bars, drawn).properties(width="container", height=230)


def _is_numeric(rows: Sequence[Row], key: str) -> bool:
    return all(isinstance(row[key], int | float) and not isinstance(row[key], bool) for row in rows)


def _order(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, int | float)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))  # numbers first, by size; words after them
