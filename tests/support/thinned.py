"""Grids of cases, of which a usual run of the tests takes a part; `-m more` takes the others."""

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def grid(share: float, *axes: Iterable[Any]) -> list[Any]:
    """Return the cases of all values with all others; usual are those whose places add up to a multiple of 1/`share`.

    So every value of an axis is in a usual case if the other axes are not shorter than that.
    """
    step = round(1 / share)
    cases = product(*(list(enumerate(axis)) for axis in axes))
    return [
        pytest.param(
            *(value for _, value in case), marks=[] if sum(place for place, _ in case) % step == 0 else pytest.mark.more
        )
        for case in cases
    ]


some = grid
"""For the values of one parameter."""
