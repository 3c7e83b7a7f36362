"""Distributions of response times: how large a share of the requests takes longer, on logarithmic axes."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ssdsim.report.html.page import Chart
from ssdsim.report.html.theme import chart, colour, finished, in_columns

Distribution = tuple[np.ndarray, np.ndarray]
"""Upper bounds of bins in microseconds, ascending, and the requests in each."""

POINTS = 200
"""Of a curve, about, along each axis."""

BEYOND = 1e-4
"""The least share that is shown: that beyond p99.99."""

TOLD = (
    "How large a share of the requests takes longer than the time below, down to one in ten thousand (p99.99). Both "
    "axes are logarithmic."
)
"""What a chart of distributions shows."""

TICKS = (1, 0.5, 0.1, 0.01, 0.001, BEYOND)


def distribution(latency: pa.Table, op: str) -> Distribution:
    """Return the histogram of an operation, of all streams."""
    bins = latency.filter(pc.equal(latency["op"], op))
    return merged([(bins["up_to_us"].to_numpy(), bins["count"].to_numpy())])


def merged(several: Sequence[Distribution]) -> Distribution:
    """Return the histogram of the requests of all."""
    bounds = np.concatenate([histogram[0] for histogram in several])
    counts = np.concatenate([histogram[1] for histogram in several])
    merged_bounds, place = np.unique(bounds, return_inverse=True)
    # bins of equal bounds are one
    return merged_bounds, np.bincount(place, counts, len(merged_bounds)).astype(np.int64)


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
    steps = [np.floor(np.log(values) / np.ptp(np.log(values)) * POINTS) for values in (times, shares) if np.ptp(values)]
    changes = np.any([np.diff(step, prepend=np.inf) != 0 for step in steps], axis=0) if steps else np.full(1, True)
    changes[-1] = True  # the end of the curve is always told
    return times[changes], shares[changes]


def tail_chart(
    name: str, title: str, caption: str, data: str, several: Mapping[str, Distribution], hues: Mapping[str, str]
) -> Chart | None:
    """Return a chart of the curves of `several`; None if nothing took any time."""
    rows = [
        (series, *point)
        for series, histogram in several.items()
        for point in zip(*map(np.ndarray.tolist, beyond(histogram)), strict=True)
    ]
    if not rows:
        return None
    percentile = "'p' + format(100 * (1 - datum.value), '.6~g')"
    y = alt.Y(
        "beyond:Q",
        scale=alt.Scale(type="log", domain=[BEYOND, 1]),
        title="share of the requests (percentile)",
        axis=alt.Axis(values=TICKS, labelExpr=percentile),
    )
    tooltip = [
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("us:Q", title="response time, µs", format=",.1f"),
        alt.Tooltip("beyond:Q", title="share that takes longer", format=".3~g"),
    ]
    drawn = chart(data, height=290).mark_line(interpolate="step-before", strokeWidth=1.8, clip=True)
    drawn = drawn.encode(x=_times("us:Q"), y=y, color=_hues(rows, several, hues), tooltip=tooltip)
    return Chart(name, title, caption, finished(drawn), in_columns(rows, "series", "us", "beyond"))


BINS_A_DECADE = 20


def histogram_chart(
    name: str, title: str, caption: str, data: str, several: Mapping[str, Distribution], hues: Mapping[str, str]
) -> Chart | None:
    """Return a chart of how the requests of each of `several` are spread over bins of response times."""
    rows = []
    for series, (bounds, counts) in several.items():
        timed = bounds > 0
        # the bin of a bound: bounds are upper ones, so rounded up
        place = np.ceil(np.log10(bounds[timed]) * BINS_A_DECADE).astype(int)
        for number in np.unique(place).tolist():
            share = float(counts[timed][place == number].sum() / counts.sum())
            rows.append((series, 10 ** ((number - 1) / BINS_A_DECADE), 10 ** (number / BINS_A_DECADE), share))
    if not rows:
        return None
    y = alt.Y("share:Q", title="share of the requests", stack=None, axis=alt.Axis(format="%"))
    tooltip = [
        alt.Tooltip("series:N", title="of"),
        alt.Tooltip("from_us:Q", title="from, µs", format=",.1f"),
        alt.Tooltip("to_us:Q", title="to, µs", format=",.1f"),
        alt.Tooltip("share:Q", title="share of the requests", format=".3%"),
    ]
    drawn = chart(data, height=290).mark_bar(opacity=0.55, binSpacing=0)
    hue = _hues(rows, several, hues)
    drawn = drawn.encode(x=_times("from_us:Q"), x2="to_us:Q", y=y, y2=alt.datum(0), color=hue, tooltip=tooltip)
    return Chart(name, title, caption, finished(drawn), in_columns(rows, "series", "from_us", "to_us", "share"))


def _times(field: str) -> alt.X:
    x = alt.X(field, scale=alt.Scale(type="log", nice=False), title="response time (µs)")
    return x.axis(format=",~g", labelOverlap="greedy", labelSeparation=6)


def _hues(rows: Sequence[tuple[Any, ...]], several: Mapping[str, Any], hues: Mapping[str, str]) -> alt.Color:
    drawn = {row[0] for row in rows}
    return colour([series for series in several if series in drawn], hues)
