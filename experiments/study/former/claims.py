"""What a paper says of its results, held against ours: a row a claim, over seeds, with a verdict that can fail."""

from collections.abc import Iterable, Sequence
from math import inf
from statistics import fmean

import attrs

from ssdsim.metrics.confidence import across

from ..tables import markdown, number

FEWEST_SEEDS = 3
HEADER = ("", "ours", "95 percent", "paper", "")
CLAIMS = " | ".join(HEADER[1:4])
"""What is in every table of claims, and in none else."""

RULES = """\
The interval is that of the mean at 95 percent (Student's t) over seeds. A number agrees with the paper's if its whole
interval is within a third of it (at least, at most: within the bound); it is off if no part of the interval is, and of
the other direction if all of it is on the other side of 0; between the two it is open. Without an interval, of a single
seed, the number itself decides. What was not run, or has no cases, is not measured.
"""


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 percent interval of the mean of `values`; None for fewer than `FEWEST_SEEDS`."""
    return across(values) if len(values) >= FEWEST_SEEDS else None


@attrs.frozen
class Comparison:
    """A number of ours beside the paper's.

    Its sign is its direction: a reduction below 0 is a rise. `slack` is a difference, in the number's own unit, that
    means nothing, such as half of the last digit that the paper prints. `rule` says what the paper's number is: the
    value (`within` a third of it), or a bound (`at least`, `at most`).
    """

    what: str
    ours: float | None
    paper: float
    unit: str = "%"
    slack: float = 0.5
    rule: str = attrs.field(default="within", validator=attrs.validators.in_(("within", "at least", "at most")))
    seeds: tuple[float, ...] = ()
    """Ours under each seed, of which `ours` is the mean; empty if there was one."""

    @property
    def range(self) -> tuple[float, float] | None:
        """The interval of ours, None without enough seeds."""
        return interval(self.seeds)

    @property
    def allowed(self) -> tuple[float, float]:
        """What agrees: from, to."""
        if self.rule == "within":
            reach = max(abs(self.paper) / 3, self.slack)
            return self.paper - reach, self.paper + reach
        return (self.paper - self.slack, inf) if self.rule == "at least" else (-inf, self.paper + self.slack)

    @property
    def verdict(self) -> str:
        """What `RULES` say."""
        if self.ours is None:
            return "not measured"
        low, high = self.range or (self.ours, self.ours)
        lower_bound, upper_bound = self.allowed
        if lower_bound <= low and high <= upper_bound:
            return "agrees"
        if high >= lower_bound and low <= upper_bound:
            return "open"
        if self.rule != "within":
            return "**beyond the bound**"
        return "**other direction**" if max(low * self.paper, high * self.paper) < 0 else "**off by more than a third**"

    @property
    def agrees(self) -> bool:
        """Whether nothing has to be explained."""
        return self.verdict == "agrees"

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table: what, ours, its interval, paper, verdict."""
        ends = "-" if self.range is None else " to ".join(number(end) for end in self.range)
        bound = "" if self.rule == "within" else f"{self.rule} "
        ours = "-" if self.ours is None else f"{number(self.ours)}{self.unit}"
        return self.what, ours, ends, f"{bound}{number(self.paper)}{self.unit}", self.verdict


def over_seeds(runs: Iterable[Iterable[Comparison]]) -> list[Comparison]:
    """Return the claims of runs under several seeds, told apart by `what`: ours is the mean of those known."""
    found: dict[str, list[Comparison]] = {}
    for comparisons in runs:
        for each in comparisons:
            found.setdefault(each.what, []).append(each)
    return [_joined(of) for of in found.values()]


def _joined(of: Sequence[Comparison]) -> Comparison:
    known = tuple(each.ours for each in of if each.ours is not None)
    return attrs.evolve(of[0], ours=fmean(known) if known else None, seeds=known)


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Return the table of `comparisons` in Markdown."""
    return markdown(HEADER, (each.row() for each in comparisons))
