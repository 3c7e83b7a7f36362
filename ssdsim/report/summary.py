"""The summary of a run in plain text, and what speaks against its numbers."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import fsum
from typing import Any

from ssdsim.metrics.result import Result
from ssdsim.report.text import TextTable

Rows = list[tuple[str, ...]]
"""The head of a table, and its rows: words, and then numbers."""

GAP = 4
"""Columns between two tables."""

PARTS = {
    "queue": "queue",
    "bus": "bus",
    "array": "array",
    "GC": "gc",
    "  urgent": "urgent_gc",
    "mapping": "mapping",
    "buffer": "buffer",
    "link": "link",
    "processor": "processor",
}
"""Parts of a response time, by what they are called."""
ALWAYS = ("queue", "bus", "array", "gc")
"""Those whose rows stand even if nothing waited there."""
PERCENTILES = {"p50": "p50", "p95": "p95", "p99": "p99", "p99.9": "p99_9", "p99.99": "p99_99", "max": "max"}

CLEAN = "Nothing speaks against these numbers: the run is in its steady state, and long enough."
AGAINST = "What speaks against these numbers:"

TAIL_COLUMNS = {"1 %": "slowest_1_percent", "0.1 %": "slowest_0_1_percent"}
STREAM_COLUMNS = {"mean": "mean", "p50": "p50", "p99": "p99", "p99.9": "p99_9", "max": "max"}

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
    ("fairness of slowdowns", "slowdown.fairness", 1, 3),
    ("weighted speedup", "slowdown.weighted_speedup", 1, 2),
    ("busy channels, %", "utilization.channel", 100, 1),
    ("busy dies, %", "utilization.die", 100, 1),
    ("erases a block, mean", "wear.mean", 1, 2),
    ("simulated, s", "simulated_s", 1, 2),
    ("wall time, s", "simulator.wall_s", 1, 2),
    ("flash transactions/s", "simulator.transactions_per_s", 1, 0),
)
"""The rows on the whole run: title, field of the summary, factor and decimals. Of several numbers a row has the sum of
those by name, and the mean of a list."""

ONLY_WITH = {
    "page_types": "page_types.free_msb",  # of one page type there are no shares
    "mapping": "mapping.hit_ratio",
    "power_loss": "power_loss",
    "slowdown": "slowdown",
    **{name: name for name in ("gc.victim_valid_share", "page_writes_per_plane_std")},
}
"""Fields, or sections of them, whose rows are there only where another one is known."""

NOT_ZERO = ("wasted_pages", "backup.pages")
"""Fields whose rows are left out where they are 0."""


def summary_text(result: Result, width: int | None) -> str:
    """Return response times by operation beside the totals of the run and, below, what the slowest waited for.

    The totals stand below where a line of `width`, if that is bounded, has no room for both.
    """
    responses, totals = _lines(_responses(result.summary)), _lines(_totals(result.summary))
    if width is None or len(responses[0]) + GAP + len(totals[0]) <= width:
        left = len(responses[0]) + GAP
        whole = [one.ljust(left) + other for one, other in zip_longest(responses, totals, fillvalue="")]
    else:
        whole = [*responses, "", *totals]
    below = map(_lines, tables_of(result.summary)[1:])
    return "\n".join(["", *whole, "", *(line for lines in below for line in ("", *lines, ""))])


def tables_of(summary: Mapping[str, Any]) -> list[Rows]:
    """Return the tables of response times, of what the slowest waited for, of blame and of streams, if any."""
    return [rows for table in (_responses, _tails, _blames, _streams) if (rows := table(summary))]


def codes_of(summary: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the codes of what speaks against a run, each once; None of a result that is older than these."""
    if "validity" not in summary:
        return None
    return tuple(dict.fromkeys(finding["code"] for finding in summary["validity"]))


def validity_lines(summary: Mapping[str, Any], verbose: bool = False) -> list[str]:
    """Return in a line what speaks against the numbers of a run, or if `verbose` the sentence on each."""
    if verbose and summary.get("validity"):
        return [AGAINST, *(f"  {words(finding['code'])}: {finding['sentence']}" for finding in summary["validity"])]
    if not (codes := codes_of(summary)):
        return [] if codes is None else [CLEAN]
    requests = next((one["numbers"]["requests"] for one in summary["validity"] if one["code"] == "too_short"), None)
    enough = f"; some {requests:,} requests would do" if requests else ""
    return [f"{AGAINST} {', '.join(map(words, codes))}{enough} (-v says why)."]


def validity_of_runs(runs: Mapping[str, Iterable[str] | None]) -> list[str]:
    """Return in a line for each of `runs`, or in one for all alike, what speaks against it."""
    told = {name: ", ".join(map(words, codes)) for name, codes in runs.items() if codes is not None}
    if len(told) > 1 and len(set(told.values())) == 1:
        told = {f"all {len(told)}": next(iter(told.values()))}
    clean = [name for name in told if not told[name]]
    told = {name: codes for name, codes in told.items() if codes}
    if clean:
        told["the others" if told and len(clean) > 1 else clean[0]] = "nothing"
    return [f"What speaks against {name}: {codes}." for name, codes in told.items()]


def words(code: str) -> str:
    """Return a code of validity as it is told: its words."""
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


def number(value: float | None, digits: int) -> str:
    """Return a number as it stands in a table, a dash for none."""
    return "-" if value is None else f"{value:,.{digits}f}"


def _lines(rows: Rows) -> list[str]:
    return TextTable(*rows[0], rows=rows[1:]).lines()


def _responses(summary: Mapping[str, Any]) -> Rows:
    made: Rows = [("microseconds", "read", "write")]
    ops = ("read", "write")
    served = [summary["requests"][op] for op in ops]
    made.append(("requests", *(number(of_op["count"], 0) for of_op in served)))
    made.append(("MiB", *(number(of_op["bytes"] / 2**20, 1) for of_op in served)))

    def add(title: str, key: str) -> None:
        names = (f"requests.{op}.response_us.{key}" for op in ops)
        times = (value_of(summary, name) if one["count"] else None for name, one in zip(names, served, strict=True))
        made.append((title, *(number(us, 1) for us in times)))
        ends = [value_of(of_op, f"response_us_ci95.{key}") for of_op in served]
        if key in ("mean", "p99") and any(ends):
            halves = (end and end[1] - of_op["response_us"][key] for of_op, end in zip(served, ends, strict=True))
            made.append(("  ± at 95 %", *(number(half, 1) for half in halves)))

    add("response mean", "mean")
    for title, key in _present([of_op["response_us"] for of_op in served], leave_out="urgent_gc"):
        add(f"  {title}", key)
    for title, key in PERCENTILES.items():
        add(title, key)
    return made


def _present(times: Sequence[Mapping[str, Any]], leave_out: str = "") -> list[tuple[str, str]]:
    """Return the parts that something waited for, and those that are always told."""
    return [
        (title, key)
        for title, key in PARTS.items()
        if key in ALWAYS or (key != leave_out and any(of_op.get(key) for of_op in times))
    ]


def _tails(summary: Mapping[str, Any]) -> Rows:
    """Return the waits of the slowest requests, only the parts that there are; none of an older result."""
    tails = {
        f"{op} {share}": summary["requests"][op]["tail"][name]
        for op in ("read", "write")
        for share, name in TAIL_COLUMNS.items()
        if summary["requests"][op]["count"] and "tail" in summary["requests"][op]
    }
    told = [("mean", "response_us"), *((f"  {title}", key) for title, key in _present([*tails.values()]))]
    rows = [(title, *(number(tail[key], 1) for tail in tails.values())) for title, key in told]
    return [("slowest", *tails), *rows] if tails else []


def _blames(summary: Mapping[str, Any]) -> Rows:
    """Return the blame of requests and of the slowest of them, where that was recorded, only causes that there are.

    Where several streams read, or write, each has a column of its own in the place of the slowest.
    """
    columns: dict[str, dict[str, float]] = {}
    for op in ("read", "write"):
        of_op = summary["requests"][op]
        if not of_op["count"] or "blame_us" not in of_op:
            continue
        columns[op] = of_op["blame_us"]
        by_stream = {name: served[op]["blame_us"] for name, served in summary["streams"].items() if served[op]["count"]}
        slowest = {share: of_op["tail"][name]["blame_us"] for share, name in TAIL_COLUMNS.items()}
        columns |= {f"{op} {name}": blame for name, blame in (by_stream if len(by_stream) > 1 else slowest).items()}
    causes = [cause for cause in next(iter(columns.values()), ()) if any(column[cause] for column in columns.values())]
    made: Rows = [("blamed on", *columns)]
    made += [(words(cause), *(number(column[cause], 1) for column in columns.values())) for cause in causes]
    return made if causes else []


def _streams(summary: Mapping[str, Any]) -> Rows:
    """Return a row for each stream and operation, where there are several streams."""
    streams = summary.get("streams") or {}
    slowdowns = value_of(summary, "slowdown.streams") or {}
    made: Rows = [("stream", "", "requests", *STREAM_COLUMNS)]
    for name, operations in streams.items():
        for op, served in operations.items():
            if served["count"]:
                times = (number(served["response_us"][key], 1) for key in STREAM_COLUMNS.values())
                made.append((name, op, number(served["count"], 0), *times))
        if name in slowdowns:
            made.append(
                (name, "slowdown", "", number(slowdowns[name]["slowdown"], 2), *[""] * (len(STREAM_COLUMNS) - 1))
            )
    return made if len(streams) > 1 else []


def _totals(summary: Mapping[str, Any]) -> Rows:
    made: Rows = [("whole run" + " (partial)" * summary["partial"], "")]
    for title, name, factor, digits in TOTALS:
        needed = ONLY_WITH.get(name) or ONLY_WITH.get(name.partition(".")[0])
        value = value_of(summary, name)
        if (needed and value_of(summary, needed) is None) or (name in NOT_ZERO and not value):
            continue
        if isinstance(value, Mapping):
            value = sum(value.values())
        elif isinstance(value, list):
            value = fsum(value) / len(value) if value else None
        made.append((title, number(value and factor * value, digits)))
    return made
