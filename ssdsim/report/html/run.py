"""The page of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.errors import NotRecordedError
from ssdsim.metrics.result import Result
from ssdsim.report.html import configuration, course, device, figures, latency, parts
from ssdsim.report.html.page import Chart, Page, Section, Table
from ssdsim.report.html.theme import OPERATIONS
from ssdsim.report.summary import CLEAN, value_of

UNTIMED = "Without flash timing (timing=off) nothing takes time: there are no {}."
NO_TABLE = "The run was stopped before it wrote this."

LATENCY = ("latency", "Latency distribution", latency.TOLD)
HISTOGRAM = (
    "latency-histogram",
    "Histogram of response times",
    "How large a share of the requests of each operation lies in each bin; twenty bins are a factor of ten.",
)


def page(
    result: Result, config: SimulationConfig | None, default: SimulationConfig, repeat: Sequence[str], title: str
) -> Page:
    """Return the page of a run; `config` is None where it cannot be read, and `repeat` are commands that repeat it."""
    summary = result.summary
    loss = summary.get("power_loss")  # what it cost, if there was to be one
    sections = [
        validity(figures.validity_notes(summary["validity"]) if summary["validity"] else None),
        _response(result),
        _parts(summary),
        _over_time(result),
        _device(result, config),
        *([Section("Power loss", parts=[figures.fields_table({"power_loss": loss}, "What it cost")])] if loss else []),
        Section("All numbers", parts=[figures.fields_table(summary, "Fields of summary.json", folded=True)]),
        configured([config] if config else [], default),
        repeated(repeat, summary),  # last: what nobody reads first
    ]
    alarms = []
    if summary.get("partial"):
        alarms.append("This run was stopped, or failed, before its end: its numbers are those up to there.")
    if summary.get("error"):
        alarms.append(f"It failed with: {summary['error']}")
    source = (summary.get("workload") or {}).get("path")
    kind = "Run of ssdsim" + (f", {source}" if source else "")
    return Page(title, kind, sections, figures.headline(summary), alarms)


def validity(findings: Table | None) -> Section:
    """Return the section on what speaks against the numbers, if anything does."""
    return Section("Validity", parts=[findings]) if findings else Section("Validity", [CLEAN])


def recorded(result: Result, name: str) -> Any:
    """Return a table of a result, None if it was not recorded, or has no rows."""
    try:
        table = getattr(result, name)
    except NotRecordedError:
        return None
    return table if table.num_rows else None


def _untimed(summary: Mapping[str, Any], missing: str, otherwise: str) -> str:
    """Return why there is nothing to show: the run was without flash timing, or `otherwise`."""
    return UNTIMED.format(missing) if summary.get("timing") == "off" else otherwise


def _response(result: Result) -> Section:
    title, summary = "Response times", result.summary
    times = figures.response_table(summary["requests"])
    if times is None:
        return Section(title, [_untimed(summary, "response times", "No request was completed.")])
    charts: list[Chart | None] = []
    histogram = recorded(result, "latency")
    if histogram is not None:
        histograms = {op: latency.distribution(histogram, op) for op in dict.fromkeys(histogram["op"].to_pylist())}
        charts = [
            latency.tail_chart(*LATENCY, "latency", histograms, OPERATIONS),
            latency.histogram_chart(*HISTOGRAM, "histogram", histograms, OPERATIONS),
        ]
    by_stream = summary.get("streams") or {}
    classes = [
        figures.classes_table("Response times in µs by stream", "stream", by_stream) if len(by_stream) > 1 else None,
        figures.queues_table(summary),
        figures.classes_table("Response times in µs by size of request", "size", summary.get("sizes")),
    ]
    return Section(title, parts=[*charts, times, *classes])


def _parts(summary: Mapping[str, Any]) -> Section:
    title, by_requests = "Where time went", parts.of_requests(summary)
    flash = parts.flash_chart(summary.get("flash") or {})
    if not by_requests:
        return Section(title, [_untimed(summary, "parts of response times", "No request took any time.")], [flash])
    blame = parts.blame_chart(parts.blamed(summary))
    drawn = [parts.mean_chart(by_requests), parts.tail_chart(by_requests), blame, flash]
    return Section(title, parts=[*drawn, figures.parts_table(by_requests)])


def _over_time(result: Result) -> Section:
    series, by_channel = recorded(result, "timeseries"), recorded(result, "timeseries_by_channel")
    if series is None:
        return Section("Over time", [_untimed(result.summary, "windows of time", NO_TABLE)])
    columns = course.columns(series)
    streams = course.by_stream(recorded(result, "timeseries_by_stream"))
    columns |= {column: values for stream_columns in streams.values() for column, values in stream_columns.items()}
    charts: list[Any] = course.charts(columns, list(streams))
    if by_channel is not None:
        charts.append(course.channel_map(by_channel, columns["window_s"][0]))
    note = f"By windows of {columns['window_s'][0]:,.4g} s. Begin and end are set for all charts of this part at once."
    return Section("Over time", [note], charts, over_time=True)


def _device(result: Result, config: SimulationConfig | None) -> Section:
    title, wear = "Device", result.summary["wear"]
    if config is None:
        return Section(title, ["Its maps need the configuration, which cannot be read."])
    dies, planes = device.die_map(result.summary["utilization"]["die"], config.hardware), recorded(result, "planes")
    notes = [f"Erases of a block: {figures.shown(wear['mean'])} on average, {figures.shown(wear['max'])} at most."]
    if dies is None:  # a run without flash timing has none
        notes.append(UNTIMED.format("times in which dies were busy"))
    return Section(title, notes, [dies, *(device.plane_maps(planes, config.hardware) if planes is not None else [])])


def configured(configs: Sequence[SimulationConfig], default: SimulationConfig) -> Section:
    """Return the section on the configuration of runs."""
    if not configs:
        return Section("Configuration", ["config.yaml is missing, or is not one that this version can read."])
    return Section("Configuration", parts=[configuration.table(configs, default)])


def repeated(commands: Sequence[str], summary: Mapping[str, Any] | None = None) -> Section:
    """Return the section on what repeats the results, and on what they were made with."""
    notes = []
    if summary:
        versions = ", ".join(f"{name} {version}" for name, version in (summary.get("versions") or {}).items())
        took = value_of(summary, "simulator.wall_s")
        notes = [
            f"Seed {summary.get('seed')}; configuration {summary.get('config_hash')}; {versions}; "
            f"{figures.shown(took)} s of the machine's time."
        ]
    return Section("To repeat it", notes, commands)
