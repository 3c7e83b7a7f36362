"""The page of a comparison: systems beside a baseline, what sets them apart, and what makes it unfair."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import altair as alt

from ssdsim.config import SimulationConfig
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import differences, unfair
from ssdsim.report.html import figures, latency
from ssdsim.report.html.configuration import shown
from ssdsim.report.html.page import Cell, Chart, Page, Section, Table
from ssdsim.report.html.run import configured, recorded, repeated
from ssdsim.report.html.theme import HUES, chart, colour, entry, finished
from ssdsim.report.hues import GREY

Row = Mapping[str, Any]

ROOM = 1.25
"""The factor by which the axis of ratios goes on beyond the outermost."""


def page(
    rows: Sequence[Row],
    baseline: str,
    results: Mapping[str, Mapping[str, Sequence[Result]]],
    configs: Mapping[str, Mapping[str, SimulationConfig]],
    default: SimulationConfig,
    repeat: Sequence[str],
    title: str,
) -> Page:
    """Return the page of `rows`, those of `comparison.parquet`.

    `results` are those of the runs, a seed each, and `configs` the configurations that can be read, both by workload
    and system.
    """
    systems = list(dict.fromkeys(row["system"] for row in rows))
    # hues come again where there are more systems
    hues = dict(zip([system for system in systems if system != baseline], cycle(HUES), strict=False)) | {baseline: GREY}
    parts: list[Any] = []
    for place, workload in enumerate(dict.fromkeys(row["workload"] for row in rows)):
        of_workload = [row for row in rows if row["workload"] == workload]
        parts += [_table(of_workload, workload, baseline), ratios(of_workload, workload, baseline, place, hues)]
        parts += [_latencies(results.get(workload, {}), workload, op, place, hues) for op in ("read", "write")]
    differing = {
        key: values for systems_configs in configs.values() for key, values in differences(systems_configs).items()
    }
    flagged = unfair(differing)
    # each reason once, however many keys it comes from
    alarms = [f"Not a comparison of policies alone: {reason}." for reason in dict.fromkeys(flagged.values())]
    heading = "What sets the systems apart"
    sections = [
        Section("Results", parts=parts),
        Section(heading, parts=[_differences(differing, systems, flagged)])
        if differing
        else Section(heading, ["Their configurations cannot be read, or are the same."]),
        configured([config for systems_configs in configs.values() for config in systems_configs.values()], default),
        repeated(repeat),
    ]
    seeds = max(row["seeds"] for row in rows)
    numbers = {"systems": ", ".join(systems), "baseline": baseline, "seeds": str(seeds)}
    return Page(title, "Comparison by ssdsim", sections, [(n, Cell(v)) for n, v in numbers.items()], alarms)


def _table(rows: Sequence[Row], workload: str, baseline: str) -> Table:
    systems = list(dict.fromkeys(row["system"] for row in rows))
    cells: dict[str, dict[str, str]] = {}
    for row in rows:
        text = _spread(row, "mean", "low", "high")
        if row["system"] != baseline:
            has_ratio = row["ratio"] is not None
            text += f" ({_spread(row, 'ratio', 'ratio_low', 'ratio_high')}x)" if has_ratio else " (-)"
        cells.setdefault(row["field"], {})[row["system"]] = text
    told: list[list[str | Cell]] = [
        [Cell(field, entry(field).meaning), *(system_cells.get(system, "-") for system in systems)]
        for field, system_cells in cells.items()
    ]
    codes = {row["system"]: row["validity"] for row in rows}
    against = [Cell(codes[system] or "none", mark="warns" if codes[system] else "") for system in systems]
    told.append(["what speaks against it", *against])
    caption = (
        f"{workload}: means over seeds with half of their intervals at 95 percent, and in brackets ratios to "
        f"{baseline}, paired by seed"
    )
    return Table(caption, ["field", *systems], told)


def _spread(row: Row, middle: str, low: str, high: str) -> str:
    """Return a value with half of its interval, if it has one."""
    return figures.shown(row[middle]) + figures.half(None if row[low] is None else (row[low], row[high]))


def ratios(rows: Sequence[Row], workload: str, baseline: str, place: int, hues: Mapping[str, str]) -> Chart | None:
    """Return the chart of ratios to the baseline, on a logarithmic axis, with intervals; None without any."""
    known = [row for row in rows if row["ratio"] and row["system"] != baseline]  # 0 has no place on a logarithmic axis
    if not known:
        return None
    # an interval may reach below 0
    ends = [row[name] for row in known for name in ("ratio", "ratio_low", "ratio_high") if (row[name] or 0) > 0]
    domain_start, domain_end = min([*ends, 1]) / ROOM, max([*ends, 1]) * ROOM
    names = ("field", "system", "ratio", "ratio_low", "ratio_high")
    columns = {name: [row[name] for row in known] for name in names}
    # cut at the edge, so that a whisker that reaches below 0 is drawn up to there
    columns["bar_from"] = [None if low is None else max(low, domain_start) for low in columns["ratio_low"]]
    systems, fields = (list(dict.fromkeys(columns[name])) for name in ("system", "field"))
    base = chart(f"ratios{place}", height=len(fields) * max(14 * len(systems), 24))  # pixels: a row a system
    scale = alt.Scale(type="log", domain=[domain_start, domain_end], nice=False)
    y, offset = alt.Y("field:N", title=None, sort=fields), alt.YOffset("system:N", sort=systems)
    hue = colour(systems, hues, column="system")
    told = [alt.Tooltip(name, type="nominal" if name in names[:2] else "quantitative") for name in names]
    x = alt.X("ratio:Q", title=f"ratio to {baseline}", scale=scale)
    drawn = alt.layer(
        base.transform_aggregate(all="count()").mark_rule(color=GREY, strokeDash=[4, 3]).encode(x=alt.datum(1)),
        base.transform_filter("isValid(datum.bar_from)")
        .mark_rule()
        .encode(alt.X("bar_from:Q", scale=scale), y, offset, x2="ratio_high:Q", color=hue),
        base.mark_point(filled=True, size=60, opacity=1).encode(x, y, offset, color=hue, tooltip=told),
    ).properties(width="container", height=base.height, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    caption = "Paired by seed; bars are intervals at 95 percent over seeds. The axis is logarithmic."
    return Chart(f"ratios{place}", f"{workload}: ratios to {baseline}", caption, finished(drawn), columns)


def _latencies(
    results: Mapping[str, Sequence[Result]], workload: str, op: str, place: int, hues: Mapping[str, str]
) -> Chart | None:
    """Return the chart of the response times of an operation by system, over its seeds; None without any."""
    merged = {}
    for system, runs in results.items():
        tables = [histogram for run in runs if (histogram := recorded(run, "latency")) is not None]
        several = [latency.distribution(histogram, op) for histogram in tables]
        if any(counts.sum() for _, counts in several):
            merged[system] = latency.merged([spread for spread in several if spread[1].sum()])
    name = f"latency-{op}s{place}"
    caption = f"{latency.TOLD} The seeds of a system are taken together."
    return latency.tail_chart(name, f"{workload}: latency distribution of {op}s", caption, name, merged, hues)


def _differences(differing: Mapping[str, Row], systems: Sequence[str], flagged: Mapping[str, str]) -> Table:
    rows: list[list[str | Cell]] = [
        [
            Cell(key, flagged.get(key, ""), "warns" if key in flagged else ""),
            *("-" if values.get(system) is None else shown(values[system]) for system in systems),
        ]
        for key, values in differing.items()
    ]
    caption = "Keys that are not the same for all; those that are marked make it more than a comparison of policies"
    return Table(caption, ["key", *systems], rows)
