"""The page of a comparison: systems beside a baseline, what sets them apart, and what makes it unfair."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from ssdsim.config import SimulationConfig
from ssdsim.report.comparison import differences, unfair
from ssdsim.report.html import figures
from ssdsim.report.html.page import Cell, Chart, Columns, Page, Section, Table
from ssdsim.report.html.run import configured, repeated
from ssdsim.report.html.theme import chart, colour, entry, finished

Row = Mapping[str, Any]


def page(
    rows: Sequence[Row],
    configs: Mapping[str, SimulationConfig],
    default: SimulationConfig,
    repeat: Sequence[str],
    title: str,
) -> Page:
    """Return the page of `rows`, those of `comparison.parquet`; `configs` are those of the systems that can be read."""
    data: dict[str, Columns] = {}
    parts: list[Any] = []
    for place, workload in enumerate(dict.fromkeys(row["workload"] for row in rows)):
        found = [row for row in rows if row["workload"] == workload]
        name = f"ratios{place}"
        drawn, data[name] = ratios(found, workload, name)
        parts += [_table(found, workload), *([drawn] if data[name]["ratio"] else [])]
    differing = differences(configs)
    flagged = unfair(differing)
    alarms = [f"Not a comparison of policies alone: {reason}." for reason in dict.fromkeys(flagged.values())]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    sections = [
        Section("Results", parts=parts),
        Section("What sets the systems apart", parts=[_differences(differing, list(configs), flagged)])
        if differing
        else Section("What sets the systems apart", ["Their configurations cannot be read, or are the same."]),
        configured(list(configs.values()), default),
        repeated(repeat),
    ]
    numbers = [("systems", Cell(", ".join(systems))), ("seeds", Cell(str(max(row["seeds"] for row in rows))))]
    return Page(title, "Comparison by ssdsim", sections, data, numbers, alarms)


def _table(rows: Sequence[Row], workload: str) -> Table:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        half = f" ± {figures.shown((row['high'] - row['low']) / 2)}" if row["low"] is not None else ""
        ratio = f" ({figures.shown(row['ratio'])}x)" if row["ratio"] is not None else ""
        cells.setdefault(row["field"], {})[row["system"]] = figures.shown(row["mean"]) + half + ratio
    told: list[list[str | Cell]] = [
        [Cell(field, entry(field).meaning), *(of.get(system, "-") for system in systems)] for field, of in cells.items()
    ]
    codes = {row["system"]: row["validity"] for row in rows}
    against = [Cell(codes[system] or "none", mark="warns" if codes[system] else "") for system in systems]
    told.append(["what speaks against it", *against])
    return Table(f"{workload}: means over seeds, and in brackets ratios to the baseline", ["field", *systems], told)


def ratios(rows: Sequence[Row], workload: str, data: str) -> tuple[Chart, Columns]:
    """Return the chart of the ratios to the baseline, a group of points a field, with intervals over seeds."""
    known = [row for row in rows if row["ratio"] is not None]
    names = ("field", "system", "ratio", "ratio_low", "ratio_high")
    columns = {name: [row[name] for row in known] for name in names}
    hue = colour(list(dict.fromkeys(columns["system"])), of="system")
    fields = len(set(columns["field"]))
    base = chart(data, height=max(fields, 1) * 44)
    x = alt.X("ratio:Q", title="ratio to the baseline", scale=alt.Scale(zero=False))
    y = alt.Y("field:N", title=None, sort=None)
    offset = alt.YOffset("system:N")
    bars = base.transform_filter("isValid(datum.ratio_low)").mark_rule()
    told = [alt.Tooltip(name, type="nominal" if name in names[:2] else "quantitative") for name in names]
    drawn = alt.layer(
        bars.encode(alt.X("ratio_low:Q"), y, offset, x2="ratio_high:Q", color=hue),
        base.mark_point(filled=True, size=60).encode(x, y, offset, color=hue, tooltip=told),
    ).properties(width="container", height=max(fields, 1) * 44)
    title = f"{workload}: ratios to the baseline"
    return Chart(data, title, "Paired by seed; bars are intervals at 95 percent over seeds.", finished(drawn)), columns


def _differences(differing: Mapping[str, Row], systems: Sequence[str], flagged: Mapping[str, str]) -> Table:
    rows: list[list[str | Cell]] = [
        [
            Cell(key, flagged.get(key, ""), "warns" if key in flagged else ""),
            *(figures.shown(values[system]) for system in systems),
        ]
        for key, values in differing.items()
    ]
    return Table("Keys that are not the same for all; marked are those of no policy", ["key", *systems], rows)
