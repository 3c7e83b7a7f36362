"""Where time went: the parts of response times, of all requests and of the slowest, and what flash worked for."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from ssdsim.report.html.page import Chart
from ssdsim.report.html.theme import colour, finished, in_columns, in_rows
from ssdsim.report.hues import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW

PARTS = {
    "queue": "queue",
    "bus": "bus",
    "array": "array",
    "background_gc": "collection",
    "urgent_gc": "urgent collection",
    "mapping": "mapping",
    "buffer": "buffer",
    "link": "link",
    "processor": "processor",
}
"""What is shown of a response time, by what it is called; `background_gc` is what of gc was not urgent."""

PART_HUES = dict(zip(PARTS.values(), [GREY, SKY, BLUE, GREEN, VERMILION, PURPLE, ORANGE, YELLOW, BLACK], strict=True))

CAUSES = {
    "own work": ("array", "transfer", "dram", "link", "processor"),
    "own reads": ("own_reads",),
    "own writes": ("own_writes",),
    "others' reads": ("other_reads",),
    "others' writes": ("other_writes",),
    "collection, room": ("collection", "room"),
    "mapping, backup": ("mapping", "backup"),
    "bus": ("bus",),
    "its turn, interrupt": ("order", "interrupt"),
}
"""What response times are blamed on, by what it is called: the causes of each."""

CAUSE_HUES = dict(
    zip(CAUSES, [BLUE, SKY, ORANGE, YELLOW, VERMILION, GREEN, PURPLE, BLACK, GREY], strict=True),
)

SLOWEST = {"slowest_1_percent": "slowest 1 %", "slowest_0_1_percent": "slowest 0.1 %"}
SOURCE_HUES = dict(
    zip(
        ("host", "gc", "mapping", "backup", "merge", "refresh"),
        [GREY, GREEN, PURPLE, ORANGE, VERMILION, SKY],
        strict=True,
    )
)


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


def blamed(summary: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the blame by operation and which of its requests, by the names in `CAUSES`; empty if not recorded."""
    by_group = {}
    for op, served in summary["requests"].items():
        if served["count"] and served["response_us"]["mean"] and "blame_us" in served:
            by_group[op, "all"] = served["blame_us"]
            by_group |= {(op, shown): served["tail"][key]["blame_us"] for key, shown in SLOWEST.items()}
    return {
        group: {shown: sum(blame[cause] for cause in causes) for shown, causes in CAUSES.items()}
        for group, blame in by_group.items()
    }


def mean_chart(parts_of_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Chart:
    """Return the chart of the parts of the mean response time by operation."""
    means = {(op,): parts for (op, group), parts in parts_of_requests.items() if group == "all"}
    caption = (
        "What a request waits for and what is done for it, on average: of the page of it that finished last. Urgent "
        "collection is what the host's writes had to wait for."
    )
    x = alt.X("us:Q", title="mean response time (µs)", axis=alt.Axis(format="~s"))
    tooltip = ["op:N", "part:N", alt.Tooltip("us:Q", title="of the mean, µs", format=",.1f")]
    spec, columns = _bars("parts", means, ["op"], "part", "us", x, PART_HUES, tooltip, 30)
    return Chart("parts", "Parts of the mean response time", caption, spec, columns)


def tail_chart(parts_of_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Chart | None:
    """Return the chart of the shares that the parts have in the response times of all requests and of the slowest."""
    caption = "What the slowest hundredth and thousandth of each operation waited for, beside all of its requests."
    return _shares("tail-parts", "The tail's parts", caption, parts_of_requests, "part", PART_HUES)


def blame_chart(causes_of_requests: Mapping[tuple[str, str], Mapping[str, float]]) -> Chart | None:
    """Return the chart of the blame of all requests and of the slowest."""
    caption = "What response times are blamed on: each of their nanoseconds on what held the request up."
    return _shares("blame", "Blame", caption, causes_of_requests, "cause", CAUSE_HUES)


def _shares(
    name: str,
    title: str,
    caption: str,
    parts_of_requests: Mapping[tuple[str, str], Mapping[str, float]],
    part: str,
    hues: Mapping[str, str],
) -> Chart | None:
    """Return a bar of shares for all requests of each operation and for the slowest.

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
    x = alt.X("us:Q", stack="normalize", title="share of the response time", axis=alt.Axis(format="%"))
    tooltip = [
        alt.Tooltip("bar:N", title="of"),
        f"{part}:N",
        alt.Tooltip("us:Q", title="of the mean, µs", format=",.1f"),
        alt.Tooltip("total:Q", title="their mean response time, µs", format=",.1f"),
    ]
    table, keys = name.replace("-", "_"), ["op", "which", "bar", "total"]
    spec, columns = _bars(table, named, keys, part, "us", x, hues, tooltip, 22)
    return Chart(name, title, caption, spec, columns)


def flash_chart(flash: Mapping[str, Mapping[str, int]]) -> Chart | None:
    """Return the chart of flash operations by what they were for; None if there were none."""
    pages = {(operation,): by_source for operation, by_source in flash.items() if any(by_source.values())}
    if not pages:
        return None
    x = alt.X("pages:Q", title="operations, a page or block each", axis=alt.Axis(format="~s"))
    tooltip = ["operation:N", "source:N", alt.Tooltip("pages:Q", title="operations", format=",")]
    spec, columns = _bars("flash", pages, ["operation"], "source", "pages", x, SOURCE_HUES, tooltip, 30)
    caption = "Flash operations of each kind, a page or block each, by what they were for."
    return Chart("flash-operations", "What flash worked for", caption, spec, columns)


def _bars(
    name: str,
    quantities: Mapping[tuple[Any, ...], Mapping[str, float]],
    keys: list[str],
    part: str,
    value: str,
    x: alt.X,
    hues: Mapping[str, str],
    tooltip: list[Any],
    step: int,
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return a bar for each of `quantities`, made of parts by hue, `step` pixels high, and its columns.

    The bar is named by the column "bar" if there is one, else by the first of `keys`.
    """
    rows = [
        (*names, kind, quantity, rank)
        for names, parts in quantities.items()
        for rank, (kind, quantity) in enumerate(parts.items())
        if quantity  # parts of 0 would be entries of the legend
    ]
    columns = in_columns(rows, *keys, part, value, "at")
    bar = "bar" if "bar" in keys else keys[0]
    y = alt.Y(f"{bar}:N", title=None, sort=[names[keys.index(bar)] for names in quantities])
    present = [kind for kind in hues if kind in columns[part]]
    drawn = in_rows(name, len(quantities), step).mark_bar()
    return finished(drawn.encode(x, y, colour(present, hues, part), order="at:Q", tooltip=tooltip)), columns
