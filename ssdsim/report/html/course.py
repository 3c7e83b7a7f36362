"""Charts over simulated time, made of the windows of the time series; a page sets the window of all of them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc

from ssdsim.report.html.page import Chart, Columns
from ssdsim.report.html.theme import HEAT, HEIGHT, HUES, OPERATIONS, chart, colour, entry, finished, in_rows, titled
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


def charts(series_columns: Columns) -> list[Chart]:
    """Return the charts of the time series, without those that would have nothing to show."""
    moved = {"host_page_writes_a_second": "written for the host", "gc_page_moves_a_second": "moved by collection"}
    types = {f"free_{kind}": kind.upper() for kind in ("lsb", "csb", "msb", "tsb")}
    made = [
        *(
            _chart(
                *(f"{key}-over-time", title, "response time (µs)"),
                *({f"{op}_{key}_us": op for op in ("read", "write")}, series_columns),
                hues=OPERATIONS,
                log=True,
            )
            for key, title in (("response", "Mean response time"), ("p99", "99th percentile of response times"))
        ),
        _chart(
            *("iops-over-time", "IOPS", "requests completed (1/s)"),
            {"reads_a_second": "read", "writes_a_second": "write"},
            *(series_columns, "Reads and writes completed a second, by window."),
            hues=OPERATIONS,
        ),
        _chart(
            "bandwidth-over-time", "Bandwidth", "read and written", {"bandwidth_mib_s": "bandwidth"}, series_columns
        ),
        _chart(
            *("queue-over-time", "Queue depth and backlog", "requests"),
            {"queue_depth": "in the device", "backlog": "waiting outside it"},
            series_columns,
        ),
        _chart(
            *("write-amplification-over-time", "Write amplification", "write amplification"),
            *({"write_amplification": "write amplification"}, series_columns),
        ),
        _chart(
            *("collection-over-time", "Host writes and collection", "pages a second (1/s)", moved, series_columns),
            "Pages of the host's data written to flash, and valid pages that collection moved, a second.",
            hues=dict(zip(moved.values(), (GREY, GREEN), strict=True)),
        ),
        _chart("free-blocks-over-time", "Free blocks", "free", {"free_blocks": "free blocks"}, series_columns),
        _chart("free-pages-over-time", "Unused pages by type", "unused", types, series_columns),
        _chart("buffer-over-time", "Write buffer", "taken", {"buffer_utilization": "write buffer"}, series_columns),
        _chart("lsb-quota-over-time", "LSB quota", "left", {"lsb_quota": "LSB quota"}, series_columns),
    ]
    return [chart for chart in made if chart is not None]


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


def stream_charts(series_columns: Columns, streams: Sequence[str]) -> list[Chart]:
    """Return the charts of columns of `by_stream`, a line a stream."""
    made = []
    for column, (title, axis) in BY_STREAM.items():
        series = {f"stream{place}_{column}": name for place, name in enumerate(streams)}
        caption = entry(column, "timeseries_by_stream").meaning
        name = f"{column.replace('_', '-')}-by-stream"
        made.append(_chart(name, f"{title} by stream", axis, series, series_columns, caption, log="(µs)" in axis))
    return [chart for chart in made if chart is not None]


def _chart(
    name: str,
    title: str,
    axis: str,
    series: Mapping[str, str],
    series_columns: Columns,
    caption: str = "",
    *,
    hues: Mapping[str, str] | None = None,
    log: bool = False,
) -> Chart | None:
    """Return the chart of the columns `series`, by what each is called there; None if all are empty.

    Without a caption it is said what the dictionary has on them, and their unit is on the axis.
    """
    shown = {
        column: label
        for column, label in series.items()
        if any(number is not None for number in series_columns[column])
    }
    if log or len(series) == 1 or "(" in axis:  # of no use as a line on the ground
        shown = {column: label for column, label in shown.items() if any(series_columns[column])}
    if not shown:
        return None
    if not caption:
        described = {label: entry(column, "timeseries") for column, label in shown.items()}
        axis = axis if "(" in axis else titled(axis, next(iter(described.values())))
        several = len({field.meaning for field in described.values()}) > 1
        told = [f"{label[0].upper()}{label[1:]}: " * several + field.meaning for label, field in described.items()]
        caption = " ".join(dict.fromkeys(told))
    return Chart(name, title, caption, finished(_lines(shown, axis, series_columns, hues, log)))


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


def channel_map(by_channel: pa.Table, window_s: float) -> tuple[Chart, Columns] | None:
    """Return the map of how busy each channel's bus was in each window, and its data; None if that is not known."""
    if not by_channel.num_rows or by_channel["utilization"].null_count == by_channel.num_rows:
        return None
    channels = pc.max(by_channel["channel"]).as_py() + 1
    windows = by_channel.num_rows // channels
    # whole windows, as many as there is room for, in seconds
    together = -(-windows // min(WIDEST, max(MOST_CELLS // channels, 1))) * window_s
    # half a window on, so that rounding does not put one beside its place
    begins = pc.multiply(pc.floor(pc.divide(pc.add(by_channel["time_s"], window_s / 2), together)), together)
    cells = (
        by_channel.set_column(0, "time_s", begins).group_by(["time_s", "channel"]).aggregate([("utilization", "mean")])
    )
    cells = cells.rename_columns(["time_s", "channel", "utilization"])
    columns = cells.append_column("end_s", pc.add(cells["time_s"], together)).to_pydict()
    drawn = (
        in_rows("by_channel", channels, 18)
        .transform_filter(SHOWN)
        .mark_rect(clip=True)
        .encode(
            x=alt.X("time_s:Q", title=TIME, scale=_span()),
            x2="end_s:Q",
            y=alt.Y("channel:O", title="channel"),
            color=alt.Color(
                "utilization:Q",
                title="share of the time",
                # from 0, so that a map that is all alike is no map of differences
                scale=alt.Scale(scheme=HEAT, domain=[0, max(filter(None, columns["utilization"]), default=1)]),
                legend=alt.Legend(orient="top", gradientLength=180),
            ),
            tooltip=[
                alt.Tooltip("channel:O", title="channel"),
                alt.Tooltip("time_s:Q", title="from, s", format=",.6~g"),
                alt.Tooltip("utilization:Q", title="bus taken, share", format=".3f"),
            ],
        )
        .add_params(*_window(columns))
    )
    meaning = entry("utilization", "timeseries_by_channel").meaning
    return Chart("channels-over-time", "Busy channels", f"By channel and window: {meaning}", finished(drawn)), columns
