"""The charts of pages and pictures, each made of plain rows. Needs altair."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ssdsim.report.page import Chart

GREY, SKY, ORANGE, GREEN = "#999999", "#56B4E9", "#E69F00", "#009E73"
YELLOW, VERMILION, BLUE, PURPLE = "#F0E442", "#D55E00", "#0072B2", "#CC79A7"
"""A grey, and hues of Okabe and Ito, which colour-blind readers tell apart."""
HUES = (SKY, ORANGE, GREEN, VERMILION, BLUE, PURPLE, YELLOW, "#8C6D46")
OPERATIONS = {"read": BLUE, "write": VERMILION, "trim": GREEN, "flush": PURPLE}

HEIGHT = 210
TIME = "simulated time (s)"
DIGITS = 7
"""Significant digits of the numbers that charts are drawn of."""
MOST_POINTS = 256
"""Of a line over time, and of the curve of a distribution."""
BEYOND = 1e-4
"""The least share of a distribution that is shown: that beyond p99.99."""
ROOM = 1.25
"""The factor by which the axis of ratios goes on beyond the outermost."""
PER_SECOND = ("iops", "bandwidth_mib_s")
COUNTS = ("reads", "writes", "host_page_writes", "gc_page_moves")
"""Columns of a time series that are told by the second."""

Rows = Sequence[Mapping[str, Any]]


def drawn(rows: Rows, height: int = HEIGHT) -> alt.Chart:
    """Return an empty chart of `rows`, as wide as its place."""
    values = [{name: _short(value) for name, value in row.items()} for row in rows]
    size: dict[str, Any] = {"width": "container", "height": height}
    return alt.Chart(alt.Data(values=values)).properties(**size)


def _short(value: Any) -> Any:
    """Return a value as JSON has it: floats as short as `DIGITS` allow, None for what is no number."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def finished(title: str, caption: str, made: Any) -> Chart:
    """Return the chart, without what the page has for all of them."""
    made = made.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    return Chart(title, caption, {key: part for key, part in made.to_dict().items() if key != "config"})


def hue(column: str, names: Iterable[str], own: Mapping[str, str] | None = None) -> alt.Color:
    """Return the encoding of a column by hue, for some their `own`; a single name needs no legend."""
    names = list(dict.fromkeys(names))
    hues = [(own or {}).get(name) or HUES[place % len(HUES)] for place, name in enumerate(names)]
    scale = alt.Scale(domain=names, range=hues) if len(names) <= len(HUES) else alt.Scale(scheme="tableau20")
    columns = min(4, max(1, 64 // (4 + max(map(len, names), default=0))))  # as many as a line has room for
    legend = alt.Legend(orient="top", title=None, columns=columns) if len(names) > 1 else None
    return alt.Color(f"{column}:N", scale=scale, legend=legend, sort=names)


def tip(name: str, title: str = "") -> alt.Tooltip:
    """Return the tooltip of a column of numbers."""
    return alt.Tooltip(f"{name}:Q", title=title or name, format=",.4~g")


def binned(series: pa.Table, most: int = MOST_POINTS) -> dict[str, np.ndarray]:
    """Return the columns of a time series in at most so many bins of equal width, with `middle_s` of each.

    Response times are means by the request, of percentiles it is the largest, and of all else the mean over time; NaN
    where there is none. Windows that are left out were idle.
    """
    column = {name: series[name].to_numpy().astype(float) for name in series.column_names if name != "stream"}
    width = column["window_s"][0]
    window = np.rint(column["time_s"] / width).astype(int)
    windows = int(window.max()) + 1
    together = -(-windows // most)
    place, bins = window // together, np.arange(-(-windows // together))
    seconds = np.minimum(together, windows - bins * together) * width

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(place, np.nan_to_num(values), len(bins))

    made = {"middle_s": bins * together * width + seconds / 2}
    for name, values in column.items():
        if name in (*PER_SECOND, *COUNTS):
            made[name] = total(values * width if name in PER_SECOND else values) / seconds
        elif "_p" in name and name.endswith("_us"):
            made[name] = np.full(len(bins), np.nan)
            np.fmax.at(made[name], place, values)
        else:
            operation = f"{name.partition('_')[0]}s"
            weights = column[operation] if name.endswith("_response_us") else np.ones(len(values))
            weight = total(np.where(np.isnan(values), 0, weights))
            made[name] = np.divide(total(values * weights), weight, out=np.full(len(bins), np.nan), where=weight > 0)
    return made


def lines(
    title: str, axis: str, series: Mapping[str, tuple[np.ndarray, np.ndarray]], log: bool = False
) -> Chart | None:
    """Return the chart of `series`, seconds and values, over time; None if they are all nothing or 0."""
    rows = [
        {"s": second, "series": label, "value": value}
        for label, (seconds, values) in series.items()
        if np.nansum(values) > 0
        for second, value in zip(seconds.tolist(), values.tolist(), strict=True)
        if value > 0 or (value == 0 and not log)  # not where it is unknown
    ]
    if not rows:
        return None
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=True)
    y = alt.Y("value:Q", title=axis, scale=scale, axis=alt.Axis(format=",~g" if log else "~s"))
    line = drawn(rows).mark_line(strokeWidth=1.3, point=len(rows) <= 2 * len(series))
    tips = ["series:N", tip("s", TIME), tip("value", axis)]
    colour = hue("series", [row["series"] for row in rows], OPERATIONS)
    return finished(title, "", line.encode(alt.X("s:Q", title=TIME), y, colour, tooltip=tips))


def device_map(title: str, values: Sequence[float], channels: int) -> Chart:
    """Return a map of values in the order of their numbers, a row a channel."""
    in_row = len(values) // channels
    cells = [{"channel": die // in_row, "x": die % in_row, "value": value} for die, value in enumerate(values)]
    # from 0, so that a map that is all alike is no map of differences
    scale = alt.Scale(scheme="viridis", domain=[0, max(values) or 1])
    colour = alt.Color("value:Q", title=None, scale=scale, legend=alt.Legend(orient="top", gradientLength=180))
    x = alt.X("x:O", title="place on the channel", axis=alt.Axis(labelAngle=0, labelOverlap=True))
    tips = ["channel:O", "x:O", tip("value")]
    made = drawn(cells, channels * 22).mark_rect().encode(x, alt.Y("channel:O"), colour, tooltip=tips)
    return finished(title, "", made)


def bars(title: str, caption: str, quantities: Mapping[str, Mapping[str, float]]) -> Chart | None:
    """Return a bar for each of `quantities`, made of the shares of its parts by hue; None of nothing."""
    rows = [
        {"bar": bar, "part": part, "value": value, "rank": rank}
        for bar, parts in quantities.items()
        for rank, (part, value) in enumerate(parts.items())
        if value  # parts of 0 would be entries of the legend
    ]
    if not rows:
        return None
    x = alt.X("value:Q", title="share", stack="normalize", axis=alt.Axis(format="%"))
    made = drawn(rows, len({row["bar"] for row in rows}) * 26).mark_bar()
    made = made.encode(x, alt.Y("bar:N", title=None, sort=list(quantities)), order="rank:Q")
    present = {row["part"] for row in rows}
    parts = hue("part", [part for parts in quantities.values() for part in parts if part in present])
    return finished(title, caption, made.encode(parts, tooltip=["bar:N", "part:N", tip("value")]))


def tails(
    title: str, tables: Mapping[str, Sequence[pa.Table]], op: str = "", own: Mapping[str, str] | None = None
) -> Chart | None:
    """Return the chart of how large a share of the requests takes longer; None if nothing took any time.

    A curve is of the histograms of some runs together, of the operation `op` or, without one, of that of its name.
    """
    rows = []
    for name, of_name in tables.items():
        bins = pa.concat_tables(of_name).filter(pc.field("op") == (op or name)).sort_by("up_to_us")
        until, requests = np.cumsum(bins["count"]), pc.sum(bins["count"]).as_py() or 0
        shares = np.geomspace(1, BEYOND, MOST_POINTS)
        shares = shares[shares * requests >= 1]  # less than a request is no share
        times = bins["up_to_us"].to_numpy()[np.searchsorted(until, (1 - shares) * requests)]
        curve = zip(times.tolist(), shares.tolist(), strict=True)
        rows += [{"of": name, "us": us, "beyond": share} for us, share in curve if us > 0]
    if not rows:
        return None
    percentile = alt.Axis(
        values=[1, 0.5, 0.1, 0.01, 0.001, BEYOND], labelExpr="'p' + format(100 * (1 - datum.value), '.6~g')"
    )
    y = alt.Y("beyond:Q", title="share of the requests (percentile)", axis=percentile)
    y = y.scale(alt.Scale(type="log", domain=[BEYOND, 1]))
    x = alt.X("us:Q", title="response time (µs)", scale=alt.Scale(type="log", nice=False))
    x = x.axis(alt.Axis(format=",~g", labelOverlap="greedy", labelSeparation=6))
    tips = ["of:N", tip("us", "response time, µs"), tip("beyond", "share that takes longer")]
    caption = "The share of the requests that takes longer than the time below, down to one in ten thousand (p99.99)."
    made = drawn(rows, 290).mark_line(strokeWidth=1.8)
    return finished(title, caption, made.encode(x, y, hue("of", [row["of"] for row in rows], own), tooltip=tips))


def ratios(title: str, cells: Rows, baseline: str, own: Mapping[str, str]) -> Chart | None:
    """Return the chart of ratios to the baseline, on a logarithmic axis, with intervals; None without any."""
    rows = [{**cell} for cell in cells if (cell["ratio"] or 0) > 0]
    if not rows:
        return None
    ends = [end for row in rows for end in (row["ratio"], row["ratio_low"], row["ratio_high"]) if end and end > 0]
    domain = [min(*ends, 1) / ROOM, max(*ends, 1) * ROOM]
    for row in rows:  # a whisker that reaches below 0 is drawn up to the edge
        row |= {"from": max(row["ratio_low"] or row["ratio"], domain[0]), "to": row["ratio_high"] or row["ratio"]}
    systems, fields = (list(dict.fromkeys(row[key] for row in rows)) for key in ("system", "field"))
    height = len(fields) * max(14 * len(systems), 24)
    base = drawn(rows, height).encode(alt.Y("field:N", title=None, sort=fields), alt.YOffset("system:N", sort=systems))
    tips: list[Any] = ["field:N", "system:N", *map(tip, ("ratio", "ratio_low", "ratio_high"))]
    base = base.encode(hue("system", systems, own), tooltip=tips)
    x = alt.X("ratio:Q", title=f"ratio to {baseline}", scale=alt.Scale(type="log", domain=domain, nice=False))
    one = drawn([{"one": 1}], height).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="one:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x)
    made = alt.layer(one, base.mark_rule().encode(alt.X("from:Q"), x2="to:Q"), points)
    caption = "Paired by seed; bars are intervals at 95 percent over seeds."
    return finished(title, caption, made.properties(width="container", height=height))


def over(title: str, caption: str, x_title: str, axis: str, points: Rows) -> Chart:
    """Return the chart of means with their intervals, on lines over numbers or apart over words."""
    # of one seed a whisker of no length
    ends = [{"low": point["mean"], "high": point["mean"]} if point["low"] is None else {} for point in points]
    base = drawn([{**point, **given} for point, given in zip(points, ends, strict=True)], 230)
    numeric, free = all(is_number(point["x"]) for point in points), alt.Scale(zero=False)
    x = alt.X("x:Q", title=x_title, scale=free) if numeric else alt.X("x:N", title=x_title, sort=None)
    base = base.encode(x, hue("line", [point["line"] for point in points]))
    if not numeric:
        base = base.encode(alt.XOffset("line:N"))
    whiskers = base.mark_rule().encode(alt.Y("low:Q"), y2="high:Q")
    middles = base.mark_line(point=True) if numeric else base.mark_point(filled=True, size=60, opacity=1)
    y = alt.Y("mean:Q", title=axis, scale=free, axis=alt.Axis(format=",.6~f"))
    tips = ["system:N", alt.Tooltip("x:N", title=x_title), *map(tip, ("mean", "low", "high"))]
    made = alt.layer(whiskers, middles.encode(y, tooltip=tips)).properties(width="container", height=230)
    return finished(title, caption, made)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)
