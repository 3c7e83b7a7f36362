"""Charts over simulated time, made of the windows of the time series; a page sets the window of all of them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from ssdsim.report.html.page import Chart, Columns
from ssdsim.report.html.theme import HEIGHT, HUES, OPERATIONS, chart, colour, entry, finished, heat, in_rows, titled
from ssdsim.report.hues import GREEN, GREY

TIME = "simulated time (s)"
SHOWN = "datum.end_s > begin && datum.time_s < end"

ALONE = "isValid(datum.value) && !isValid(datum.before) && !isValid(datum.after)"
"""A value whose neighbours there are none of, so that no line leads to it."""

MOST_STREAMS = len(HUES)
"""More lines could not be told apart."""

BY_STREAM = {
    "iops": ("IOPS", "requests completed (1/s)"),
    "read_p99_us": ("99th percentile of reads", "response time (µs)"),
    "write_p99_us": ("99th percentile of writes", "response time (µs)"),
}
"""Columns of the series by stream that are drawn, with the titles of chart and axis."""

MOST_CELLS = 4096
WIDEST = 256
"""Cells of a map over time, in all and in a row; of more windows neighbours are told together, by their mean."""


def columns(series: pa.Table) -> dict[str, list[Any]]:
    """Return the columns of the time series, and rates that it has by the window."""
    series_columns = series.to_pydict()
    windows = list(zip(series_columns["time_s"], series_columns["window_s"], strict=True))
    series_columns["end_s"] = [begin + width for begin, width in windows]
    series_columns["middle_s"] = [begin + width / 2 for begin, width in windows]
    for name in ("reads", "writes", "host_page_writes", "gc_page_moves"):
        # counts of a window over its seconds
        series_columns[f"{name}_a_second"] = [
            n / width for n, (_, width) in zip(series_columns[name], windows, strict=True)
        ]
    return series_columns


@frozen
class Plot:
    """A chart over time of the columns `series`, by what each is called there.

    Without a caption it is said what the dictionary has on them, and their unit is on the axis.
    """

    name: str
    title: str
    axis: str
    series: Mapping[str, str]
    caption: str = ""
    hues: Mapping[str, str] | None = None
    log: bool = False


MOVED = {"host_page_writes_a_second": "written for the host", "gc_page_moves_a_second": "moved by collection"}

PLOTS = (
    *(
        Plot(
            *(f"{key}-over-time", title, "response time (µs)", {f"{op}_{key}_us": op for op in ("read", "write")}),
            hues=OPERATIONS,
            log=True,
        )
        for key, title in (("response", "Mean response time"), ("p99", "99th percentile of response times"))
    ),
    Plot(
        *("iops-over-time", "IOPS", "requests completed (1/s)", {"reads_a_second": "read", "writes_a_second": "write"}),
        "Reads and writes completed a second, by window.",
        hues=OPERATIONS,
    ),
    Plot("bandwidth-over-time", "Bandwidth", "read and written", {"bandwidth_mib_s": "bandwidth"}),
    Plot(
        *("queue-over-time", "Queue depth and backlog", "requests"),
        {"queue_depth": "in the device", "backlog": "waiting outside it"},
    ),
    Plot(
        *("write-amplification-over-time", "Write amplification", "write amplification"),
        {"write_amplification": "write amplification"},
    ),
    Plot(
        *("collection-over-time", "Host writes and collection", "pages a second (1/s)", MOVED),
        "Pages of the host's data written to flash, and valid pages that collection moved, a second.",
        hues=dict(zip(MOVED.values(), (GREY, GREEN), strict=True)),
    ),
    Plot("free-blocks-over-time", "Free blocks", "free", {"free_blocks": "free blocks"}),
    Plot(
        *("free-pages-over-time", "Unused pages by type", "unused"),
        {f"free_{kind}": kind.upper() for kind in ("lsb", "csb", "msb", "tsb")},
    ),
    Plot("buffer-over-time", "Write buffer", "taken", {"buffer_utilization": "write buffer"}),
    Plot("lsb-quota-over-time", "LSB quota", "left", {"lsb_quota": "LSB quota"}),
)


def charts(series_columns: Columns, streams: Sequence[str] = ()) -> list[Chart]:
    """Return the charts of the time series, and those with a line a stream, without such as would be empty.

    They share the columns that one of them is drawn of.
    """
    plots = [*PLOTS]
    for column, (title, axis) in BY_STREAM.items() if streams else ():
        series = {f"stream{place}_{column}": name for place, name in enumerate(streams)}
        caption = entry(column, "timeseries_by_stream").meaning
        name = f"{column.replace('_', '-')}-by-stream"
        plots.append(Plot(name, f"{title} by stream", axis, series, caption, log="(µs)" in axis))
    shared = {name: series_columns[name] for name in ("time_s", "end_s", "middle_s")}
    return [chart for plot in plots if (chart := _chart(plot, series_columns, shared)) is not None]


def by_stream(series: pa.Table | None) -> dict[str, dict[str, list[Any]]]:
    """Return the columns of the series of each stream, called `stream0_iops` and so on; nothing for a single stream."""
    names = series["stream"].unique().to_pylist() if series is not None else []
    if series is None or not 1 < len(names) <= MOST_STREAMS:  # a single stream is what the other charts show
        return {}
    return {
        name: {
            f"stream{place}_{column}": series.filter(pc.equal(series["stream"], name))[column].to_pylist()
            for column in BY_STREAM
        }
        for place, name in enumerate(names)
    }


def _chart(plot: Plot, series_columns: Columns, shared: dict[str, Sequence[Any]]) -> Chart | None:
    """Return the chart of a plot, None if all of its columns are empty; those drawn are put with the `shared` ones."""
    zeros_tell = not plot.log and len(plot.series) > 1 and "(" not in plot.axis  # else no use as a line on the ground
    shown = {
        column: label
        for column, label in plot.series.items()
        if any(number is not None if zeros_tell else number for number in series_columns[column])
    }
    if not shown:
        return None
    caption, axis = plot.caption, plot.axis
    if not caption:
        described = {label: entry(column, "timeseries") for column, label in shown.items()}
        axis = axis if "(" in axis else titled(axis, next(iter(described.values())))
        several = len({field.meaning for field in described.values()}) > 1
        told = [f"{label[0].upper()}{label[1:]}: " * several + field.meaning for label, field in described.items()]
        caption = " ".join(dict.fromkeys(told))
    shared |= {column: series_columns[column] for column in shown}
    drawn = _lines(shown, axis, series_columns, plot.hues, plot.log)
    return Chart(plot.name, plot.title, caption, finished(drawn), shared)


def _lines(
    shown: Mapping[str, str], axis: str, series_columns: Columns, hues: Mapping[str, str] | None, log: bool
) -> Any:
    value = "datum.value > 0 ? datum.value : null" if log else "datum.value"  # log of 0 is a gap in the line
    folded = (
        chart("timeseries")
        .transform_filter(SHOWN)
        .transform_fold(list(shown), as_=["column", "value"])
        .transform_calculate(series=f"({json.dumps(shown)})[datum.column]", value=value)
        .encode(
            x=alt.X("middle_s:Q", title=TIME, scale=_span()),
            y=alt.Y(
                "value:Q",
                title=axis,
                scale=alt.Scale(type="log") if log else alt.Scale(zero=True),
                axis=alt.Axis(format=",~g" if log else "~s"),
            ),
            color=colour(list(shown.values()), hues),
        )
    )
    lines = folded.mark_line(strokeWidth=1.1, clip=True)
    points = (
        folded.transform_window(
            before="lag(value)", after="lead(value)", groupby=["column"], sort=[alt.SortField("middle_s")]
        )
        .transform_filter(ALONE)
        .mark_point(size=10, filled=True, opacity=1, clip=True)
    )
    layers = [
        lines,
        *([points] if any(has_alone(series_columns[column], log) for column in shown) else []),
        _hover(shown),
    ]
    drawn = alt.layer(*layers).add_params(*_window(series_columns))
    return drawn.properties(width="container", height=HEIGHT)


def has_alone(values: Sequence[Any], log: bool = False) -> bool:
    """Return whether a value, one above 0 if it is `log`, stands alone, so that no line would show it."""
    # outside of the run there is no neighbour
    there = [False, *(value is not None and (value > 0 or not log) for value in values), False]
    return any(
        not before and here and not after for before, here, after in zip(there, there[1:], there[2:], strict=False)
    )


def _hover(shown: Mapping[str, str]) -> alt.Chart:
    """Return windows as strips that are not seen until a pointer rests on one, which tells their values."""
    return (
        chart("timeseries")
        .transform_filter(SHOWN)
        .mark_rect(opacity=0, clip=True)
        .encode(
            x="time_s:Q",
            x2="end_s:Q",
            tooltip=[
                alt.Tooltip("time_s:Q", title="from, s", format=",.6~g"),
                alt.Tooltip("end_s:Q", title="to, s", format=",.6~g"),
                *(alt.Tooltip(f"{column}:Q", title=label, format=",.3~f") for column, label in shown.items()),
            ],
        )
    )


def _span() -> alt.Scale:
    return alt.Scale(domainMin=alt.ExprRef("begin"), domainMax=alt.ExprRef("end"), nice=False, zero=False)


def _window(columns: Columns) -> list[alt.Parameter]:
    """Return the parameters that a page sets: begin and end of what is shown."""
    return [alt.param(name="begin", value=0), alt.param(name="end", value=float(columns["end_s"][-1]))]


def channel_map(by_channel: pa.Table, window_s: float) -> Chart | None:
    """Return the map of how busy each channel's bus was in each window; None if that is not known."""
    if not by_channel.num_rows or by_channel["utilization"].null_count == by_channel.num_rows:
        return None
    channels = pc.max(by_channel["channel"]).as_py() + 1
    windows = by_channel.num_rows // channels
    # whole windows, as many as there is room for, in seconds
    together = -(-windows // min(WIDEST, max(MOST_CELLS // channels, 1))) * window_s
    # half a window on, so that rounding does not put one beside its place
    begins = pc.multiply(pc.floor(pc.divide(pc.add(by_channel["time_s"], window_s / 2), together)), together)
    cells = by_channel.set_column(0, "time_s", begins).group_by(["time_s", "channel"])
    cells = cells.aggregate([("utilization", "mean")]).rename_columns(["time_s", "channel", "utilization"])
    columns = cells.append_column("end_s", pc.add(cells["time_s"], together)).to_pydict()
    busiest = max(filter(None, columns["utilization"]), default=1)
    drawn = in_rows("by_channel", channels, 18).transform_filter(SHOWN).mark_rect(clip=True)
    drawn = drawn.encode(
        x=alt.X("time_s:Q", title=TIME, scale=_span()),
        x2="end_s:Q",
        y=alt.Y("channel:O", title="channel"),
        color=heat("utilization:Q", "share of the time", busiest),
        tooltip=[
            alt.Tooltip("channel:O", title="channel"),
            alt.Tooltip("time_s:Q", title="from, s", format=",.6~g"),
            alt.Tooltip("utilization:Q", title="bus taken, share", format=".3f"),
        ],
    ).add_params(*_window(columns))
    caption = f"By channel and window: {entry('utilization', 'timeseries_by_channel').meaning}"
    return Chart("channels-over-time", "Busy channels", caption, finished(drawn), columns)
