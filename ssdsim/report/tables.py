"""Tables for the terminal, of one result or of several side by side."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Group
from rich.table import Table

from ssdsim.metrics.confidence import across
from ssdsim.metrics.result import Result

RESPONSE_ROWS = {
    "response mean": "mean",
    "  queue": "queue",
    "  bus": "bus",
    "  array": "array",
    "  GC": "gc",
    "  mapping": "mapping",
    "  buffer": "buffer",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "p99.9": "p99_9",
    "p99.99": "p99_99",
    "max": "max",
}

CLEAN = "Nothing speaks against these numbers: enough was written, collected and measured, and nothing drifts."


WORD_WIDTH = 31
"""Of an override in the name of a run in a comparison, up to which it stands in one line."""

TAIL_COLUMNS = {"1 %": "slowest_1_percent", "0.1 %": "slowest_0_1_percent"}
TAIL_ROWS = {
    "mean": "response_us",
    "  queue": "queue",
    "  bus": "bus",
    "  array": "array",
    "  GC": "gc",
    "    urgent": "urgent_gc",
    "  mapping": "mapping",
    "  buffer": "buffer",
}
TAIL_ALWAYS = ("response_us", "queue", "bus", "array", "gc")  # these rows stand even if nothing waited there


TOTALS: tuple[tuple[str, str, float, int], ...] = (
    ("IOPS", "iops", 1, 0),
    ("bandwidth, MiB/s", "bandwidth_mib_s", 1, 1),
    ("write amplification", "write_amplification", 1, 3),
    ("fast writes, %", "page_types.fast", 100, 1),
    ("medium writes, %", "page_types.medium", 100, 1),
    ("slow writes, %", "page_types.slow", 100, 1),
    ("GC collections", "gc.collections", 1, 0),
    ("GC page moves", "gc.page_moves", 1, 0),
    ("  valid in victims, %", "gc.victim_valid_share", 100, 1),
    ("  wasted for parity", "wasted_pages", 1, 0),
    ("page writes a plane, std", "page_writes_per_plane_std", 1, 1),
    ("mapping cache hits, %", "mapping.hit_ratio", 100, 1),
    ("  translation pages read", "mapping.reads", 1, 0),
    ("  translation pages written", "mapping.writes", 1, 0),
    ("erases", "flash.erases", 1, 0),
    ("backup pages", "backup.pages", 1, 0),
    ("power cut at, s", "power_loss.at_s", 1, 6),
    ("  acknowledged and lost, pages", "power_loss.lost_acknowledged", 1, 0),
    ("  lost in flash, pages", "power_loss.lost_in_flash", 1, 0),
    ("  lost in buffer, pages", "power_loss.lost_buffered", 1, 0),
    ("  recovered, pages", "power_loss.recovered", 1, 0),
    ("  read to reboot, pages", "power_loss.pages_read", 1, 0),
    ("  reboot, ms", "power_loss.reboot_ms", 1, 2),
    ("busy channels, %", "utilization.channel", 100, 1),
    ("busy dies, %", "utilization.die", 100, 1),
    ("erases a block, mean", "wear.mean", 1, 2),
    ("simulated, s", "simulated_s", 1, 2),
    ("wall time, s", "simulator.wall_s", 1, 2),
    ("flash transactions/s", "simulator.transactions_per_s", 1, 0),
    ("peak memory, MiB", "simulator.peak_rss_mib", 1, 0),
)
"""The rows on the whole run: title, field of the summary, factor and decimals. Of several numbers a row has the sum of
those by name, and the mean of a list."""

ONLY_WITH = {
    "page_types": "page_types.free_msb",  # of one page type there are no shares
    "mapping": "mapping.hit_ratio",
    "power_loss": "power_loss",
    **{name: name for name in ("gc.victim_valid_share", "page_writes_per_plane_std")},
}
"""Fields, or sections of them, whose rows are there only where another one is known."""

NOT_ZERO = ("wasted_pages", "backup.pages")
"""Fields whose rows are left out where they are 0."""

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


def summary_table(result: Result) -> Group:
    """Return response times by operation beside the totals of the run and, below, what the slowest waited for."""
    whole = Columns([_responses(result.summary), _totals(result.summary)], padding=(0, 4))
    return Group(whole, *_tails(result.summary))


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
        cells = [_number(value_of(summary, field), digits) for field, digits in columns.values()]
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
            values = [number for result in results if (number := value_of(result.summary, field)) is not None]
            interval = across(values)  # None of a single seed
            half = f" ± {_number((interval[1] - interval[0]) / 2, digits)}" if interval else ""
            cells.append(_number(sum(values) / len(values) if values else None, digits) + half)
        made.add_row(name, str(len(results)), *cells)
    return made


def validity_lines(summary: Mapping[str, Any]) -> list[str]:
    """Return the findings against the numbers of a run, a line each, or the sentence that there are none."""
    if "validity" not in summary:  # a result that is older than these findings
        return []
    findings = [f"  {finding['code']}: {finding['sentence']}" for finding in summary["validity"]]
    return ["What speaks against these numbers:", *findings] if findings else [CLEAN]


def value_of(summary: Mapping[str, Any], name: str) -> Any:
    """Return a field by its dotted name, None where another kind of run has none."""
    field: Any = summary
    for part in name.split("."):
        field = field.get(part) if isinstance(field, Mapping) else None
    return field


def _responses(summary: dict[str, Any]) -> Table:
    made = table("microseconds", "read", "write")
    served = [summary["requests"][op] for op in ("read", "write")]
    made.add_row("requests", *(_number(of_op["count"], 0) for of_op in served))
    made.add_row("MiB", *(_number(of_op["bytes"] / 2**20, 1) for of_op in served))
    for title, key in RESPONSE_ROWS.items():
        # nothing is told of these two where nothing waited for them
        if key in ("mapping", "buffer") and not any(of_op["response_us"].get(key) for of_op in served):
            continue
        made.add_row(title, *(_number(of_op["response_us"][key], 1) if of_op["count"] else "-" for of_op in served))
        ends = [value_of(of_op, f"response_us_ci95.{key}") for of_op in served]
        if key in ("mean", "p99") and any(ends):
            halves = (end and end[1] - of_op["response_us"][key] for of_op, end in zip(served, ends, strict=True))
            made.add_row("  ± at 95 %", *(_number(half, 1) for half in halves))
    return made


def _tails(summary: dict[str, Any]) -> list[Table]:
    """Return the waits of the slowest requests, only the parts that there are; none of an older result."""
    served = {op: summary["requests"][op] for op in ("read", "write")}
    tails = {
        f"{op} {share}": of_op["tail"][name]
        for op, of_op in served.items()
        for share, name in TAIL_COLUMNS.items()
        if of_op["count"] and "tail" in of_op
    }
    made = table("slowest", *tails)
    for title, key in TAIL_ROWS.items():
        if key in TAIL_ALWAYS or any(tail[key] for tail in tails.values()):
            made.add_row(title, *(_number(tail[key], 1) for tail in tails.values()))
    return [made] if tails else []


def _totals(summary: dict[str, Any]) -> Table:
    made = table("whole run" + " (partial)" * summary["partial"], "")
    for title, name, factor, digits in TOTALS:
        needed = ONLY_WITH.get(name) or ONLY_WITH.get(name.partition(".")[0])
        number = value_of(summary, name)
        if (needed and value_of(summary, needed) is None) or (name in NOT_ZERO and not number):
            continue
        if isinstance(number, Mapping):
            number = sum(number.values())
        elif isinstance(number, list):
            number = fsum(number) / len(number) if number else None
        made.add_row(title, _number(number and factor * number, digits))
    return made


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"
