"""Tables for the terminal, of several results side by side."""

from collections.abc import Iterable, Mapping, Sequence

from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result
from ssdsim.report.summary import known_value, number
from ssdsim.report.text import TextTable

SHOWN_OVER_SEEDS = {
    "IOPS": ("iops", 0),
    "read us": ("requests.read.response_us.mean", 1),
    "read p99": ("requests.read.response_us.p99", 1),
    "write us": ("requests.write.response_us.mean", 1),
    "write p99": ("requests.write.response_us.p99", 1),
    "WA": ("write_amplification", 3),
}


def comparison_table(results: Mapping[str, Result | str] | Iterable[Result]) -> TextTable:
    """Return one row a result, named by its key if `results` is a mapping and by its folder otherwise.

    In a mapping, a word in place of a result says why there is none.
    """
    if not isinstance(results, Mapping):
        results = {result.folder.name if result.folder else "-": result for result in results}
    columns = dict(SHOWN_OVER_SEEDS)
    iops = columns.pop("IOPS")
    columns = {"IOPS": iops, "MiB/s": ("bandwidth_mib_s", 1), **columns}
    made = TextTable("run", *columns)
    for name, result in results.items():
        if isinstance(result, str):
            made.add_row(f"{name} ({result})", *("-" for _ in columns))
            continue
        cells = [number(known_value(result.summary, field), digits) for field, digits in columns.values()]
        made.add_row(name + " (partial)" * result.summary["partial"], *cells)
    return made


def seeds_table(groups: Mapping[str, Sequence[Result]]) -> TextTable:
    """Return a row for each group of runs that differ by their seeds alone: means and half of their intervals."""
    made = TextTable("over seeds", "seeds", *SHOWN_OVER_SEEDS)
    for name, results in groups.items():
        cells = []
        for field, digits in SHOWN_OVER_SEEDS.values():
            values = [value for result in results if (value := known_value(result.summary, field)) is not None]
            interval = across(values)  # None of a single seed
            half = f" ± {number((interval[1] - interval[0]) / 2, digits)}" if interval else ""
            cells.append(number(sum(values) / len(values) if values else None, digits) + half)
        made.add_row(name, str(len(results)), *cells)
    return made
