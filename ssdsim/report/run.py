"""The page of a run, and the picture of its main charts. Needs altair."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pyarrow as pa
import vl_convert

from ssdsim.config import SimulationConfig
from ssdsim.errors import NotRecordedError
from ssdsim.metrics.result import Result
from ssdsim.report import charts
from ssdsim.report.comparison import FIELDS, differences, entry
from ssdsim.report.page import CONFIG, Chart, Page, Section
from ssdsim.report.summary import CLEAN, PARTS, tables_of, value_of, words
from ssdsim.report.text import Cell, TextTable, half, number

UNTIMED = "Without flash timing (timing=off) nothing takes time: there are no response times, and nothing over time."

OVER_TIME: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("Mean response time", "response time (µs)", {f"{op}_response_us": op for op in ("read", "write")}),
    ("99th percentile of response times", "response time (µs)", {f"{op}_p99_us": op for op in ("read", "write")}),
    ("IOPS", "requests completed (1/s)", {"reads": "read", "writes": "write"}),
    ("Bandwidth", "read and written (MiB/s)", {"bandwidth_mib_s": "bandwidth"}),
    ("Queue depth and backlog", "requests", {"queue_depth": "in the device", "backlog": "waiting outside it"}),
    ("Write amplification", "write amplification", {"write_amplification": "write amplification"}),
    ("Host writes and collection", "pages (1/s)", {"host_page_writes": "host", "gc_page_moves": "collection"}),
    ("Free blocks", "blocks", {"free_blocks": "free blocks"}),
    ("Unused pages by type", "pages", {f"free_{kind}": kind.upper() for kind in ("lsb", "csb", "msb", "tsb")}),
    ("Write buffer", "share taken", {"buffer_utilization": "write buffer"}),
    ("LSB quota", "pages left", {"lsb_quota": "LSB quota"}),
)
"""Charts over time: title, axis, and columns of the series by what they are called."""

IN_PICTURE = ("Mean response time", "IOPS", "Latency distribution", "Host writes and collection")


def page(
    result: Result, configs: Sequence[SimulationConfig], default: SimulationConfig, repeat: Sequence[str], title: str
) -> Page:
    """Return the page of a run; `configs` has its configuration if it can be read, `repeat` commands that repeat it."""
    summary = result.summary
    findings = [[Cell(finding["code"], mark="warns"), finding["sentence"]] for finding in summary["validity"]]
    against = TextTable("code", "finding", rows=findings, title="What speaks against these numbers")
    is_untimed = summary.get("timing") == "off"
    times = Section("Response times", ["In microseconds, as in a terminal."], [_latencies(result), *tables_of(summary)])
    versions = ", ".join(f"{name} {version}" for name, version in (summary.get("versions") or {}).items())
    made_with = f"Seed {summary.get('seed')}; configuration {summary.get('config_hash')}; {versions}."
    sections = [
        Section("Validity", parts=[against]) if findings else Section("Validity", [CLEAN]),
        *([] if is_untimed else [times]),
        Section("Where time went", parts=_parts(summary)),
        Section("Over time", parts=[*_over_time(result).values()]),
        Section("Device", parts=_maps(result)),
        configured(configs, default),
        Section("To repeat it", [made_with], repeat),
    ]
    alarms = [UNTIMED] if is_untimed else []
    if summary.get("partial"):
        alarms.append("This run was stopped, or failed, before its end: its numbers are those up to there.")
    if summary.get("error"):
        alarms.append(f"It failed with: {summary['error']}")
    source = value_of(summary, "workload.path")
    return Page(title, "Run of ssdsim" + (f", {source}" if source else ""), sections, headline(summary), alarms)


def headline(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the numbers that come first, with their intervals, by their titles."""
    numbers = {}
    for name, title in FIELDS.items():
        value = value_of(summary, name)
        # of no request there is a 0 that means nothing
        if value is not None and value_of(summary, f"{'.'.join(name.split('.')[:2])}.count") != 0:
            head, _, last = name.rpartition(".")
            interval = value_of(summary, f"{head}_ci95.{last}")
            unit = " µs" if entry(name).unit == "us" else ""
            numbers[title] = Cell(f"{number(value, 4)}{half(*interval or (None, None))}{unit}", entry(name).meaning)
    return dict(numbers)


def recorded(result: Result, name: str) -> pa.Table | None:
    """Return a table of a result, None if it was not recorded, or has no rows."""
    try:
        table = getattr(result, name)
    except NotRecordedError:
        return None
    return table if table.num_rows else None


def _latencies(result: Result) -> Chart | None:
    table = recorded(result, "latency")
    if table is None:
        return None
    tables = {op: [table] for op in table["op"].unique().to_pylist()}
    return charts.tails("Latency distribution", tables, own=charts.OPERATIONS)


def _parts(summary: Mapping[str, Any]) -> list[Chart | None]:
    parts, blame = {}, {}
    for op, served in summary["requests"].items():
        times = served["response_us"]
        if served["count"] and "gc" in times:
            # gc has its urgent part within it
            split = times | {"gc": (times["gc"] or 0) - (times["urgent_gc"] or 0)}
            parts[op] = {title.strip(): split.get(key) or 0.0 for title, key in PARTS.items()}
            blame[op] = {words(cause): us for cause, us in served.get("blame_us", {}).items()}
    flash = {name: sources for name, sources in (summary.get("flash") or {}).items() if any(sources.values())}
    return [
        charts.bars("Parts of response times", "What the requests of each operation waited for.", parts),
        charts.bars("Blame", "What held them up, nanosecond by nanosecond.", blame),
        charts.bars("What flash worked for", "Pages read, programmed and copied, and blocks erased.", flash),
    ]


def _over_time(result: Result, most: int = charts.MOST_POINTS) -> dict[str, Chart]:
    """Return the charts of the time series by their titles, without such as would be empty."""
    series, made = recorded(result, "timeseries"), {}
    columns = charts.binned(series, most) if series is not None else {}
    for title, axis, labels in OVER_TIME:
        courses = {label: (columns["middle_s"], columns[name]) for name, label in labels.items() if name in columns}
        if chart := charts.lines(title, axis, courses, log="response time" in axis):
            made[title] = chart
    return made


def _maps(result: Result) -> list[Chart]:
    used = result.summary["utilization"]
    # not known without timing
    return [charts.device_map("Busy dies", used["die"], len(used["channel"]))] if used["channel"] else []


def configured(configs: Sequence[SimulationConfig], default: SimulationConfig) -> Section:
    """Return the section on what differs in the configuration of runs from the default, or among them."""
    title = "Configuration"
    if not configs:
        return Section(title, ["config.yaml is missing, or is not one that this version can read."])
    caption = "What is not as without any override; where runs differ, all of their values, which are marked"
    table = TextTable("key", "value", "default", title=caption)
    for key, values in differences([*configs, default]).items():
        *told, before = (json.dumps(value, default=str).strip('"') for value in values)
        several = dict.fromkeys(told)
        table.add_row(key, Cell(" | ".join(several), mark="differs" * (len(several) > 1)), before)
    return Section(title, parts=[table]) if table.rows else Section(title, ["All is as without any override."])


def overview(result: Result, path: Path) -> None:
    """Write the picture of a run to `path`: response times, throughput, latency distribution, and collection."""
    drawn = {**_over_time(result, 160), "Latency distribution": _latencies(result)}
    panels = []
    for chart in filter(None, map(drawn.get, IN_PICTURE)):
        # the picture as a whole has these
        spec = {key: part for key, part in chart.spec.items() if key not in ("$schema", "autosize")}
        panels.append({**spec, "title": chart.title, "width": 420, "height": 230})
    numbers = ", ".join(f"{name} {value}" for name, value in result.headline().items())
    source = value_of(result.summary, "workload.path")
    title = f"{Path(source).name}: {numbers}" if source else numbers
    whole = {"concat": panels, "columns": 2, "title": title, "resolve": {"scale": {"color": "independent"}}}
    spec = {"$schema": alt.SCHEMA_URL, **whole, "config": CONFIG | {"background": "white"}}
    path.write_bytes(vl_convert.vegalite_to_png(spec, scale=1.5))
