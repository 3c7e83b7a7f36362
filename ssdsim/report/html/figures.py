"""Numbers as a page writes them, and tables of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from ssdsim.metrics.fields import leaves
from ssdsim.report.html.page import Cell, Table
from ssdsim.report.html.theme import entry, unit
from ssdsim.report.summary import queue_rows, value_of

TIMES = {"mean": "mean", "p50": "p50", "p95": "p95", "p99": "p99", "p99.9": "p99_9", "p99.99": "p99_99", "max": "max"}

HEADLINE = {
    "IOPS": "iops",
    "MiB/s": "bandwidth_mib_s",
    "mean read": "requests.read.response_us.mean",
    "p99 read": "requests.read.response_us.p99",
    "mean write": "requests.write.response_us.mean",
    "p99 write": "requests.write.response_us.p99",
    "write amplification": "write_amplification",
    "collections": "gc.collections",
}
"""The numbers that come first, by what they are called, and by their names in the summary."""

ELSEWHERE = ("validity", "requests", "streams", "sizes", "queues", "rounds")
"""Parts of the summary that are too long for the table of all fields."""


def shown(value: Any, digits: int = 4) -> str:
    """Return a value as it is read: numbers with so many digits that count, "-" for what is not there."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= 10 ** (digits - 1):  # beyond these digits a number is told whole
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def half(interval: Sequence[float] | None) -> str:
    """Return half of an interval with what goes before it, nothing without one."""
    return f" ± {shown((interval[1] - interval[0]) / 2, 2)}" if interval else ""


def headline(summary: Mapping[str, Any]) -> list[tuple[str, Cell]]:
    """Return the numbers that come first and are there, with intervals, and what the dictionary has on them."""
    numbers = []
    for title, name in HEADLINE.items():
        head, _, last = name.rpartition(".")
        # intervals stand beside the values
        value, interval = value_of(summary, name), value_of(summary, f"{head}_ci95.{last}" if head else f"{name}_ci95")
        op = name.split(".")[1] if name.startswith("requests.") else ""
        # of no request there is a 0 that means nothing
        if value is None or (op and not summary["requests"][op]["count"]):
            continue
        given = "µs" if entry(name).unit == "us" else ""
        numbers.append((title, Cell(f"{shown(value)}{half(interval)} {given}".strip(), entry(name).meaning)))
    return numbers


def response_table(requests: Mapping[str, Any]) -> Table | None:
    """Return response times by operation, means and percentiles with half of their intervals; None without any."""
    rows = []
    for op, served in requests.items():
        times, intervals = served.get("response_us") or {}, served.get("response_us_ci95") or {}
        if served["count"] and times.get("mean") is not None:
            cells = [shown(times.get(key)) + half(intervals.get(key)) for key in TIMES.values()]
            rows.append([op, shown(served["count"]), *cells])
    caption = (
        "Response times in µs by operation; ± is half of the interval at 95 percent, where the run is long enough."
    )
    return Table(caption, ["operation", "requests", *TIMES], rows) if rows else None


def classes_table(caption: str, first: str, classes: Mapping[str, Any] | None) -> Table | None:
    """Return response times by class of requests (streams, sizes) and operation; None without any."""
    rows = [
        [name.replace("_", " ").replace("kib", "KiB") if first == "size" else name, op, shown(served["count"])]
        + [shown(served["response_us"].get(key)) for key in TIMES.values()]
        for name, ops in (classes or {}).items()
        for op, served in ops.items()
        if served["count"] and served.get("response_us")
    ]
    return Table(caption, [first, "operation", "requests", *TIMES], rows) if rows else None


def queues_table(summary: Mapping[str, Any]) -> Table | None:
    """Return a row for each NVMe queue pair that was used; None without any."""
    head, *rows = [*queue_rows(summary)] or [()]
    return Table("Queue pairs, means in µs", list(head), [list(row) for row in rows]) if rows else None


def parts_table(by_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Table:
    """Return the parts of response times by operation and which of its requests."""
    # parts that nothing waited for are left out
    present = [part for part in next(iter(by_requests.values())) if any(parts[part] for parts in by_requests.values())]
    rows = [
        [f"{op}, {group}", shown(sum(parts.values())), *(shown(parts[part]) for part in present)]
        for (op, group), parts in by_requests.items()
    ]
    return Table("Parts of response times, means in µs", ["requests", "response time", *present], rows)


def fields_table(summary: Mapping[str, Any], caption: str, folded: bool = False) -> Table:
    """Return the fields of a summary, or of a part of it, with their units and what they mean."""
    rows = []
    for name, value in leaves({key: content for key, content in summary.items() if key not in ELSEWHERE}):
        try:
            field = entry(name)
        except KeyError:
            continue  # of an older version
        rows.append([name, _listed(value), unit(field), field.meaning])
    return Table(caption, ["field", "value", "unit", "meaning"], rows, folded)


def _listed(value: Any) -> str:
    """Return a value, a long list by its span."""
    # four are still read one by one
    if isinstance(value, list) and len(value) > 4 and all(isinstance(item, int | float) for item in value):
        return f"{len(value):,} values, {shown(min(value))} to {shown(max(value))}"
    return ", ".join(map(shown, value)) if isinstance(value, list) else shown(value)


def validity_notes(validity: Sequence[Mapping[str, Any]]) -> Table:
    """Return the findings against the numbers of a run, a row each."""
    rows: list[list[str | Cell]] = [[Cell(finding["code"], mark="warns"), finding["sentence"]] for finding in validity]
    return Table("What speaks against these numbers", ["code", "finding"], rows)
