"""Confidence intervals at 95 percent: within a run from batches of it, across runs from their seeds."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from ssdsim._core.codes import READ, WRITE
from ssdsim._core.latency import LatencyRecorder
from ssdsim.metrics.tally import Tally

STUDENT_975 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's t that is not exceeded with a probability of 97.5 percent, for 1, 2, ... degrees of freedom."""

BATCHES = 16
"""Batches that a run is cut into: of 10 to 30, more gain next to nothing (Schmeiser, Operations Research 30(3), 1982,
"Batch size effects in the analysis of simulation output"), and longer ones depend less on each other."""

FEWEST_BATCHES = 10  # of `BATCHES`: with fewer the spread is hardly known
FEWEST_IN_BATCH = 50
BEYOND_PERCENTILE = 10
"""Values beyond a percentile that a batch has to hold, in the mean, for its percentile to tell anything."""

MOST_CORRELATED = 0.9
"""Where neighbouring batches depend on each other this much, the batches say nothing about the spread."""

Interval = tuple[float, float]


def across(values: Sequence[float]) -> Interval | None:
    """Return the interval of the mean of independent runs (Student's t), None for fewer than two."""
    if len(values) < 2:
        return None
    from statistics import fmean, stdev  # which a single run needs nothing of

    # beyond the end of the table t hardly falls: its last value errs on the safe side
    t = STUDENT_975[min(len(values) - 1, len(STUDENT_975)) - 1]
    middle, half = fmean(values), t * stdev(values) / sqrt(len(values))
    return middle - half, middle + half


def half_width(deviations: np.ndarray) -> float | None:
    """Return half of the interval of an estimate, given by how much that of each batch deviates from it, in order.

    None for too few batches, or such as depend on each other too much. For the whole-run estimate of a mean these are
    nonoverlapping batch means, for that of a percentile it is sectioning (Asmussen and Glynn, Stochastic Simulation,
    2007, III.5). The correlation of neighbouring batches widens the interval, as in N-Skart (Tafazzoli, Steiger and
    Wilson, IEEE Transactions on Automatic Control 56(2), 2011), by sqrt((1 + r) / (1 - r)); a negative one is taken as
    chance.
    """
    count = len(deviations)
    if count < FEWEST_BATCHES:
        return None
    # deviations of an estimate from itself have mean 0, so no mean is taken off
    squares = float(deviations @ deviations)
    if squares == 0:
        return 0.0
    correlation = max(float(deviations[1:] @ deviations[:-1]) / squares, 0.0)
    if correlation > MOST_CORRELATED:
        return None
    spread = sqrt(squares / (count - 1) / count)  # of the mean of the batches, not of one of them
    # degrees of freedom are one less than the batches
    return STUDENT_975[count - 2] * spread * sqrt((1 + correlation) / (1 - correlation))


def around(estimate: float, half: float | None) -> list[float] | None:
    """Return the interval as it stands in `summary.json`; what is never below 0 has no interval that is."""
    return None if half is None else [max(estimate - half, 0.0), estimate + half]


def of_latency(latency: LatencyRecorder, percentiles: dict[str, float]) -> dict[str, list[float] | None]:
    """Return the intervals of the mean and of `percentiles`, in microseconds, from batches in the order of completion.

    They take the load for stationary, and batches for long against how far response times depend on each other. Of an
    M/M/1 queue at 80 percent load, 94 percent of the intervals of the mean and 82 of those of the 99th percentile hold
    the value in runs of 20,000 requests, 93 and 90 in runs of 100,000. A percentile has none if fewer than
    `FEWEST_BATCHES` batches hold `BEYOND_PERCENTILE` values beyond it each.
    """
    count = latency.count
    intervals: dict[str, list[float] | None] = {"mean": None}
    if count >= BATCHES * FEWEST_IN_BATCH:
        means = latency.batches(BATCHES, ())[:, 0]
        intervals["mean"] = around(latency.mean / 1000, half_width((means - latency.mean) / 1000))
    # 1e-9: 0.1 of 1000 is 100, for all its binary digits
    shares = np.array([*percentiles.values()])
    wanted = np.minimum(BATCHES, count * np.minimum(1 - shares, shares) / BEYOND_PERCENTILE * (1 + 1e-9)).astype(int)
    # all percentiles of as many batches at once: each time the values of every batch are sorted
    batches = {
        number: iter(latency.batches(number, shares[wanted == number])[:, 1:].T)
        for number in {*wanted.tolist()}
        if number >= FEWEST_BATCHES
    }
    wholes = latency.percentiles(percentiles.values())
    for name, number, whole in zip(percentiles, wanted.tolist(), wholes, strict=True):
        half = half_width((next(batches[number]) - whole) / 1000) if number in batches else None
        intervals[name] = around(whole / 1000, half)
    return intervals


def batch_means(tally: Tally) -> dict[str, np.ndarray]:
    """Return the mean response times of batches of reads and of writes, in us; not of operations with too few."""
    latencies = {"read": tally.response(READ), "write": tally.response(WRITE)}
    enough = {op: latency for op, latency in latencies.items() if latency.count >= BATCHES * FEWEST_IN_BATCH}
    return {op: latency.batches(BATCHES, ())[:, 0] / 1000 for op, latency in enough.items()}


def of_requests(tally: Tally | None, percentiles: dict[str, float]) -> dict[str, dict[str, list[float] | None]]:
    """Return the intervals of response times, of reads and of writes; all None where there were no response times."""
    # a maximum has nothing beyond it, and no interval
    proper = {name: share for name, share in percentiles.items() if share < 1}
    if tally is None:
        return {op: dict.fromkeys(["mean", *proper]) for op in ("read", "write")}
    return {op: of_latency(tally.response(code), proper) for op, code in (("read", READ), ("write", WRITE))}


def of_ratio(parts: np.ndarray, wholes: np.ndarray) -> list[float] | None:
    """Return the interval of `parts.sum() / wholes.sum()`, given both by short and equally long pieces of a run.

    It is that of a ratio of means, by batches of neighbouring pieces (Cochran, Sampling Techniques, 1977, chapter 6).
    """
    if len(parts) < FEWEST_BATCHES or not wholes.any():
        return None
    # each of about as many pieces, and none of none
    starts = sorted({*np.linspace(0, len(parts), BATCHES, endpoint=False).astype(int).tolist()})
    part, whole = np.add.reduceat(parts, starts), np.add.reduceat(wholes, starts)
    ratio = float(part.sum() / whole.sum())
    return around(ratio, half_width((part - ratio * whole) / whole.mean()))  # in units of the ratio
