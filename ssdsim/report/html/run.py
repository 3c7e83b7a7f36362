"""The page of a run."""

from collections.abc import Mapping, Sequence
from typing import Any

from ssdsim.config import SimulationConfig
from ssdsim.errors import NotRecordedError
from ssdsim.metrics.result import Result
from ssdsim.report.html import configuration, course, device, figures, latency, parts
from ssdsim.report.html.page import Chart, Columns, Command, Page, Section, Table
from ssdsim.report.html.theme import OPERATIONS
from ssdsim.report.tables import CLEAN

UNTIMED = "Without flash timing (timing=off) nothing takes time: there are no {}."
NO_TABLE = "The run was stopped before it wrote this."

Data = dict[str, Columns]

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
    summary, data = result.summary, Data()
    sections = [
        _validity(summary),
        _response(result, data),
        _parts(summary, data),
        _over_time(result, data),
        _device(result, config, data),
        *_power_loss(summary),
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
    return Page(title, kind, sections, data, figures.headline(summary), alarms)


def _validity(summary: Mapping[str, Any]) -> Section:
    title, findings = "Validity", summary["validity"]
    return Section(title, parts=[figures.validity_notes(findings)]) if findings else Section(title, [CLEAN])


def table(result: Result, name: str) -> Any:
    """Return a table of a result, None if it was not recorded, or has no rows."""
    try:
        recorded = getattr(result, name)
    except NotRecordedError:
        return None
    return recorded if recorded.num_rows else None


def _response(result: Result, data: Data) -> Section:
    title, summary = "Response times", result.summary
    times = figures.response_table(summary["requests"])
    if times is None:
        told = UNTIMED.format("response times") if summary.get("timing") == "off" else "No request was completed."
        return Section(title, [told])
    made: list[Chart | Table | Command] = []
    histogram = table(result, "latency")
    if histogram is not None:
        histograms = {op: latency.distribution(histogram, op) for op in dict.fromkeys(histogram["op"].to_pylist())}
        made += keep(latency.tail_chart(*LATENCY, "latency", histograms, OPERATIONS), data)
        made += keep(latency.histogram_chart(*HISTOGRAM, "histogram", histograms, OPERATIONS), data)
    by_stream = summary.get("streams") or {}
    further = [
        figures.classes_table("Response times in µs by stream", "stream", by_stream) if len(by_stream) > 1 else None,
        figures.classes_table("Response times in µs by size of request", "size", summary.get("sizes")),
    ]
    return Section(title, parts=[*made, times, *(classes for classes in further if classes is not None)])


def keep(drawn: tuple[Chart, Columns] | None, data: Data) -> list[Chart]:
    """Put the columns of a chart with the others, under the name that it has for them; return the chart, if any."""
    if drawn is None:
        return []
    chart, columns = drawn
    data[chart.spec["data"]["name"]] = columns  # charts of one series share its columns
    return [chart]


def _parts(summary: Mapping[str, Any], data: Data) -> Section:
    by_requests = parts.of_requests(summary)
    flash = keep(parts.flash_chart(summary.get("flash") or {}), data)
    if not by_requests:
        told = (
            UNTIMED.format("parts of response times") if summary.get("timing") == "off" else "No request took any time."
        )
        return Section("Where time went", [told], flash)
    drawn = [*keep(parts.mean_chart(by_requests), data), *keep(parts.tail_chart(by_requests), data)]
    return Section("Where time went", parts=[*drawn, *flash, figures.parts_table(by_requests)])


def _over_time(result: Result, data: Data) -> Section:
    series = table(result, "timeseries")
    if series is None:
        untimed = result.summary.get("timing") == "off"
        return Section("Over time", [UNTIMED.format("windows of time") if untimed else NO_TABLE])
    columns = course.columns(series)
    streams = course.by_stream(table(result, "timeseries_by_stream"))
    columns |= {column: values for stream_columns in streams.values() for column, values in stream_columns.items()}
    charts = [*course.charts(columns), *course.stream_charts(columns, list(streams))]
    # columns that no chart draws would only make the page larger
    drawn = {name for chart in charts for name in columns if f'"{name}"' in str(chart.spec).replace("'", '"')}
    data["timeseries"] = {name: columns[name] for name in columns if name in drawn | {"time_s", "end_s", "middle_s"}}
    by_channel = table(result, "timeseries_by_channel")
    if by_channel is not None:
        charts += keep(course.channel_map(by_channel, columns["window_s"][0]), data)
    note = f"By windows of {columns['window_s'][0]:,.4g} s. Begin and end are set for all charts of this part at once."
    return Section("Over time", [note], charts, over_time=True)


def _device(result: Result, config: SimulationConfig | None, data: Data) -> Section:
    title = "Device"
    if config is None:
        return Section(title, ["Its maps need the configuration, which cannot be read."])
    maps = [device.die_map(result.summary["utilization"]["die"], config.hardware)]
    planes = table(result, "planes")
    if planes is not None:
        maps += device.plane_maps(planes, config.hardware)
    charts = [chart for drawn in maps for chart in keep(drawn, data)]
    # a run without flash timing has no map of dies
    missing = [UNTIMED.format("times in which dies were busy")] * (maps[0] is None)
    wear = result.summary["wear"]
    told = f"Erases of a block: {figures.shown(wear['mean'])} on average, {figures.shown(wear['max'])} at most."
    return Section(title, [told, *missing], charts)


def _power_loss(summary: Mapping[str, Any]) -> list[Section]:
    """Return the section on what a loss of power cost, if there was to be one."""
    loss = summary.get("power_loss")
    return [Section("Power loss", parts=[figures.fields_table({"power_loss": loss}, "What it cost")])] if loss else []


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
        took = figures.value_of(summary, "simulator.wall_s")
        notes = [
            f"Seed {summary.get('seed')}; configuration {summary.get('config_hash')}; {versions}; "
            f"{figures.shown(took)} s of the machine's time."
        ]
    return Section("To repeat it", notes, [Command(line) for line in commands])
