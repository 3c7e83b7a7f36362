"""Where time went: the parts of response times, of all requests and of the slowest, and what flash worked for."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from ssdsim.report.html.page import Chart, Columns
from ssdsim.report.html.theme import colour, finished, in_rows
from ssdsim.report.hues import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

PARTS = {
    "queue": "queue",
    "bus": "bus",
    "array": "array",
    "background_gc": "collection",
    "urgent_gc": "urgent collection",
    "mapping": "mapping",
    "buffer": "buffer",
}
"""What is shown of a response time, by what it is called; `background_gc` is what of gc was not urgent."""

PART_HUES = dict(zip(PARTS.values(), [GREY, SKY, BLUE, GREEN, VERMILION, PURPLE, ORANGE], strict=True))

SLOWEST = {"slowest_1_percent": "slowest 1 %", "slowest_0_1_percent": "slowest 0.1 %"}
SOURCE_HUES = dict(
    zip(
        ("host", "gc", "mapping", "backup", "merge", "refresh"),
        [GREY, GREEN, PURPLE, ORANGE, VERMILION, SKY],
        strict=True,
    )
)

Drawn = tuple[Chart, Columns]


def split(times: Mapping[str, Any]) -> dict[str, float]:
    """Return the parts of a response time, in microseconds, those of `PARTS` by what they are called, which add up."""
    urgent = times.get("urgent_gc") or 0.0
    # gc has the urgent part within it
    all_times = {**times, "background_gc": (times.get("gc") or 0.0) - urgent, "urgent_gc": urgent}
    return {shown: all_times.get(part) or 0.0 for part, shown in PARTS.items()}


def of_requests(summary: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the parts by operation and which of its requests: all, or the slowest; only of those that took time."""
    by_group = {}
    for op, served in summary["requests"].items():
        times = served.get("response_us") or {}
        if served["count"] and times.get("mean") and "queue" in times:
            by_group[op, "all"] = split(times)
            tails = served.get("tail") or {}
            by_group |= {(op, shown): split(tails[key]) for key, shown in SLOWEST.items() if key in tails}
    return by_group


def mean_chart(parts_of_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Drawn:
    """Return the chart of the parts of the mean response time by operation."""
    means = {op: parts for (op, group), parts in parts_of_requests.items() if group == "all"}
    columns = _columns({(op,): parts for op, parts in means.items()}, ["op"], "part", "us")
    drawn = (
        in_rows("parts", len(means), 30)
        .mark_bar()
        .encode(
            x=alt.X("us:Q", title="mean response time (µs)", axis=alt.Axis(format="~s")),
            y=alt.Y("op:N", title=None, sort=list(means)),
            color=colour(_present(columns["part"], PARTS.values()), PART_HUES, "part"),
            order="at:Q",
            tooltip=["op:N", "part:N", alt.Tooltip("us:Q", title="of the mean, µs", format=",.1f")],
        )
    )
    caption = (
        "What a request waits for and what is done for it, on average: of the page of it that finished last. Urgent "
        "collection is what the host's writes had to wait for."
    )
    return Chart("parts", "Parts of the mean response time", caption, finished(drawn)), columns


def tail_chart(parts_of_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Drawn | None:
    """Return the chart of the shares that the parts have in the response times of all requests and of the slowest.

    Of operations that wait for one thing alone there is nothing to see; None if all do.
    """
    several = {op for (op, _), parts in parts_of_requests.items() if sum(map(bool, parts.values())) > 1}
    named = {
        (op, group, f"{op}, {group}", sum(parts.values())): parts
        for (op, group), parts in parts_of_requests.items()
        if op in several
    }
    if not named:
        return None
    columns = _columns(named, ["op", "which", "bar", "total"], "part", "us")
    drawn = (
        in_rows("tail_parts", len(named), 22)
        .mark_bar()
        .encode(
            x=alt.X("us:Q", stack="normalize", title="share of the response time", axis=alt.Axis(format="%")),
            y=alt.Y("bar:N", title=None, sort=list(dict.fromkeys(columns["bar"]))),
            color=colour(_present(columns["part"], PARTS.values()), PART_HUES, "part"),
            order="at:Q",
            tooltip=[
                alt.Tooltip("bar:N", title="of"),
                "part:N",
                alt.Tooltip("us:Q", title="of the mean, µs", format=",.1f"),
                alt.Tooltip("total:Q", title="their mean response time, µs", format=",.1f"),
            ],
        )
    )
    caption = "What the slowest hundredth and thousandth of each operation waited for, beside all of its requests."
    return Chart("tail-parts", "The tail's parts", caption, finished(drawn)), columns


def flash_chart(flash: Mapping[str, Mapping[str, int]]) -> Drawn | None:
    """Return the chart of flash operations by what they were for; None if there were none."""
    pages = {(operation,): by_source for operation, by_source in flash.items() if any(by_source.values())}
    if not pages:
        return None
    columns = _columns(pages, ["operation"], "source", "pages")
    drawn = (
        in_rows("flash", len(pages), 30)
        .mark_bar()
        .encode(
            x=alt.X("pages:Q", title="operations, a page or block each", axis=alt.Axis(format="~s")),
            y=alt.Y("operation:N", title=None, sort=[key for (key,) in pages]),
            color=colour(_present(columns["source"], SOURCE_HUES), SOURCE_HUES, "source"),
            order="at:Q",
            tooltip=["operation:N", "source:N", alt.Tooltip("pages:Q", title="operations", format=",")],
        )
    )
    caption = "Flash operations of each kind, a page or block each, by what they were for."
    return Chart("flash-operations", "What flash worked for", caption, finished(drawn)), columns


def _columns(
    quantities: Mapping[tuple[Any, ...], Mapping[str, float]], keys: list[str], part: str, value: str
) -> dict[str, list[Any]]:
    """Return columns of a row a part that is not 0, and `at`, its place in the order of parts."""
    rows = [
        (*names, name, quantity, rank)
        for names, parts in quantities.items()
        for rank, (name, quantity) in enumerate(parts.items())
        if quantity  # parts of 0 would be entries of the legend
    ]
    return {key: [row[index] for row in rows] for index, key in enumerate([*keys, part, value, "at"])}


def _present(given: list[str], order: Any) -> list[str]:
    return [name for name in order if name in given]  # in the order of parts, whatever comes first in the data
