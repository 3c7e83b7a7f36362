"""Tables for the terminal, of several results side by side."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result
from ssdsim.report.summary import number, value_of

WORD_WIDTH = 31
"""Of an override in the name of a run in a comparison, up to which it stands in one line."""

SHOWN_OVER_SEEDS = {
    "IOPS": ("iops", 0),
    "read us": ("requests.read.response_us.mean", 1),
    "read p99": ("requests.read.response_us.p99", 1),
    "write us": ("requests.write.response_us.mean", 1),
    "write p99": ("requests.write.response_us.p99", 1),
    "WA": ("write_amplification", 3),
}


def table(first: str, *others: str, **style: Any) -> Table:
    """Return a table without rows: the first column has words, the `others` numbers."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, **style)
    made.add_column(first, overflow="fold")
    for title in others:
        made.add_column(title, justify="right", no_wrap=True)
    return made


def words_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[str] = (), **style: Any
) -> Table:
    """Return a table whose cells are folded where they are too long; columns named in `right` are set right."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False, **style)
    for name in header:
        made.add_column(name, overflow="fold", justify="right" if name in right else "left")
    for row in rows:
        made.add_row(*row)
    return made


def comparison_table(results: Mapping[str, Result | str] | Iterable[Result]) -> Table:
    """Return one row a result, named by its key if `results` is a mapping and by its folder otherwise.

    In a mapping, a word in place of a result says why there is none.
    """
    if not isinstance(results, Mapping):
        results = {result.folder.name if result.folder else "-": result for result in results}
    columns = dict(SHOWN_OVER_SEEDS)
    iops = columns.pop("IOPS")
    columns = {"IOPS": iops, "MiB/s": ("bandwidth_mib_s", 1), **columns}
    made = table("run", *columns)
    made.add_column("against it", overflow="fold", min_width=11, max_width=11)
    for name, result in results.items():
        if isinstance(result, str):
            made.add_row(f"{name} ({result})", *("-" for _ in made.columns[1:]))
            continue
        summary = result.summary
        cells = [number(value_of(summary, field), digits) for field, digits in columns.values()]
        codes = dict.fromkeys(finding["code"] for finding in summary.get("validity", ()))
        against = "-" if "validity" not in summary else " ".join(codes) or "none"
        made.add_row(name + " (partial)" * summary["partial"], *cells, against)
    words = (word for name in made.columns[0].cells for word in str(name).split())
    # words are not torn, but for those that no terminal has room for
    made.columns[0].min_width = min(max(map(len, words), default=0), WORD_WIDTH)
    return made


def seeds_table(groups: Mapping[str, Sequence[Result]]) -> Table:
    """Return a row for each group of runs that differ by their seeds alone: means and half of their intervals."""
    made = table("over seeds", "seeds", *SHOWN_OVER_SEEDS)
    for name, results in groups.items():
        cells = []
        for field, digits in SHOWN_OVER_SEEDS.values():
            values = [value for result in results if (value := value_of(result.summary, field)) is not None]
            interval = across(values)  # None of a single seed
            half = f" ± {number((interval[1] - interval[0]) / 2, digits)}" if interval else ""
            cells.append(number(sum(values) / len(values) if values else None, digits) + half)
        made.add_row(name, str(len(results)), *cells)
    return made
