"""Intervals that an estimate from random draws is held against.

A sound estimate leaves its interval, of `SIGMAS` standard errors on either side, once in 500 million: no seed has to be
chosen, and the random examples of a long run find none by chance.
"""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

SIGMAS = 6.0
RARE = 2e-9


def near_mean(mean: float, deviation: float, count: float) -> Any:
    """Return `mean`, give or take what that of `count` draws of this standard deviation may be off."""
    return pytest.approx(mean, rel=0, abs=SIGMAS * deviation / sqrt(count))


def near_share(share: float, count: float) -> Any:
    """Return `share`, give or take what that among `count` independent draws may be off."""
    return near_mean(share, sqrt(share * (1 - share)), count)


def chi_square(counts: np.ndarray, shares: np.ndarray) -> float:
    """Return Pearson's statistic of counts over its rarest value by the cube root of Wilson and Hilferty: 1 at most.

    The expected counts must be large enough for it, some tens.
    """
    expected = counts.sum() * shares / shares.sum()
    assert expected.min() >= 20
    degrees = len(counts) - 1
    spread = 2 / 9 / degrees
    return float(((counts - expected) ** 2 / expected).sum() / degrees / (1 - spread + SIGMAS * sqrt(spread)) ** 3)


def farthest(values: np.ndarray, below: Any) -> float:
    """Return the distance of the draws' distribution from `below`, over that of Dvoretzky, Kiefer and Wolfowitz.

    `below` returns the probability of a draw below each of its arguments, of a distribution without steps. It is 1 at
    most.
    """
    expected, count = below(np.sort(values)), len(values)
    steps = np.arange(count + 1) / count
    distance = max(abs(expected - steps[1:]).max(), abs(expected - steps[:-1]).max())
    return float(distance / sqrt(log(2 / RARE) / 2 / count))
