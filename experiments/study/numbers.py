"""Numbers of a study's results, any of which may be missing, and formulae of them that read like a paper's claims."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean

import attrs

from ssdsim.metrics.result import Result

from .measures import Measure, ratio, reduction, rise
from .study import Held, Results


@attrs.frozen
class Number:
    """A number of the results, None where there is nothing to measure: the measure of a claim, as it stands."""

    measure: Held

    def __call__(self, results: Results) -> float | None:
        """Return the number, as a measure does."""
        return self.measure(results)

    def __neg__(self) -> "Number":
        return computed(operator.neg, self)

    def __sub__(self, other: "Number") -> "Number":
        return computed(operator.sub, self, other)

    def over(self, base: "Number") -> "Number":
        """Return the quotient of this and `base`."""
        return computed(ratio, self, base)

    def above(self, base: "Number") -> "Number":
        """Return by how many percent this is above `base`."""
        return computed(rise, self, base)

    def below(self, base: "Number") -> "Number":
        """Return by how many percent this is below `base`."""
        return computed(reduction, self, base)


ByWorkload = Mapping[str, Number]


def run_value(part: str, workload: str, system: str, measure: Callable[[Result], float | None]) -> Number:
    """Return the number that `measure` takes of a run, None where its part lacks it."""

    def of_run(results: Results) -> float | None:
        result = results[part].get(f"{workload}/{system}")
        return None if result is None else measure(result)

    return Number(of_run)


def summary_value(part: str, workload: str, system: str, measure: Measure) -> Number:
    """Return the number that `measure` takes of the summary of a run, None where its part lacks it."""
    return run_value(part, workload, system, lambda result: measure(result.summary))


def computed(formula: Callable[..., float | None], *numbers: Number) -> Number:
    """Return the result of a formula, None unless all of its numbers are known."""

    def measure(results: Results) -> float | None:
        values = [number(results) for number in numbers]
        return None if None in values else formula(*values)

    return Number(measure)


def of_known(formula: Callable[[Sequence[float]], float], numbers: Iterable[Number]) -> Number:
    """Return the result of a formula of those of the numbers that are known, None if none is."""
    candidates = [*numbers]

    def measure(results: Results) -> float | None:
        known = [value for number in candidates if (value := number(results)) is not None]
        return formula(known) if known else None

    return Number(measure)


mean, least, largest = (partial(of_known, formula) for formula in (fmean, min, max))
"""Of the numbers that are known."""


def of_all(formula: Callable[[Sequence[float]], float], numbers: Iterable[Number]) -> Number:
    """Return the result of a formula of all of the numbers, None unless all are known."""
    return computed(lambda *values: formula(values), *numbers)


def others(numbers: ByWorkload, *names: str) -> list[Number]:
    """Return the numbers of all workloads but `names`."""
    return [number for name, number in numbers.items() if name not in names]
