"""Grids of cases, of which a usual run of the tests takes a part; `-m more` takes the others."""

from collections.abc import Iterable, Sequence
from itertools import count, product
from random import Random
from typing import Any

import pytest
from hypothesis import settings

EVERY_CASE = settings.default.max_examples > 1000
"""Whether the profile is the long one."""


def thinned(share: float, cases: Iterable[Sequence[Any]]) -> list[Any]:
    """Return `cases`, all but a `share` of them marked `more`; every value of every parameter is in that share."""
    cases = list(cases)
    size = len(cases) if EVERY_CASE else round(share * len(cases))
    drawn = next(places for seed in count() if _covers(cases, places := Random(seed).sample(range(len(cases)), size)))
    return [pytest.param(*case, marks=[] if place in drawn else pytest.mark.more) for place, case in enumerate(cases)]


def grid(share: float, *axes: Iterable[Any]) -> list[Any]:
    """Return the cases of all values with all others, thinned."""
    return thinned(share, product(*axes))


def _covers(cases: Sequence[Sequence[Any]], places: Iterable[int]) -> bool:
    chosen = [cases[place] for place in places]
    return all(
        {repr(case[axis]) for case in cases} == {repr(case[axis]) for case in chosen} for axis in range(len(cases[0]))
    )
