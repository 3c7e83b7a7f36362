"""Grids of cases, of which a usual run of the tests takes a part; `-m more` takes the others."""

from collections.abc import Collection, Iterable, Sequence
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import settings

EVERY_CASE = settings.default.max_examples > 1000
"""Whether the profile is the long one."""


def thinned(share: float, cases: Iterable[Sequence[Any]]) -> list[Any]:
    """Return `cases`, all but a `share` of them marked `more`.

    Every value of every parameter is in that share, which is larger than asked for where it takes that.
    """
    cases = list(cases)
    return _marked(cases, _drawn(cases, round(share * len(cases))))


def some(share: float, values: Iterable[Any]) -> list[Any]:
    """Return the `values` of a parameter, all but a `share` of them, drawn at random, marked `more`."""
    cases = [(value,) for value in values]
    return _marked(cases, Random(len(cases)).sample(range(len(cases)), round(share * len(cases))))


def _marked(cases: Sequence[Sequence[Any]], usual: Collection[int]) -> list[Any]:
    return [
        pytest.param(*case, marks=[] if EVERY_CASE or place in usual else pytest.mark.more)
        for place, case in enumerate(cases)
    ]


def grid(share: float, *axes: Iterable[Any]) -> list[Any]:
    """Return the cases of all values with all others, thinned."""
    return thinned(share, product(*axes))


def _drawn(cases: Sequence[Sequence[Any]], size: int) -> set[int]:
    """Return `size` places drawn at random, those first that have a value which none before them has."""
    order = Random(len(cases)).sample(range(len(cases)), len(cases))
    seen: set[tuple[int, str]] = set()
    new = []
    for place in order:
        values = {(axis, repr(value)) for axis, value in enumerate(cases[place])}
        if not values <= seen:
            new.append(place)
        seen |= values
    others = [place for place in order if place not in new]
    return {*new, *others[: max(size - len(new), 0)]}
