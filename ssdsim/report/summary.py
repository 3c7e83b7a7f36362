"""The summary of a run in plain text, and what speaks against its numbers."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from math import fsum
from typing import Any

from ssdsim.host.request import OUTER_PARTS
from ssdsim.metrics.result import Result
from ssdsim.report.text import TextTable

PARTS = {
    "queue": "queue",
    "bus": "bus",
    "array": "array",
    "GC": "gc",
    "  urgent GC": "urgent_gc",
    "mapping": "mapping",
    "buffer": "buffer",
} | {part: part for part in OUTER_PARTS}
"""Parts of a response time, by what they are called; those of which there is nothing are left out."""
PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p99.9": "p99_9", "p99.99": "p99_99", "max": "max"}

CLEAN = "Nothing speaks against these numbers: the run is in its steady state, and long enough."
AGAINST = "What speaks against these numbers:"

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
    ("mapping cache hits, %", "mapping.hit_ratio", 100, 1),
    ("  translation pages read", "mapping.reads", 1, 0),
    ("erases", "flash.erases", 1, 0),
    ("backup pages", "backup.pages", 1, 0),
    ("power cut at, s", "power_loss.at_s", 1, 6),
    ("  acknowledged and lost, pages", "power_loss.lost_acknowledged", 1, 0),
    ("  lost in flash, pages", "power_loss.lost_in_flash", 1, 0),
    ("  lost in buffer, pages", "power_loss.lost_buffered", 1, 0),
    ("  recovered, pages", "power_loss.recovered", 1, 0),
    ("  reboot, ms", "power_loss.reboot_ms", 1, 2),
    ("busy channels, %", "utilization.channel", 100, 1),
    ("busy dies, %", "utilization.die", 100, 1),
    ("simulated, s", "simulated_s", 1, 2),
    ("wall time, s", "simulator.wall_s", 1, 2),
    ("flash transactions/s", "simulator.transactions_per_s", 1, 0),
)
"""Rows on the whole run: title, field, factor and decimals; of several numbers by name their sum, of a list its mean.

A row is left out where its field is not known."""

NOT_ZERO = ("backup.pages", "page_types.medium", "page_types.slow", "mapping.reads")
"""Fields whose rows are left out where they are 0, too."""


def summary_text(result: Result) -> str:
    """Return response times by operation beside the totals of the run and, below, streams."""
    responses, *others = tables_of(result.summary)
    left, right = responses.lines(), _totals(result.summary).lines()
    width = max(map(len, left))
    beside = [f"{one:{width}}    {other}" for one, other in zip_longest(left, right, fillvalue="")]
    return "\n".join(["", *beside, *map(str, others), ""])


def tables_of(summary: Mapping[str, Any]) -> list[TextTable]:
    """Return the tables of response times, and of streams, if there are several."""
    return [table for table in (_responses(summary), _streams(summary)) if table.rows]


def codes_of(summary: Mapping[str, Any]) -> list[str]:
    """Return the codes of what speaks against a run, each once."""
    return list(dict.fromkeys(finding["code"] for finding in summary["validity"]))


def validity_lines(summary: Mapping[str, Any], verbose: bool = False) -> list[str]:
    """Return in a line what speaks against the numbers of a run, or if `verbose` the sentence on each."""
    if verbose and summary["validity"]:
        return [AGAINST, *(f"  {words(finding['code'])}: {finding['sentence']}" for finding in summary["validity"])]
    if not (codes := codes_of(summary)):
        return [CLEAN]
    requests = next((one["numbers"]["requests"] for one in summary["validity"] if one["code"] == "too_short"), None)
    enough = f"; some {requests:,} requests would do" if requests else ""
    return [f"{AGAINST} {', '.join(map(words, codes))}{enough} (-v says why)."]


def words(code: str) -> str:
    """Return the words of a code of validity, or of a cause of blame."""
    return code.replace("_", " ")


def value_of(summary: Mapping[str, Any], name: str) -> Any:
    """Return a field by its dotted name, in which a list has numbers for names; None where there is none."""
    field: Any = summary
    for part in name.split("."):
        if isinstance(field, list):
            field = field[int(part)] if part.isdecimal() and int(part) < len(field) else None
        else:
            field = field.get(part) if isinstance(field, Mapping) else None
    return field


def _decimals(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _waits(columns: Iterable[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """Return a row for each part of some response times, and for each cause of blame, that any of them has."""
    told = list(columns)
    rows = [(title, [times.get(key) for times in told]) for title, key in PARTS.items()]
    blames = [times.get("blame_us") or {} for times in told]
    causes = dict.fromkeys(cause for blame in blames for cause in blame)
    rows += [(f"blamed on {words(cause)}", [blame.get(cause) for blame in blames]) for cause in causes]
    return [(f"  {title}", *(_decimals(us, 1) for us in values)) for title, values in rows if any(values)]


def _responses(summary: Mapping[str, Any]) -> TextTable:
    served = {op: summary["requests"][op] for op in ("read", "write")}
    table = TextTable("microseconds", *served)
    table.add_row("requests", *(f"{of_op['count']:,}" for of_op in served.values()))
    table.add_row("MiB", *(_decimals(of_op["bytes"] / 2**20, 1) for of_op in served.values()))
    for title, key in {"response mean": "mean", **PERCENTILES}.items():
        times = [of_op["response_us"][key] if of_op["count"] else None for of_op in served.values()]
        table.add_row(title, *(_decimals(us, 1) for us in times))
        ends = [value_of(of_op, f"response_us_ci95.{key}") for of_op in served.values()]
        if any(ends):
            halves = (end and us and end[1] - us for us, end in zip(times, ends, strict=True))
            table.add_row("  ± at 95 %", *(_decimals(half, 1) for half in halves))
        if key == "mean":
            for row in _waits({**of_op["response_us"], "blame_us": of_op.get("blame_us")} for of_op in served.values()):
                table.add_row(*row)
    return table


def _streams(summary: Mapping[str, Any]) -> TextTable:
    table = TextTable("stream", "operation", "requests", "mean", *PERCENTILES)
    streams = summary.get("streams") or {}
    for name, operations in streams.items() if len(streams) > 1 else ():
        for op, served in operations.items():
            if served["count"]:
                times = (_decimals(served["response_us"][key], 1) for key in ("mean", *PERCENTILES.values()))
                table.add_row(name, op, f"{served['count']:,}", *times)
    return table


def _totals(summary: Mapping[str, Any]) -> TextTable:
    table = TextTable("whole run" + " (partial)" * summary["partial"], "")
    for title, name, factor, digits in TOTALS:
        value = value_of(summary, name)
        if isinstance(value, Mapping):
            value = sum(value.values())
        elif isinstance(value, list):
            value = fsum(value) / len(value) if value else None
        if value or (value == 0 and name not in NOT_ZERO):
            table.add_row(title, _decimals(factor * value, digits))
    return table
