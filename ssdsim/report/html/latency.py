"""Distributions of response times: how large a share of the requests takes longer, on logarithmic axes."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ssdsim.report.html.page import Chart, Columns
from ssdsim.report.html.theme import chart, colour, finished

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
    """Return the histogram of an operation."""
    bins = latency.filter(pc.equal(latency["op"], op)).sort_by("up_to_us")
    return bins["up_to_us"].to_numpy(), bins["count"].to_numpy()


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
) -> tuple[Chart, Columns] | None:
    """Return a chart of the curves of `several`, and its data; None if nothing took any time."""
    columns: dict[str, list] = {"series": [], "us": [], "beyond": []}
    for series, histogram in several.items():
        times, shares = beyond(histogram)
        columns["series"] += [series] * len(times)
        columns["us"] += times.tolist()
        columns["beyond"] += shares.tolist()
    if not columns["us"]:
        return None
    percentile = "'p' + format(100 * (1 - datum.value), '.6~g')"
    drawn = (
        chart(data, height=290)
        .mark_line(interpolate="step-before", strokeWidth=1.8, clip=True)
        .encode(
            x=alt.X("us:Q", scale=alt.Scale(type="log", nice=False), title="response time (µs)").axis(
                format=",~g", labelOverlap="greedy", labelSeparation=6
            ),
            y=alt.Y(
                "beyond:Q",
                scale=alt.Scale(type="log", domain=[BEYOND, 1]),
                title="share of the requests (percentile)",
                axis=alt.Axis(values=TICKS, labelExpr=percentile),
            ),
            color=colour([series for series in several if series in columns["series"]], hues),
            tooltip=[
                alt.Tooltip("series:N", title="of"),
                alt.Tooltip("us:Q", title="response time, µs", format=",.1f"),
                alt.Tooltip("beyond:Q", title="share that takes longer", format=".3~g"),
            ],
        )
    )
    return Chart(name, title, caption, finished(drawn)), columns


BINS_A_DECADE = 20


def histogram_chart(
    name: str, title: str, caption: str, data: str, several: Mapping[str, Distribution], hues: Mapping[str, str]
) -> tuple[Chart, Columns] | None:
    """Return a chart of how the requests of each of `several` are spread over bins of response times, and its data."""
    columns: dict[str, list] = {"series": [], "from_us": [], "to_us": [], "share": []}
    for series, (bounds, counts) in several.items():
        timed = bounds > 0
        # the bin of a bound: bounds are upper ones, so rounded up
        place = np.ceil(np.log10(bounds[timed]) * BINS_A_DECADE).astype(int)
        for number in np.unique(place).tolist():
            columns["series"].append(series)
            columns["from_us"].append(10 ** ((number - 1) / BINS_A_DECADE))
            columns["to_us"].append(10 ** (number / BINS_A_DECADE))
            columns["share"].append(float(counts[timed][place == number].sum() / counts.sum()))
    if not columns["share"]:
        return None
    drawn = (
        chart(data, height=290)
        .mark_bar(opacity=0.55, binSpacing=0)
        .encode(
            x=alt.X("from_us:Q", scale=alt.Scale(type="log", nice=False), title="response time (µs)").axis(
                format=",~g", labelOverlap="greedy", labelSeparation=6
            ),
            x2="to_us:Q",
            y=alt.Y("share:Q", title="share of the requests", stack=None, axis=alt.Axis(format="%")),
            y2=alt.datum(0),
            color=colour([series for series in several if series in columns["series"]], hues),
            tooltip=[
                alt.Tooltip("series:N", title="of"),
                alt.Tooltip("from_us:Q", title="from, µs", format=",.1f"),
                alt.Tooltip("to_us:Q", title="to, µs", format=",.1f"),
                alt.Tooltip("share:Q", title="share of the requests", format=".3%"),
            ],
        )
    )
    return Chart(name, title, caption, finished(drawn)), columns
