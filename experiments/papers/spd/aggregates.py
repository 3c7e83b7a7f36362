"""Aggregates of a measure over the workloads: of values, and as functions that hold claims (`Held`)."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import StatisticsError, correlation

from ...study.measures import Measure, mean, negative
from ...study.study import Held, Results
from .measures import Grid
from .systems import BASE

Values = Mapping[str, float]
"""By workload, of the paper's."""

ByWorkload = Mapping[str, float | None]


def known(found: ByWorkload) -> Values:
    """Return the values that there are."""
    return {name: of for name, of in found.items() if of is not None}


def values(results: Results, part: str, measure: Measure, system: str) -> Values:
    """Return a measure of a system under the paper's workloads."""
    grid = Grid(results[part])
    return known({name: grid.value(measure, name, system) for name in grid.of_paper})


def reductions(results: Results, part: str, measure: Measure, system: str, against: str = BASE) -> Values:
    """Return the reductions of a measure under the paper's workloads, in percent."""
    grid = Grid(results[part])
    return known({name: grid.reduction(measure, name, system, against) for name in grid.of_paper})


# Of values by workload.


def difference(one: float | None, other: float | None) -> float | None:
    """Return `one` less `other`, None without both."""
    return None if one is None or other is None else one - other


def least(found: Iterable[float | None]) -> float | None:
    """Return the least of those that are known, None if none is."""
    return min((each for each in found if each is not None), default=None)


def largest(found: Iterable[float | None]) -> float | None:
    """Return the largest of those that are known, None if none is."""
    return max((each for each in found if each is not None), default=None)


def apart(found: Values, names: Sequence[str]) -> float | None:
    """Return the mean of the values under `names`, all of which are known, less that of those under the others."""
    if not {*names} <= {*found}:
        return None
    return difference(mean(found[name] for name in names), mean(of for name, of in found.items() if name not in names))


def above_least(found: Values, name: str) -> float | None:
    """Return the value under `name` less the least of the others."""
    return difference(found.get(name), least(of for other, of in found.items() if other != name))


def above_largest(found: Values, name: str) -> float | None:
    """Return the value under `name` less the largest of the others."""
    return difference(found.get(name), largest(of for other, of in found.items() if other != name))


def alike(one: Values, other: Values) -> float | None:
    """Return the correlation of two measures over the workloads, None if one of them does not vary."""
    names = [name for name in one if name in other]
    try:
        return correlation([one[name] for name in names], [other[name] for name in names])
    except StatisticsError:
        return None


# Held against the paper.


def average(part: str, measure: Measure, system: str, against: str = BASE) -> Held:
    """Return the average reduction over the workloads."""
    return lambda results: mean(reductions(results, part, measure, system, against).values())


def average_rise(part: str, measure: Measure, system: str, against: str = BASE) -> Held:
    """Return the average rise over the workloads."""
    return lambda results: negative(mean(reductions(results, part, measure, system, against).values()))


def most_rise(part: str, measure: Measure, system: str) -> Held:
    """Return the largest rise of the workloads."""
    return lambda results: negative(least(reductions(results, part, measure, system).values()))


def under(name: str, part: str, measure: Measure, system: str, against: str = BASE) -> Held:
    """Return the reduction under one workload."""
    return lambda results: reductions(results, part, measure, system, against).get(name)


def level(part: str, measure: Measure, system: str) -> Held:
    """Return the average of a measure over the workloads."""
    return lambda results: mean(values(results, part, measure, system).values())


def above_base(part: str, measure: Measure, system: str) -> Held:
    """Return by how much the average of a measure is above Baseline-D's."""
    ours, base = level(part, measure, system), level(part, measure, BASE)
    return lambda results: difference(ours(results), base(results))


def above_best(part: str, measure: Measure, others: Iterable[str]) -> Held:
    """Return SPD's average reduction less the largest of the others'."""
    ours, theirs = average(part, measure, "SPD"), [average(part, measure, other) for other in others]
    return lambda results: difference(ours(results), largest(held(results) for held in theirs))


def below(part: str, measure: Measure, others: Sequence[str]) -> Held:
    """Return the number of workloads under which SPD's measure is below those of all others."""

    def held(results: Results) -> float | None:
        against = [reductions(results, part, measure, "SPD", other) for other in others]
        names = {*against[0]}.intersection(*against)
        return sum(all(of[name] > 0 for of in against) for name in names) if names else None

    return held


def least_of(some: Iterable[Held]) -> Held:
    """Return the least of what is held."""
    all_of = [*some]
    return lambda results: least(held(results) for held in all_of)
