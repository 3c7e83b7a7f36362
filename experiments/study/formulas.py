"""The algebra of formulas: arithmetic on numbers, one by one or an array of them by workload.

What is not known is NaN, and so is all arithmetic with it. The functions that make one number of several leave out
those that are not known; where all of them have to be, a formula says `every`.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

Numbers = Any
"""A float, an array of them, or several of these."""


class Measured(Protocol):
    """A measure of the runs of a study, as formulas call it: of a system, of loads or all, of a part or the first."""

    @property
    def name(self) -> str:
        """What formulas call it."""

    def __call__(self, system: str, loads: Any = None, part: str | None = None) -> Numbers:
        """Return its numbers: one under a load, an array of them under several."""


def flat(numbers: Numbers) -> np.ndarray:
    """Return all numbers of a nest of them in one array."""
    if isinstance(numbers, Iterable):
        return np.concatenate([np.empty(0), *(flat(part) for part in numbers)])
    return np.array([numbers], float)


def known(numbers: Numbers) -> np.ndarray:
    """Return the numbers that are known."""
    all_numbers = flat(numbers)
    return all_numbers[~np.isnan(all_numbers)]


def every(numbers: Numbers) -> np.ndarray:
    """Return the numbers if all of them are known, and none if not."""
    all_numbers = flat(numbers)
    return np.empty(0) if np.isnan(all_numbers).any() else all_numbers


def over(ours: Numbers, base: Numbers) -> Numbers:
    """Return a quotient, not known over 0."""
    base = np.asarray(base, float)
    return ours / np.where(base == 0, np.nan, base)


def above(ours: Numbers, base: Numbers) -> Numbers:
    """Return by how many percent `ours` is above `base`."""
    return 100 * (over(ours, base) - 1)


def below(ours: Numbers, base: Numbers) -> Numbers:
    """Return by how many percent `ours` is below `base`."""
    return 100 * (1 - over(ours, base))


def mean(numbers: Numbers) -> float:
    """Return the mean."""
    values = known(numbers)
    return float(values.mean()) if len(values) else np.nan


def least(numbers: Numbers) -> float:
    """Return the least."""
    values = known(numbers)
    return float(values.min()) if len(values) else np.nan


def largest(numbers: Numbers) -> float:
    """Return the largest."""
    return -least(-flat(numbers))


def farthest(numbers: Numbers) -> float:
    """Return the number that is the farthest from 0, with its sign."""
    return float(max(known(numbers), key=abs, default=np.nan))


def count(numbers: Numbers, limit: float = 0.0) -> float:
    """Return how many are above `limit`."""
    values = known(numbers)
    return float((values > limit).sum()) if len(values) else np.nan


def share(numbers: Numbers) -> float:
    """Return how many percent are above 0."""
    return 100 * mean(np.sign(known(numbers)) > 0)


def correlation(ours: Numbers, theirs: Numbers) -> float:
    """Return the correlation of two measures over the workloads at which both are known, if both vary."""
    both = np.array([ours, theirs])[:, ~np.isnan(ours + theirs)]
    varies = both.shape[1] > 1 and (both.min(axis=1) < both.max(axis=1)).all()
    return float(np.corrcoef(both)[0, 1]) if varies else np.nan
