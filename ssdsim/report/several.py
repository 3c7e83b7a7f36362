"""The page of several runs: the points of a sweep or a search, or the systems of a comparison. Needs altair."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from attrs import field, frozen

from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError, nearest
from ssdsim.metrics.confidence import across
from ssdsim.metrics.fields import SUMMARY
from ssdsim.metrics.result import Result
from ssdsim.report import charts
from ssdsim.report.comparison import FIELDS, Comparison, compared
from ssdsim.report.hues import GREY
from ssdsim.report.page import Cell, Chart, Page, Section, Table, entry, half, shown, titled
from ssdsim.report.run import configured, recorded, repeated
from ssdsim.report.summary import CLEAN, codes_of

MOST_RATIOS, MOST_TAILS = 12, 8
"""Points up to which their ratios are drawn, and the distributions of their response times."""


@frozen
class Point:
    """The runs that differ by their seeds alone, what sets them apart from others, and what became of failed ones."""

    keys: Mapping[str, Any]
    runs: Sequence[Result] = ()
    failures: Sequence[str] = field(default=())

    @property
    def name(self) -> str:
        """The values of its keys."""
        own = [value if key == "system" else f"{key}={shown(value)}" for key, value in self.keys.items()]
        return ", ".join(own) or "all"


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

    Ratios are to the point called `baseline`, or else to the first. Raise InputError for a field that there is none of,
    and if `over` is neither a key nor a field.
    """
    every = [point for of_workload in points.values() for point in of_workload]
    keys = list(every[0].keys)
    over = next((key for key in keys if over and key.replace("/", ".") == over.replace("/", ".")), over)
    for name in (*fields, *([over] if over and over not in keys else [])):
        if not any(known.covers(name) for known in SUMMARY):
            names = [spelled for known in SUMMARY for spelled in known.spelled()] + keys
            swept = f"; keys that were swept are {', '.join(keys)}" if name == over else ""
            raise InputError(f"{name}: no field is called so{nearest(name, names)}; `fields` lists them{swept}.")
    results: list[Any] = []
    drawn: list[Chart | None] = []
    for place, (workload, of_workload) in enumerate(points.items()):
        ran = {point.name: point.runs for point in of_workload if point.runs}
        if not ran:
            results.append(_table(of_workload, [], fields, workload, ""))
            continue
        base = baseline if baseline in ran else next(iter(ran))
        cells = compared({workload: ran}, fields, base)
        about = f"{workload}: " if workload else ""
        hues = dict(zip((name for name in ran if name != base), cycle(charts.HUES), strict=False)) | {base: GREY}
        results.append(_table(of_workload, cells, fields, workload, base))
        if 1 < len(ran) <= MOST_RATIOS:
            results.append(charts.ratios(f"ratios{place}", f"{about}ratios to {base}", cells, base, hues))
        results += [_tails(ran, hues, op, place, about) for op in ("read", "write") if len(ran) <= MOST_TAILS]
        if keys != ["system"] and keys:
            known = cells if over in (*keys, *fields, None) else [*cells, *compared({workload: ran}, [str(over)], base)]
            drawn += [_over(of_workload, known, name, over, place) for name in fields]
    runs = [run for point in every for run in point.runs]
    codes = Counter(code for run in runs for code in codes_of(run.summary) or ())
    against: list[list[str | Cell]] = [[Cell(code, mark="warns"), str(count)] for code, count in codes.most_common()]
    counts = Table(f"What speaks against how many of the {len(runs)} runs", ["code", "runs"], against)
    failed = sum(len(point.failures) for point in every)
    if failed:
        alarms = [*alarms, f"{failed} of {len(runs) + failed} runs have not come to their end: the table says why."]
    sections = [
        Section("Validity", parts=[counts]) if against else Section("Validity", [CLEAN] if runs else []),
        Section("Results", parts=results),
        Section("Over the swept keys", ["Means over seeds; bars are intervals at 95 percent."] * any(drawn), drawn),
        configured(configs, default),
        repeated(repeat),
    ]
    numbers = [("runs", Cell(str(len(runs) + failed))), ("points", Cell(str(len(every))))]
    return Page(title, "Runs of ssdsim side by side", sections, numbers, alarms)


def _table(
    points: Sequence[Point], cells: Sequence[Comparison], fields: Sequence[str], workload: str, baseline: str
) -> Table:
    """Return a row a point: its keys, the fields over its seeds with ratios to the baseline, what speaks against it."""
    by_place = {(cell.system, cell.field): cell for cell in cells}
    present = [name for name in fields if any(cell.field == name for cell in cells)]
    rows: list[list[str | Cell]] = []
    for point in points:
        row: list[str | Cell] = [Cell(shown(value), hint=point.name) for value in point.keys.values()] or ["all"]
        for name in present:
            cell, text = by_place.get((point.name, name)), "-"
            if cell is not None:
                text = shown(cell.mean) + half(across(cell.values))
                if point.name != baseline and cell.ratios:
                    text += f"\n({shown(cell.ratio)}{half(across(cell.ratios))}x)"
            row.append(text)
        codes = " ".join(dict.fromkeys(code for run in point.runs for code in codes_of(run.summary) or ()))
        failures = "; ".join(point.failures)
        told = Cell(failures, mark="bad") if failures else Cell(codes or "nothing", mark="warns" if codes else "")
        rows.append([*row, str(len(point.runs)), told])
    caption = (
        f"{workload + ': ' if workload else ''}Means over seeds with half of their intervals at 95 percent, and in "
        f"brackets ratios to {baseline or 'the first'}, paired by seed"
    )
    heads = [Cell(FIELDS.get(name, name), entry(name).meaning) for name in present]
    return Table(caption, [*(points[0].keys or ["runs"]), *heads, "seeds", "against it"], rows)


def _tails(
    ran: Mapping[str, Sequence[Result]], hues: Mapping[str, str], op: str, place: int, about: str
) -> Chart | None:
    """Return the chart of the response times of an operation by point, its seeds taken together."""
    tables = {name: [recorded(run, "latency") for run in runs] for name, runs in ran.items()}
    histograms = {
        name: charts.distribution([table for table in of_point if table is not None], op)
        for name, of_point in tables.items()
        if any(table is not None for table in of_point)
    }
    with_any = {name: histogram for name, histogram in histograms.items() if histogram[1].sum()}
    return charts.tails(f"latency-{op}s{place}", f"{about}latency distribution of {op}s", with_any, hues)


def _over(
    points: Sequence[Point], cells: Sequence[Comparison], name: str, over: str | None, place: int
) -> Chart | None:
    """Return the chart of a field over a key or another field; None if no run has it.

    The key is that asked for, or of those with numbers the one with the most values.
    """
    keys = list(points[0].keys)
    values = {cell.system: cell.values for cell in cells if cell.field == name}
    of_x = {cell.system: cell.mean for cell in cells if cell.field == over}
    numeric = {key: all(charts.is_number(point.keys[key]) for point in points) for key in keys}
    x = over or max(keys, key=lambda key: (numeric[key], len({str(point.keys[key]) for point in points})))
    means = []
    for point in points:
        others = ", ".join(f"{key}={shown(value)}" for key, value in point.keys.items() if key != x)
        if point.name in values and x in keys:
            where = point.keys[x] if numeric[x] else shown(point.keys[x])
            means.append(charts.Mean(where, point.name, others or name, values[point.name]))
        elif point.name in values and point.name in of_x:
            means.append(charts.Mean(of_x[point.name], point.name, "", values[point.name]))
    if not means:
        return None
    about = (f"{name.replace('.', '-')}-over-keys{place}", FIELDS.get(name, name), entry(name).meaning)
    axis = x if x in keys else titled(FIELDS.get(x, x), entry(x))
    return charts.over(about, axis, titled(FIELDS.get(name, name), entry(name)), means)
