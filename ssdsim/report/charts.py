"""The charts of pages and pictures, each made of plain rows. Needs altair."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from ssdsim.metrics.confidence import across
from ssdsim.report.comparison import Comparison
from ssdsim.report.hues import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW
from ssdsim.report.page import Chart

HEIGHT = 210
OPERATIONS = {"read": BLUE, "write": VERMILION, "trim": GREEN, "flush": PURPLE}
HUES = (SKY, ORANGE, GREEN, VERMILION, BLUE, PURPLE, YELLOW, "#8C6D46")
TIME = "simulated time (s)"

DIGITS = 7
"""Significant digits of the numbers that charts are drawn of."""
MOST_POINTS = 256
"""Of a line over time, and of the curve of a distribution along each axis."""
MOST_CELLS = 2048
"""Of a map; of more, neighbours are told together, by their mean."""
MOST_TICKS = 10
"""Values of a key up to which each has its tick."""
BEYOND = 1e-4
"""The least share of a distribution that is shown: that beyond p99.99."""
ROOM = 1.25
"""The factor by which the axis of ratios goes on beyond the outermost."""

Rows = Sequence[Mapping[str, Any]]
Distribution = tuple[np.ndarray, np.ndarray]
"""Upper bounds of bins in microseconds, ascending, and the requests in each."""


def plain(value: Any) -> Any:
    """Return a value as JSON has it: floats as short as `DIGITS` allow, None for what is no number."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def drawn(rows: Rows, height: int = HEIGHT) -> alt.Chart:
    """Return an empty chart of `rows`, as wide as its place."""
    values = [{name: plain(value) for name, value in row.items()} for row in rows]
    size: dict[str, Any] = {"width": "container", "height": height}
    return alt.Chart(alt.Data(values=values)).properties(**size)


def finished(name: str, title: str, caption: str, made: Any) -> Chart:
    """Return the chart, without what the page has for all of them."""
    made = made.properties(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    return Chart(name, title, caption, {key: part for key, part in made.to_dict().items() if key != "config"})


def hue(column: str, names: Iterable[str], own: Mapping[str, str] | None = None) -> alt.Color:
    """Return the encoding of a column by hue, for some their `own`; a single name needs no legend."""
    names = list(dict.fromkeys(names))
    hues = [(own or {}).get(name) or HUES[place % len(HUES)] for place, name in enumerate(names)]
    columns = min(4, max(1, 64 // (4 + max(map(len, names), default=0))))  # as many as a line has room for
    legend = alt.Legend(orient="top", title=None, columns=columns) if len(names) > 1 else None
    return alt.Color(f"{column}:N", scale=alt.Scale(domain=names, range=hues), legend=legend)


def tip(name: str, title: str = "") -> alt.Tooltip:
    """Return the tooltip of a column of numbers."""
    return alt.Tooltip(f"{name}:Q", title=title or name, format=",.4~g")


def binned(series: pa.Table, most: int = MOST_POINTS) -> dict[str, np.ndarray]:
    """Return the columns of a time series in at most so many bins of equal width, with `middle_s` of each.

    Counts and what is counted a second are told by the second, response times by the request, of percentiles the
    largest, and of all else the mean over time; NaN where there is none. Windows that are left out were idle.
    """
    column = {
        name: series[name].to_numpy().astype(float) for name in series.column_names if name not in ("stream", "channel")
    }
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
        op = name.partition("_")[0]
        if name in ("iops", "bandwidth_mib_s"):
            made[name] = total(values * width) / seconds
        elif name in ("reads", "writes", "host_page_writes", "gc_page_moves"):
            made[name] = total(values) / seconds
        elif "_p" in name and name.endswith("_us"):
            made[name] = np.full(len(bins), np.nan)
            np.fmax.at(made[name], place, values)
        else:
            weights = column[f"{op}s"] if name.endswith("_response_us") else np.ones(len(values))
            weight = total(np.where(np.isnan(values), 0, weights))
            made[name] = np.divide(total(values * weights), weight, out=np.full(len(bins), np.nan), where=weight > 0)
    return made


def lines(
    about: tuple[str, str, str],
    axis: str,
    series: Mapping[str, tuple[np.ndarray, np.ndarray]],
    own: Mapping[str, str] | None = None,
    log: bool = False,
) -> Chart | None:
    """Return the chart over time of `series`, seconds and values; None if they are all nothing or 0.

    `about` is name, title and caption.
    """
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
    colour = hue("series", [row["series"] for row in rows], own)
    tips = ["series:N", tip("s", TIME), tip("value", axis)]
    return finished(*about, line.encode(alt.X("s:Q", title=TIME), y, colour, tooltip=tips))


def device_map(about: tuple[str, str, str], values: Sequence[float], channels: int, axis: str, place: str) -> Chart:
    """Return a map of values in the order of their numbers, a row a channel."""
    in_row = len(values) // channels
    # the fewest that divide a row: every cell is the mean of as many
    fitting = (n for n in range(1, in_row + 1) if in_row % n == 0 and (len(values) // n <= MOST_CELLS or n == in_row))
    together = next(fitting)
    cells = [
        {"channel": first // in_row, "x": first % in_row, "value": sum(values[first : first + together]) / together}
        for first in range(0, len(values), together)
    ]
    # from 0, so that a map that is all alike is no map of differences
    scale = alt.Scale(scheme="viridis", domain=[0, max(cell["value"] for cell in cells) or 1])
    colour = alt.Color("value:Q", title=axis, scale=scale, legend=alt.Legend(orient="top", gradientLength=180))
    along = alt.X("x:O", title=place, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    made = drawn(cells, channels * 22).mark_rect().encode(along, alt.Y("channel:O", title="channel"), colour)
    made = made.encode(tooltip=["channel:O", alt.Tooltip("x:O", title=place), tip("value", axis)])
    name, title, caption = about
    return finished(name, title, caption + f" Of {together} neighbours the mean is shown." * (together > 1), made)


def bars(
    about: tuple[str, str, str],
    quantities: Mapping[str, Mapping[str, float]],
    own: Mapping[str, str],
    axis: str,
    is_share: bool = False,
) -> Chart | None:
    """Return a bar for each of `quantities`, made of parts by hue, or of their shares; None of nothing."""
    rows = [
        {"bar": bar, "part": part, "value": value, "rank": rank}
        for bar, parts in quantities.items()
        for rank, (part, value) in enumerate(parts.items())
        if value  # parts of 0 would be entries of the legend
    ]
    if not rows:
        return None
    present = {row["part"] for row in rows}
    x = alt.X("value:Q", title=axis, stack="normalize" if is_share else "zero")
    x = x.axis(alt.Axis(format="%" if is_share else "~s"))
    made = drawn(rows, len({row["bar"] for row in rows}) * 26).mark_bar()
    made = made.encode(x, alt.Y("bar:N", title=None, sort=list(quantities)), order="rank:Q")
    parts = hue("part", [part for part in own if part in present], own)
    return finished(*about, made.encode(parts, tooltip=["bar:N", "part:N", tip("value")]))


def distribution(tables: Iterable[pa.Table], op: str) -> Distribution:
    """Return the histogram of the response times of an operation, of all streams and of all `tables`."""
    bins = pa.concat_tables([table.select(["up_to_us", "count"]).filter(pc.equal(table["op"], op)) for table in tables])
    bounds, place = np.unique(bins["up_to_us"].to_numpy(), return_inverse=True)
    return bounds, np.bincount(place, bins["count"].to_numpy(), len(bounds)).astype(np.int64)


def beyond(histogram: Distribution) -> Distribution:
    """Return response times, all above 0, and the share of the requests that took longer, down to `BEYOND`.

    Of bins that a reader could not tell apart some are left out; none, if no request took any time.
    """
    bounds, counts = histogram
    longer = 1 - np.cumsum(counts) / max(counts.sum(), 1)
    first = int(np.searchsorted(bounds, 0, side="right"))  # bins of 0 have no place on a logarithmic axis
    if first == len(bounds):
        return np.empty(0), np.empty(0)
    before = longer[first - 1] if first else 1.0
    times, shares = bounds[first:], np.concatenate([[before], longer[first:-1]])  # how many took that long, or longer
    shares = np.clip(shares, BEYOND / 10, 1)  # a tenth of the least share that is shown: the curve goes on to the edge
    # by the logarithm, as distances on the page are
    spread = [np.log(values) for values in (times, shares) if np.ptp(values)]
    steps = [np.floor(values / np.ptp(values) * MOST_POINTS) for values in spread]
    changes = np.any([np.diff(step, prepend=np.inf) != 0 for step in steps], axis=0) if steps else np.full(1, True)
    changes[-1] = True  # the end of the curve is always told
    return times[changes], shares[changes]


def tails(
    name: str, title: str, several: Mapping[str, Distribution], own: Mapping[str, str] | None = None
) -> Chart | None:
    """Return the chart of how large a share of the requests takes longer; None if nothing took any time."""
    rows = [
        {"of": label, "us": us, "beyond": share}
        for label, histogram in several.items()
        for us, share in zip(*map(np.ndarray.tolist, beyond(histogram)), strict=True)
    ]
    if not rows:
        return None
    percentile = alt.Axis(
        values=[1, 0.5, 0.1, 0.01, 0.001, BEYOND], labelExpr="'p' + format(100 * (1 - datum.value), '.6~g')"
    )
    y = alt.Y("beyond:Q", title="share of the requests (percentile)", axis=percentile)
    y = y.scale(alt.Scale(type="log", domain=[BEYOND, 1]))
    x = alt.X("us:Q", title="response time (µs)", scale=alt.Scale(type="log", nice=False))
    x = x.axis(alt.Axis(format=",~g", labelOverlap="greedy", labelSeparation=6))
    made = drawn(rows, 290).mark_line(interpolate="step-before", strokeWidth=1.8, clip=True)
    tips = ["of:N", tip("us", "response time, µs"), tip("beyond", "share that takes longer")]
    caption = (
        "How large a share of the requests takes longer than the time below, down to one in ten thousand (p99.99). "
        "Both axes are logarithmic."
    )
    made = made.encode(x, y, hue("of", [row["of"] for row in rows], own), tooltip=tips)
    return finished(name, title, caption, made)


def ratios(name: str, title: str, cells: Sequence[Comparison], baseline: str, own: Mapping[str, str]) -> Chart | None:
    """Return the chart of ratios to the baseline, on a logarithmic axis, with intervals; None without any."""
    rows = [cell.row() for cell in cells if cell.system != baseline and (cell.ratio or 0) > 0]
    if not rows:
        return None
    ends = [end for row in rows for end in (row["ratio"], row["ratio_low"], row["ratio_high"]) if end and end > 0]
    start, end = min(*ends, 1) / ROOM, max(*ends, 1) * ROOM
    for row in rows:  # cut at the edge, so that a whisker that reaches below 0 is drawn up to there
        row["from"] = row["ratio"] if row["ratio_low"] is None else max(row["ratio_low"], start)
        row["to"] = row["ratio_high"] or row["ratio"]
    systems, fields = (list(dict.fromkeys(row[key] for row in rows)) for key in ("system", "field"))
    height = len(fields) * max(14 * len(systems), 24)
    about, scale = f"ratio to {baseline}", alt.Scale(type="log", domain=[start, end], nice=False)
    base = drawn(rows, height).encode(alt.Y("field:N", title=None, sort=fields), alt.YOffset("system:N", sort=systems))
    tips: list[Any] = ["field:N", "system:N", *map(tip, ("ratio", "ratio_low", "ratio_high"))]
    base = base.encode(hue("system", systems, own), tooltip=tips)
    one = drawn([{"one": 1}], height).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="one:Q")
    whiskers = base.mark_rule().encode(alt.X("from:Q", title=about, scale=scale), x2="to:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(alt.X("ratio:Q", title=about, scale=scale))
    made = alt.layer(one, whiskers, points).properties(width="container", height=height)
    caption = "Paired by seed; bars are intervals at 95 percent over seeds. The axis is logarithmic."
    return finished(name, title, caption, made)


@frozen
class Mean:
    """A point of a chart over a key or a field: where it is, its name, that of its line if it is on one, its values."""

    x: Any
    name: str
    line: str
    values: Sequence[float]


def over(about: tuple[str, str, str], x_title: str, axis: str, means: Sequence[Mean]) -> Chart:
    """Return the chart of means over numbers, joined where they are on a line, or over words."""
    rows = []
    for mean in means:
        middle = sum(mean.values) / len(mean.values)
        low, high = across(mean.values) or (middle, middle)  # of one seed a whisker of no length
        rows.append({"x": mean.x, "point": mean.name, "line": mean.line, "value": middle, "low": low, "high": high})
    places = list(dict.fromkeys(mean.x for mean in means))
    numeric = all(is_number(place) for place in places)
    joined = numeric and all(mean.line for mean in means)
    free = alt.Scale(zero=False)
    # more ticks than these would run into each other
    ticks = alt.Axis(values=sorted(places)) if joined and len(places) <= MOST_TICKS else alt.Axis(labelAngle=0)
    x = alt.X(
        f"x:{'Q' if numeric else 'N'}", title=x_title, sort=None, scale=free if numeric else alt.Scale(), axis=ticks
    )
    base = drawn(rows, 230).encode(x, hue("line", [mean.line for mean in means]))
    if not numeric:
        base = base.encode(alt.XOffset("line:N"))
    whiskers = base.mark_rule().encode(alt.Y("low:Q"), y2="high:Q")
    middles = base.mark_line(point=True) if joined else base.mark_point(filled=True, size=60, opacity=1)
    y = alt.Y("value:Q", title=axis, scale=free, axis=alt.Axis(format=",.6~f"))
    tips = ["point:N", alt.Tooltip("x:N", title=x_title), *map(tip, ("value", "low", "high"))]
    made = alt.layer(whiskers, middles.encode(y, tooltip=tips)).properties(width="container", height=230)
    return finished(*about, made)


def is_number(value: Any) -> bool:
    """Return whether a value is a number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)
