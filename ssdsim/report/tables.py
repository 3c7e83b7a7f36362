"""Tables for the terminal, of several results side by side."""

from collections.abc import Iterable, Mapping, Sequence

from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result
from ssdsim.report.summary import number, value_of
from ssdsim.report.text import TextTable

SHOWN = {
    "IOPS": ("iops", 0),
    "MiB/s": ("bandwidth_mib_s", 1),
    "read us": ("requests.read.response_us.mean", 1),
    "read p99": ("requests.read.response_us.p99", 1),
    "write us": ("requests.write.response_us.mean", 1),
    "write p99": ("requests.write.response_us.p99", 1),
    "WA": ("write_amplification", 3),
}
"""Columns: the field of each, and its decimals."""


def comparison_table(results: Mapping[str, Result | str] | Iterable[Result]) -> TextTable:
    """Return one row a result, named by its key if `results` is a mapping and by its folder otherwise.

    In a mapping, a word in place of a result says why there is none.
    """
    if not isinstance(results, Mapping):
        results = {result.folder.name if result.folder else "-": result for result in results}
    made = TextTable("run", *SHOWN)
    for name, result in results.items():
        if isinstance(result, str):
            made.add_row(f"{name} ({result})", *("-" for _ in SHOWN))
        else:
            made.add_row(name + " (partial)" * result.summary["partial"], *_cells([result], SHOWN))
    return made


def seeds_table(groups: Mapping[str, Sequence[Result]]) -> TextTable:
    """Return a row for each group of runs that differ by their seeds alone: means and half of their intervals."""
    titles = [title for title in SHOWN if title != "MiB/s"]
    rows = [[name, str(len(results)), *_cells(results, titles)] for name, results in groups.items()]
    return TextTable("over seeds", "seeds", *titles, rows=rows)


def _cells(results: Sequence[Result], titles: Iterable[str]) -> list[str]:
    cells = []
    for field, digits in map(SHOWN.__getitem__, titles):
        values = [value for result in results if (value := value_of(result.summary, field)) is not None]
        interval = across(values)  # None of a single seed
        half = f" ± {number((interval[1] - interval[0]) / 2, digits)}" if interval else ""
        cells.append(number(sum(values) / len(values) if values else None, digits) + half)
    return cells
