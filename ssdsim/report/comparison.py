"""Runs side by side: what sets their configurations apart, and their results over seeds, with intervals."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import attrs
from attrs import frozen

from ssdsim.config import SimulationConfig
from ssdsim.config.experiment import flatten
from ssdsim.errors import InputError, nearest
from ssdsim.metrics.confidence import STUDENT_975
from ssdsim.metrics.fields import SUMMARY, Field
from ssdsim.metrics.result import Result, Sweep
from ssdsim.report.summary import codes_of, value_of, words
from ssdsim.report.text import Cell, TextTable, half, number

FIELDS = {
    "iops": "IOPS",
    **{
        f"requests.{op}.response_us.{figure}": f"{figure} {op}"
        for op in ("read", "write")
        for figure in ("mean", "p99")
    },
    "write_amplification": "write amplification",
    "gc.collections": "collections",
    "wear.mean": "erases a block",
}
"""The fields that are shown and compared, if not told otherwise, with their titles."""

SHARED = ("hardware", "buffer", "host", "link", "controller", "precondition", "workload", "power_loss", "timing")
"""The first words of keys that systems have to share in a comparison of policies alone."""

Row = dict[str, Any]


@frozen
class Point:
    """The runs that differ by their seeds alone, the keys that set them apart from others, and why others failed."""

    keys: Mapping[str, Any]
    runs: list[Result]
    failures: list[str] = attrs.field(factory=list)

    @property
    def name(self) -> str:
        """The values of its keys."""
        own = [value if key == "system" else f"{key}={value}" for key, value in self.keys.items()]
        return ", ".join(own) or "all"


def swept_points(sweep: Sweep) -> list[Point]:
    """Return the points of a sweep: its runs by what was overridden beside their seeds."""
    keys = [key for key in sweep.swept if key != "seed"]
    groups: dict[str, Point] = {}
    for row in sweep.table.to_pylist():
        of_point = {key: row[key] for key in keys}
        point = groups.setdefault(repr(of_point), Point(of_point, [], []))
        if row["validity"] is not None and row["status"] in (None, "completed"):  # runs of no sweep have no status
            point.runs.append(Result.load(sweep.folder / row["folder"]))
        else:
            point.failures.append(f"{row['status'] or 'damaged'}: {row['message'] or 'no reason is known'}")
    return list(groups.values())


def compared(points: Sequence[Point], fields: Sequence[str], baseline: str | None = None) -> list[Row]:
    """Return a row for each field of each point: its mean over seeds, and the ratio to that of `baseline`.

    That is the mean of the ratios seed by seed, which share what chance does to both; a point that has not the seeds of
    the baseline has none. Intervals, from `low` to `high`, are at 95 percent, and None for a single seed.
    """
    seeds = {point.name: [run.summary["seed"] for run in point.runs] for point in points}
    base = next((point for point in points if point.name == baseline), None)
    rows = []
    for name in fields:
        bases = [value(run.summary, name) for run in base.runs] if base else []
        for point in points:
            values = [value(run.summary, name) for run in point.runs]
            is_paired = base is not None and point is not base and seeds[point.name] == seeds[base.name]
            ratios = ratios_of(values, bases) if is_paired else []
            findings = (finding for run in point.runs for finding in run.summary["validity"])
            codes = dict.fromkeys(finding["code"] for finding in findings)
            if known := [measured for measured in values if measured is not None]:
                low, high = across(known) or (None, None)
                row = {"system": point.name, "field": name, "seeds": len(known)}
                row |= {"mean": fmean(known), "low": low, "high": high, "ratio": fmean(ratios) if ratios else None}
                row["ratio_low"], row["ratio_high"] = across(ratios) or (None, None)
                rows.append({**row, "validity": " ".join(codes)})
    return rows


def across(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval at 95 percent of the mean of independent runs (Student's t), None for fewer than two."""
    if len(values) < 2:
        return None
    # beyond the end of the table t hardly falls: its last value errs on the safe side
    t = STUDENT_975[min(len(values) - 1, len(STUDENT_975)) - 1]
    middle, half = fmean(values), t * stdev(values) / sqrt(len(values))
    return middle - half, middle + half


def ratios_of(values: Sequence[float | None], bases: Sequence[float | None]) -> list[float]:
    """Return the ratios seed by seed, none of them to a baseline that is next to nothing.

    That is 0 with some seed, or has an interval that holds 0 as that of the ratio does.
    """
    pairs = [(a, b) for a, b in zip(values, bases, strict=True) if a is not None and b is not None]
    if not all(b for _, b in pairs):
        return []
    ratios = [a / b for a, b in pairs]
    intervals = across([b for _, b in pairs]), across(ratios)
    return [] if all(interval and interval[0] <= 0 <= interval[1] for interval in intervals) else ratios


def results_table(points: Sequence[Point], cells: Sequence[Row], title: str = "") -> TextTable:
    """Return a row a point: its keys, its fields over seeds, and what speaks against it or became of it."""
    by_place = {(cell["system"], cell["field"]): _spread(cell) for cell in cells}
    fields = list(dict.fromkeys(cell["field"] for cell in cells))
    heads = [Cell(FIELDS.get(name, name), entry(name).meaning) for name in fields]
    table = TextTable(*(points[0].keys or ["runs"]), *heads, "seeds", "against it", title=title)
    for point in points:
        codes = ", ".join(dict.fromkeys(words(code) for run in point.runs for code in codes_of(run.summary)))
        against = Cell(codes, mark="warns") if codes else "nothing"
        failed = Cell(", ".join(dict.fromkeys(why.partition(":")[0] for why in point.failures)), mark="bad")
        told = (by_place.get((point.name, name), "-") for name in fields)
        keys = [str(value) for value in point.keys.values()] or ["all"]
        table.add_row(*keys, *told, str(len(point.runs)), failed or against)
    return table


def _spread(cell: Row) -> str:
    """Return a mean with half of its interval and, in brackets, the ratio with half of its own."""
    mean = f"{number(cell['mean'], 4)}{half(cell['low'], cell['high'])}"
    ratio = f" ({number(cell['ratio'], 4)}{half(cell['ratio_low'], cell['ratio_high'])}x)"
    return mean if cell["ratio"] is None else mean + ratio


def differences(configs: Iterable[SimulationConfig]) -> dict[str, list[Any]]:
    """Return the keys whose values differ among `configs`, with the value that each of these has, None without one."""
    flat = [{key: value for key, value in flatten(attrs.asdict(config)) if value != {}} for config in configs]
    values = {
        key: [config.get(key) for config in flat] for key in dict.fromkeys(key for config in flat for key in config)
    }
    # by what they look like: values of a key may be lists
    return {key: of_key for key, of_key in values.items() if len(set(map(repr, of_key))) > 1}


def unfair(differing: Iterable[str]) -> list[str]:
    """Return a sentence on keys that differ and make a comparison not one of policies alone, if there are any."""
    keys = [key for key in differing if key.startswith(SHARED)]
    return [f"Not a comparison of policies alone: systems differ in {', '.join(keys)}."] if keys else []


def value(summary: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a summary by its dotted name, None where it has none of that name."""
    field = value_of(summary, name)
    # a truth value is no number to compare
    return field if isinstance(field, int | float) and not isinstance(field, bool) else None


def entry(name: str) -> Field:
    """Return the dictionary's entry on a field of the summary; raise InputError for a name of none."""
    matching = next((known for known in SUMMARY if known.covers(name)), None)
    if matching is None:
        names = [spelled for known in SUMMARY for spelled in known.spelled]
        raise InputError(f"{name}: no field is called so{nearest(name, names)}; `fields` lists them.")
    return matching
