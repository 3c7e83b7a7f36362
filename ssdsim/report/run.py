"""The page of a run, and the picture of its main charts. Needs altair."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from ssdsim.config import SimulationConfig
from ssdsim.config.keys import keys
from ssdsim.errors import NotRecordedError
from ssdsim.metrics.fields import leaves
from ssdsim.metrics.result import Result
from ssdsim.report import charts
from ssdsim.report.charts import OPERATIONS, bars, lines
from ssdsim.report.comparison import FIELDS, flat
from ssdsim.report.hues import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW
from ssdsim.report.page import CONFIG, UNITS, Cell, Chart, Page, Section, Table, entry, half, save, shown
from ssdsim.report.summary import CLEAN, tables_of, value_of

UNTIMED = "Without flash timing (timing=off) nothing takes time: there are no response times, and nothing over time."
DEFAULT = "All is as without any override."

SLOWEST = {"slowest_1_percent": "slowest 1 %", "slowest_0_1_percent": "slowest 0.1 %"}

PARTS = ("queue", "bus", "array", "collection", "urgent collection", "mapping", "buffer", "link", "processor")
PART_HUES = dict(zip(PARTS, (GREY, SKY, BLUE, GREEN, VERMILION, PURPLE, ORANGE, YELLOW, BLACK), strict=True))
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
CAUSE_HUES = dict(zip(CAUSES, (BLUE, SKY, ORANGE, YELLOW, VERMILION, GREEN, PURPLE, BLACK, GREY), strict=True))
SOURCES = ("host", "gc", "mapping", "backup", "merge", "refresh")
SOURCE_HUES = dict(zip(SOURCES, (GREY, GREEN, PURPLE, ORANGE, VERMILION, SKY), strict=True))

PARTS_TOLD = (
    "What a request waits for and what is done for it, on average: of the page of it that finished last. Urgent "
    "collection is what the host's writes had to wait for."
)
TAIL_TOLD = "What the slowest hundredth and thousandth of each operation waited for, beside all of its requests."

MOVED = {"host_page_writes": "written for the host", "gc_page_moves": "moved by collection"}
RATES = {"reads": "read", "writes": "write"}
OVER_TIME: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("Mean response time", "response time (µs)", {f"{op}_response_us": op for op in ("read", "write")}),
    ("99th percentile of response times", "response time (µs)", {f"{op}_p99_us": op for op in ("read", "write")}),
    ("IOPS", "requests completed (1/s)", RATES),
    ("Bandwidth", "read and written (MiB/s)", {"bandwidth_mib_s": "bandwidth"}),
    ("Queue depth and backlog", "requests", {"queue_depth": "in the device", "backlog": "waiting outside it"}),
    ("Write amplification", "write amplification", {"write_amplification": "write amplification"}),
    ("Host writes and collection", "pages a second (1/s)", MOVED),
    ("Free blocks", "blocks", {"free_blocks": "free blocks"}),
    ("Unused pages by type", "pages", {f"free_{kind}": kind.upper() for kind in ("lsb", "csb", "msb", "tsb")}),
    ("Write buffer", "share taken", {"buffer_utilization": "write buffer"}),
    ("LSB quota", "pages left", {"lsb_quota": "LSB quota"}),
)
"""Charts over time: title, axis, and columns of the series by what they are called."""
OWN_HUES = OPERATIONS | dict(zip(MOVED.values(), (GREY, GREEN), strict=True))


def page(
    result: Result, config: SimulationConfig | None, default: SimulationConfig, repeat: Sequence[str], title: str
) -> Page:
    """Return the page of a run; `config` is None where it cannot be read, and `repeat` are commands that repeat it."""
    summary = result.summary
    loss = summary.get("power_loss")  # what it cost, if there was to be one
    findings = [[Cell(finding["code"], mark="warns"), finding["sentence"]] for finding in summary["validity"]]
    against = Table("What speaks against these numbers", ["code", "finding"], findings)
    sections = [
        Section("Validity", parts=[against]) if findings else Section("Validity", [CLEAN]),
        *([] if summary.get("timing") == "off" else [_response(result)]),
        _parts(summary),
        _over_time(result),
        _device(result, config),
        *([Section("Power loss", parts=[_fields({"power_loss": loss}, "What it cost")])] if loss else []),
        Section("All numbers", parts=[_fields(summary, "Fields of summary.json", folded=True)]),
        configured([config] if config else [], default),
        repeated(repeat, summary),  # last: what nobody reads first
    ]
    alarms = [UNTIMED] if summary.get("timing") == "off" else []
    if summary.get("partial"):
        alarms.append("This run was stopped, or failed, before its end: its numbers are those up to there.")
    if summary.get("error"):
        alarms.append(f"It failed with: {summary['error']}")
    source = (summary.get("workload") or {}).get("path")
    kind = "Run of ssdsim" + (f", {source}" if source else "")
    return Page(title, kind, sections, headline(summary), alarms)


def headline(summary: Mapping[str, Any]) -> list[tuple[str, Cell]]:
    """Return the numbers that come first and are there, with intervals, and what the dictionary has on them."""
    numbers = []
    for name, title in FIELDS.items():
        head, _, last = name.rpartition(".")
        # intervals stand beside the values
        value, interval = value_of(summary, name), value_of(summary, f"{head}_ci95.{last}" if head else f"{name}_ci95")
        op = name.split(".")[1] if name.startswith("requests.") else ""
        # of no request there is a 0 that means nothing
        if value is not None and (not op or summary["requests"][op]["count"]):
            unit = "µs" if entry(name).unit == "us" else ""
            numbers.append((title, Cell(f"{shown(value)}{half(interval)} {unit}".strip(), entry(name).meaning)))
    return numbers


def recorded(result: Result, name: str) -> Any:
    """Return a table of a result, None if it was not recorded, or has no rows."""
    try:
        table = getattr(result, name)
    except NotRecordedError:
        return None
    return table if table.num_rows else None


def latencies(result: Result) -> Chart | None:
    """Return the chart of the distribution of response times; None of a run without."""
    table = recorded(result, "latency")
    if table is None:
        return None
    histograms = {op: charts.distribution([table], op) for op in table["op"].unique().to_pylist()}
    return charts.tails("latency", "Latency distribution", histograms, OPERATIONS)


def _response(result: Result) -> Section:
    tables = [Table(rows[0][0].capitalize(), rows[0], rows[1:]) for rows in tables_of(result.summary)]
    return Section("Response times", ["In microseconds, as in a terminal."], [latencies(result), *tables])


def split(times: Mapping[str, Any]) -> dict[str, float]:
    """Return the parts of a response time, those of `PARTS`, which add up."""
    urgent = times.get("urgent_gc") or 0.0
    # gc has the urgent part within it
    all_times = {**times, "collection": (times.get("gc") or 0.0) - urgent, "urgent collection": urgent}
    return {part: all_times.get(part) or 0.0 for part in PARTS}


def blamed(blame: Mapping[str, float]) -> dict[str, float]:
    """Return the blame of response times by the names in `CAUSES`."""
    return {name: sum(blame[cause] for cause in causes) for name, causes in CAUSES.items()}


def _parts(summary: Mapping[str, Any]) -> Section:
    means: dict[str, dict[str, float]] = {}
    of_slowest, blame = dict(means), dict(means)
    for op, served in summary["requests"].items():
        times = served.get("response_us") or {}
        if not served["count"] or not times.get("mean") or "queue" not in times:
            continue
        means[op] = split(times)
        tail = {f"{op}, {name}": served["tail"][key] for key, name in SLOWEST.items() if key in served.get("tail", ())}
        of_slowest |= {f"{op}, all": means[op]} | {name: split(slowest) for name, slowest in tail.items()}
        if "blame_us" in served:
            blame |= {f"{op}, all": blamed(served["blame_us"])}
            blame |= {name: blamed(slowest["blame_us"]) for name, slowest in tail.items()}
    flash = {name: by_source for name, by_source in (summary.get("flash") or {}).items() if any(by_source.values())}
    us, share = "mean response time (µs)", "share of the response time"
    drawn = [
        bars(("parts", "Parts of the mean response time", PARTS_TOLD), means, PART_HUES, us),
        bars(("tail-parts", "The tail's parts", TAIL_TOLD), of_slowest, PART_HUES, share, True),
        bars(("blame", "Blame", "What held requests up, nanosecond by nanosecond."), blame, CAUSE_HUES, share, True),
        bars(("flash-operations", "What flash worked for", "A page or block each."), flash, SOURCE_HUES, "operations"),
    ]
    return Section("Where time went", parts=drawn)


def over_time(columns: Mapping[str, Any]) -> dict[str, Chart]:
    """Return the charts of the time series by their titles, without such as would be empty."""
    made = {}
    for title, axis, series in OVER_TIME:
        meanings = {label: entry(column, "timeseries").meaning for column, label in series.items()}
        several = len(set(meanings.values())) > 1
        meanings |= {"": "Told by the second."} if "(1/s)" in axis else {}
        told = [f"{label.capitalize()}: " * bool(several and label) + meaning for label, meaning in meanings.items()]
        about = (f"{title.lower().replace(' ', '-')}-over-time", title, " ".join(dict.fromkeys(told)))
        known = ((label, columns[column]) for column, label in series.items() if column in columns)
        courses = {label: (columns["middle_s"], values) for label, values in known}
        if chart := lines(about, axis, courses, OWN_HUES, log="response time" in axis):
            made[title] = chart
    return made


def _over_time(result: Result) -> Section:
    series = recorded(result, "timeseries")
    if series is None:
        return Section("Over time")
    columns = charts.binned(series)
    drawn: list[Chart | None] = list(over_time(columns).values())
    width_s = 2 * columns["middle_s"][0]
    note = f"By {width_s:,.4g} s: rates and means over these, and of percentiles the largest of their windows."
    return Section("Over time", [note], drawn)


def _device(result: Result, config: SimulationConfig | None) -> Section:
    title, wear = "Device", result.summary["wear"]
    if config is None:
        return Section(title, ["Its maps need the configuration, which cannot be read."])
    notes = [f"Erases of a block: {shown(wear['mean'])} on average, {shown(wear['max'])} at most."]
    channels = config.hardware.channels
    maps = []
    if dies := result.summary["utilization"]["die"]:
        about = ("dies", "Busy dies", entry("utilization.die").meaning)
        maps.append(charts.device_map(about, dies, channels, "share of the time", "die of the channel"))
    return Section(title, notes, maps)


def _fields(summary: Mapping[str, Any], caption: str, folded: bool = False) -> Table:
    """Return the fields of a summary, or of a part of it, with their units and what they mean."""
    rows = []
    for name, value in leaves({key: content for key, content in summary.items() if key not in ("validity", "rounds")}):
        try:
            field = entry(name)
        except KeyError:
            continue  # of an older version
        rows.append([name, shown(value), UNITS.get(field.unit, field.unit), field.meaning])
    return Table(caption, ["field", "value", "unit", "meaning"], rows, folded)


def configured(configs: Sequence[SimulationConfig], default: SimulationConfig) -> Section:
    """Return the section on what differs in the configuration of runs from the default, or among them."""
    title = "Configuration"
    if not configs:
        return Section(title, ["config.yaml is missing, or is not one that this version can read."])
    every = [flat(config) for config in (*configs, default)]
    meanings = {key.name: key.meaning for key in keys()}
    rows: list[list[str | Cell]] = []
    for key in dict.fromkeys(key for config in every for key in config):
        *told, before = (json.dumps(config[key], default=str).strip('"') if key in config else "-" for config in every)
        if (values := list(dict.fromkeys(told))) != [before]:
            # keys of any stream have the meaning of the main one's
            meaning = meanings.get(re.sub(r"^workloads\.[^.]+", "workload", key), "")
            rows.append([Cell(key, meaning), Cell(" | ".join(values), mark="differs" * (len(values) > 1)), before])
    caption = "What is not as without any override; where runs differ, all of their values, which are marked"
    return (
        Section(title, parts=[Table(caption, ["key", "value", "default"], rows)]) if rows else Section(title, [DEFAULT])
    )


def repeated(commands: Sequence[str], summary: Mapping[str, Any] | None = None) -> Section:
    """Return the section on what repeats the results, and on what they were made with."""
    notes = []
    if summary:
        versions = ", ".join(f"{name} {version}" for name, version in (summary.get("versions") or {}).items())
        notes = [
            f"Seed {summary.get('seed')}; configuration {summary.get('config_hash')}; {versions}; "
            f"{shown(value_of(summary, 'simulator.wall_s'))} s of the machine's time."
        ]
    return Section("To repeat it", notes, commands)


def overview(result: Result, path: str | Path) -> None:
    """Write the picture of a run to `path`: response times, throughput, latency distribution, and collection."""
    series = recorded(result, "timeseries")
    drawn_over_time = over_time(charts.binned(series, 160)) if series is not None else {}
    panels = [drawn_over_time.get(title) for title in ("Mean response time", "IOPS")]
    panels += [latencies(result), drawn_over_time.get("Host writes and collection")]
    drawn = [{**panel.picture(), "width": 420, "height": 230} for panel in panels if panel]
    for panel in drawn:  # which the picture has as a whole
        for key in ("config", "$schema", "autosize", "description"):
            panel.pop(key, None)
    numbers = ", ".join(f"{name} {value}" for name, value in result.headline().items())
    source = (result.summary.get("workload") or {}).get("path")
    title = f"{Path(source).name}: {numbers}" if source else numbers
    whole = {"concat": drawn, "columns": 2, "title": title, "resolve": {"scale": {"color": "independent"}}}
    save({"$schema": alt.SCHEMA_URL, **whole, "config": CONFIG | {"background": "white"}}, Path(path))
