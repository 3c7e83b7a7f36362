"""A result as a notebook shows it: its main numbers, the response times by operation, and what kept it from its end."""

from collections.abc import Iterable
from html import escape
from typing import Any

TIMES = {"mean": "mean", "p50": "p50", "p99": "p99", "p99.9": "p99_9", "max": "max"}
"""Response times by their titles; those that a summary lacks are left out."""


def result_html(result: Any) -> str:
    """Return an HTML fragment of two small tables, of a `Result`; whatever came from outside is escaped."""
    summary = result.summary
    served = {
        op: served["response_us"]
        for op, served in summary["requests"].items()
        if served.get("count") and "response_us" in served
    }
    times = {
        title: key for title, key in TIMES.items() if any(_is_time(times_us.get(key)) for times_us in served.values())
    }
    parts = [_table(str(result.folder or "Result"), [[name, value] for name, value in result.headline().items()])]
    if times:
        # a generator, which the table goes through once
        rows = ([op, *(_shown(times_us.get(key)) for key in times.values())] for op, times_us in served.items())
        parts.append(_table("Response time in microseconds", rows, ["", *times]))
    if summary.get("error"):
        parts.append(f"<p><b>Stopped:</b> {escape(str(summary['error']))}</p>")
    return "".join(parts)


def _table(caption: str, rows: Iterable[list[str]], head: list[str] | None = None) -> str:
    titles = "<tr>" + "".join(f"<th>{escape(title)}</th>" for title in head) + "</tr>" if head else ""
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"
        for name, *values in rows
    )
    return f"<table><caption>{escape(caption)}</caption>{titles}{body}</table>"


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float)


def _shown(value: Any) -> str:
    return f"{value:,.1f}" if _is_time(value) else "-"
