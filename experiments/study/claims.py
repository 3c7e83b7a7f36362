"""The claims of a paper on its results, as data, held against ours over seeds, with a verdict that can fail."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan, nextafter
from pathlib import Path
from statistics import fmean
from typing import Any

import attrs

from ssdsim.report.comparison import across
from ssdsim.report.text import number

RULES = """\
The interval is that of the mean at 95 percent (Student's t) over seeds. A number agrees with the paper's if its whole
interval lies in what the column «agrees» says. For a value that is a third of it to both sides, or a slack that is too
small to mean anything, if that is more. For «at least» and «at most» it is the bound with that slack; at most a number
above 0 also means at least its negative. «More than» and «less than» have no slack. A number is off if no part of the
interval lies there, and of the other direction if all of it is on the other side of 0; between the two it is open.
Without an interval, of fewer than three seeds, the number itself decides. A claim is trivial if it is a count of cases,
or would agree if nothing happened at all; trivial ones are counted apart. What was not run is not measured.
"""


@attrs.frozen
class Claim:
    """A number that a paper prints, or a bound or an order that it states; the sign is the direction."""

    name: str
    what: str
    where: str  # figure, table or section of the paper
    paper: float
    unit: str
    formula: str  # our number, in the words of `formulas` and of the paper; empty if it is not held against any run
    rule: str = "within"
    slack: float = 0.5  # a difference, in the unit, that means nothing, such as half of the last digit that is printed
    null: float | None = 0.0  # our number if nothing happened of the paper's claim; None if there is no such number
    counts: bool = False  # whether it is a count of cases
    note: str = ""  # the reason why it is not held, or a remark on its numbers

    @property
    def allowed(self) -> tuple[float, float]:
        """The numbers that agree: from, to."""
        paper, reach, most = self.paper, max(abs(self.paper) / 3, self.slack), self.paper + self.slack
        return {
            "within": (paper - reach, paper + reach),
            "at least": (paper - self.slack, inf),
            "at most": (-most if paper > 0 else -inf, most),
            "more than": (nextafter(paper, inf), inf),  # the next number: the bound itself does not agree
            "less than": (-inf, nextafter(paper, -inf)),
        }[self.rule]

    @property
    def is_trivial(self) -> bool:
        """Whether it agrees where nothing happens, or is a count of cases."""
        low, high = self.allowed
        return self.counts or (self.null is not None and low <= self.null <= high)

    @property
    def told(self) -> str:
        """The paper's number, with its bound and unit."""
        return f"{'' if self.rule == 'within' else f'{self.rule} '}{number(self.paper)}{self.unit}"

    @property
    def agrees(self) -> str:
        """The numbers that agree, in words."""
        low, high = (number(end) for end in self.allowed)
        most = f"{low} to {high}" if self.paper > 0 else f"{high} and less"
        told = {"within": f"{low} to {high}", "at least": f"{low} and more", "at most": most}
        return told.get(self.rule, self.rule)

    def verdict(self, low: float, high: float) -> str:
        """Return the verdict of `RULES` on an interval, or on a number that is both its ends."""
        least, most = self.allowed
        if least <= low and high <= most:
            return "agrees"
        if high >= least and low <= most:
            return "open"
        if self.rule != "within":
            return "beyond the bound"
        # all of the interval beyond 0 from the paper's number
        return "other direction" if max(low * self.paper, high * self.paper) < 0 else "off by more than a third"


def interval(seeds: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean over seeds and the ends of its interval, NaN of fewer than three, which say nothing."""
    low, high = (across(seeds) if len(seeds) >= 3 else None) or (nan, nan)
    return fmean(seeds), low, high


def counted(measured: Iterable[tuple[Claim, Mapping[str, Any]]]) -> str:
    """Return the sentence that says how many claims agree, given each with the row of its verdict."""
    agree = [(row["verdict"] == "agrees", claim.is_trivial) for claim, row in measured]
    telling = [agrees for agrees, is_trivial in agree if not is_trivial]
    first = f"{sum(agrees for agrees, _ in agree)} of {len(agree)} claims agree"
    return f"{first}; of the {len(telling)} that are not trivial, {sum(telling)} do."


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, by their columns."""
    with path.open(encoding="utf-8") as table:
        return [*csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")]


def claim_of(claim: str, what: str, where: str, paper: str, formula: str, band: str, null: str, note: str) -> Claim:
    """Return the claim of a row of `NAME.claims.tsv`."""
    value, unit = re.fullmatch(r"(-?[\d.]+)(.*)", paper).groups()  # type: ignore[union-attr]
    rule, slack = re.fullmatch(r"([a-z ]+?) ?([\d.]*)", band).groups()  # type: ignore[union-attr]
    number_if_nothing = None if null in ("", "count") else float(null)
    paper_number = float(value) if "." in value else int(value)  # a whole number is shown as one
    limits = rule, float(slack or 0), number_if_nothing, null == "count"
    return Claim(claim, what, where, paper_number, unit, formula, *limits, note)
