"""The algebra of formulas: arithmetic on numbers, one by one or an array of them by workload.

What is not known is NaN, and so is all arithmetic with it. The functions that make one number of several leave out
those that are not known; where all of them have to be, a formula says `every`.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

Numbers = Any
"""A float, an array of them, or several of these."""


def flat(numbers: Numbers) -> np.ndarray:
    """Return all numbers of a nest of them in one array."""
    if isinstance(numbers, Iterable):
        return np.concatenate([np.empty(0), *(flat(part) for part in numbers)])
    return np.array([numbers], float)


def known(numbers: Numbers) -> np.ndarray:
    """Return the numbers that are known."""
    return (all_numbers := flat(numbers))[~np.isnan(all_numbers)]


def every(numbers: Numbers) -> np.ndarray:
    """Return the numbers if all of them are known, and none if not."""
    all_numbers = flat(numbers)
    return np.empty(0) if np.isnan(all_numbers).any() else all_numbers


def with_mean(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers, and the mean of those that are known."""
    return np.append(numbers, mean(numbers))


def over(ours: Numbers, base: Numbers) -> Numbers:
    """Return a quotient, not known over 0."""
    return ours / np.where(np.equal(base, 0), np.nan, base)


def above(ours: Numbers, base: Numbers) -> Numbers:
    """Return by how many percent `ours` is above `base`."""
    return 100 * (over(ours, base) - 1)


def below(ours: Numbers, base: Numbers) -> Numbers:
    """Return by how many percent `ours` is below `base`."""
    return 100 * (1 - over(ours, base))


def _of_known(function: Callable[..., Any]) -> Callable[..., float]:
    """Return the function of a nest of numbers that makes one of those known, NaN of none."""
    return lambda numbers, *more: float(function(values, *more)) if len(values := known(numbers)) else np.nan


mean, least, largest = _of_known(np.mean), _of_known(np.min), _of_known(np.max)
count = _of_known(lambda values, limit=0.0: (values > limit).sum())
"""How many are above a limit."""
share = _of_known(lambda values: 100 * (values > 0).mean())
"""How many percent are above 0."""
