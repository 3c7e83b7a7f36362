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
from ssdsim.report.text import TextTable, number

RULES = """\
The interval is that of the mean at 95 percent (Student's t) over seeds; of fewer than three the number itself decides.
A number agrees with the paper's if its whole interval lies in what the column «agrees» says: a third to both sides of
a value, and of a reduction also of what it leaves, or a slack that is too small to mean anything, if that is more; for
«at least» and «at most» the bound with that slack, where at most a number above 0 also means at least its negative. It
is open if a part of the interval lies there, of the other direction if all of it is on the other side of 0 from a
value, and off otherwise. A claim is trivial if it would agree if nothing happened at all, counts cases, or follows from
how a system is built. One that agrees, but not by what a choice was before results were seen, agrees by that choice.
"""

AGREES, AFTERWARDS, OPEN, OFF, OTHER = VERDICTS = (
    "agrees",
    "agrees by a choice made afterwards",
    "open",
    "off",
    "other direction",
)


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
    counts: bool = False  # whether it is a count of cases, or follows from how a system is built
    note: str = ""  # the reason why it is not held, or a remark on its numbers

    @property
    def allowed(self) -> tuple[float, float]:
        """The numbers that agree: from, to."""
        paper, reach, most = self.paper, max(abs(self.paper) / 3, self.slack), self.paper + self.slack
        left = max(abs(100 - paper) / 3, self.slack)  # of what a reduction leaves
        return {
            "within": (paper - reach, paper + reach),
            "reduces": (paper - min(reach, left), paper + min(reach, left)),
            "at least": (paper - self.slack, inf),
            "at most": (-most if paper > 0 else -inf, most),
            "more than": (nextafter(paper, inf), inf),  # the next number: the bound itself does not agree
            "less than": (-inf, nextafter(paper, -inf)),
        }[self.rule]

    @property
    def is_value(self) -> bool:
        """Whether it is held against a value, and not against a bound."""
        return self.rule in ("within", "reduces")

    @property
    def is_trivial(self) -> bool:
        """Whether it agrees where nothing happens, is a count of cases, or follows from how a system is built."""
        low, high = self.allowed
        return self.counts or (self.null is not None and low <= self.null <= high)

    @property
    def told(self) -> str:
        """The paper's number, with its bound and unit."""
        return f"{'' if self.is_value else f'{self.rule} '}{number(self.paper)}{self.unit}"

    @property
    def agrees(self) -> str:
        """The numbers that agree, in words."""
        low, high = (number(end) for end in self.allowed)
        most = f"{low} to {high}" if self.paper > 0 else f"{high} and less"
        told = {"at least": f"{low} and more", "at most": most, "more than": "more than", "less than": "less than"}
        return told.get(self.rule, f"{low} to {high}")

    def verdict(self, low: float, high: float) -> str:
        """Return the verdict of `RULES` on an interval, or on a number that is both its ends."""
        least, most = self.allowed
        if least <= low and high <= most:
            return AGREES
        if high >= least and low <= most:
            return OPEN
        # all of the interval beyond 0 from the paper's number
        return OTHER if self.is_value and max(low * self.paper, high * self.paper) < 0 else OFF


def interval(seeds: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean over seeds and the ends of its interval, NaN of fewer than three, which say nothing."""
    low, high = (across(seeds) if len(seeds) >= 3 else None) or (nan, nan)
    return fmean(seeds), low, high


Measured = Iterable[tuple[Claim, Mapping[str, Any]]]
"""Claims, each with the row of its verdict."""


def counted(measured: Measured) -> str:
    """Return the sentence that says how many claims agree."""
    held = [*measured]
    telling = [(claim, row["verdict"]) for claim, row in held if not claim.is_trivial]
    values = [verdict == AGREES for claim, verdict in telling if claim.is_value]
    bounds = [verdict == AGREES for claim, verdict in telling if not claim.is_value]
    later = sum(verdict == AFTERWARDS for _, verdict in telling)
    return (
        f"{sum(values) + sum(bounds)} of {len(telling)} claims agree that are not trivial: {sum(values)} of "
        f"{len(values)} values and {sum(bounds)} of {len(bounds)} bounds; {later} more agree by a choice made "
        f"afterwards, and {len(held) - len(telling)} are trivial."
    )


def tally(measured: Measured) -> TextTable:
    """Return the table of how many claims there are of each verdict: values, bounds and trivial ones."""
    table = TextTable("", "values", "bounds", "trivial")
    kinds = [(row["verdict"], "trivial" if claim.is_trivial else claim.is_value) for claim, row in measured]
    for verdict in VERDICTS:
        table.add_row(verdict, *(kinds.count((verdict, kind)) for kind in (True, False, "trivial")))
    return table


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, by their columns."""
    with path.open(encoding="utf-8") as table:
        return [*csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")]


def claim_of(claim: str, what: str, where: str, paper: str, formula: str, band: str, null: str, note: str) -> Claim:
    """Return the claim of a row of `NAME.claims.tsv`."""
    value, unit = re.fullmatch(r"(-?[\d.]+)(.*)", paper).groups()  # type: ignore[union-attr]
    rule, slack = re.fullmatch(r"([a-z ]+?) ?([\d.]*)", band).groups()  # type: ignore[union-attr]
    is_made = null in ("count", "built")
    number_if_nothing = None if null == "" or is_made else float(null)
    paper_number = float(value) if "." in value else int(value)  # a whole number is shown as one
    limits = rule, float(slack or 0), number_if_nothing, is_made
    return Claim(claim, what, where, paper_number, unit, formula, *limits, note)
