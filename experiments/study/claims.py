"""What a paper says of its results, as data, held against ours over seeds, with a verdict that can fail."""

import csv
import re
from collections.abc import Iterable, Sequence
from math import inf, nextafter
from pathlib import Path
from statistics import fmean

import attrs

from ssdsim.metrics.confidence import across
from ssdsim.report.markdown import markdown, number

FEWEST_SEEDS = 3  # of two the interval is too wide to say anything
WITHIN = "within"
RULE_NAMES = (WITHIN, "at least", "at most", "more than", "less than")
HEADER = ("claim", "", "where", "ours", "95 percent", "paper", "agrees", "verdict")
CLAIMS = " | ".join(HEADER)
"""What is in every table of claims, and in none else."""

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
    """A number that a paper prints, or a bound or an order that it states.

    The sign is the direction: a reduction below 0 is a rise.
    """

    name: str
    """What it is called on the command line, such as `fig9.twinblk`."""
    what: str
    """What it is of, in words."""
    paper: float
    where: str
    """Figure, table or section of the paper."""
    unit: str = "%"
    rule: str = attrs.field(default=WITHIN, validator=attrs.validators.in_(RULE_NAMES))
    slack: float = 0.5
    """A difference, in the unit, that means nothing, such as half of the last digit that the paper prints."""
    null: float | None = 0.0
    """What ours would be if nothing of what the paper says happened; None if there is no such number."""
    counts: bool = False
    """Whether it is a count of cases."""
    left_out: str = ""
    """Why it is not held against any run, if so."""

    @property
    def allowed(self) -> tuple[float, float]:
        """What agrees: from, to."""
        if self.rule == "more than":
            return nextafter(self.paper, inf), inf  # the next number: the bound itself does not agree
        if self.rule == "less than":
            return -inf, nextafter(self.paper, -inf)
        if self.rule == "at least":
            return self.paper - self.slack, inf
        if self.rule == "at most":
            most = self.paper + self.slack
            return -most if self.paper > 0 else -inf, most
        # «within» is a third of the number to both sides (`RULES`)
        reach = max(abs(self.paper) / 3, self.slack)
        return self.paper - reach, self.paper + reach

    @property
    def is_trivial(self) -> bool:
        """Whether it agrees where nothing happens, or is a count of cases."""
        low, high = self.allowed
        return self.counts or (self.null is not None and low <= self.null <= high)

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table that are of the paper: name, what, where, its number, and what agrees."""
        low, high = (number(end) for end in self.allowed)
        agrees = {"at least": f"{low} and more", "at most": f"{high} and less"}.get(self.rule, self.rule)
        if self.rule == WITHIN or (self.rule == "at most" and self.paper > 0):
            agrees = f"{low} to {high}"
        bound = "" if self.rule == WITHIN else f"{self.rule} "
        return self.name, self.what, self.where, f"{bound}{number(self.paper)}{self.unit}", agrees


@attrs.frozen
class Comparison:
    """A claim beside our number under each seed."""

    claim: Claim
    seeds: Sequence[float]
    """Those measured."""

    @property
    def ours(self) -> float | None:
        """The mean over seeds."""
        return fmean(self.seeds) if self.seeds else None

    @property
    def range(self) -> tuple[float, float] | None:
        """The interval of the mean, None without enough seeds."""
        return across(self.seeds) if len(self.seeds) >= FEWEST_SEEDS else None

    @property
    def verdict(self) -> str:
        """What `RULES` say."""
        ours = self.ours
        if ours is None:
            return "not measured"
        low, high = self.range or (ours, ours)  # without an interval the number decides
        least, most = self.claim.allowed
        if least <= low and high <= most:
            return "agrees"
        if high >= least and low <= most:
            return "open"
        if self.claim.rule != WITHIN:
            return "**beyond the bound**"
        paper = self.claim.paper
        # all of the interval beyond 0 from the paper's number
        return "**other direction**" if max(low * paper, high * paper) < 0 else "**off by more than a third**"

    @property
    def agrees(self) -> bool:
        """Whether nothing has to be explained."""
        return self.verdict == "agrees"

    @property
    def shown(self) -> str:
        """Our number with its unit."""
        return "-" if self.ours is None else f"{number(self.ours)}{self.claim.unit}"

    def row(self) -> tuple[str, ...]:
        """Return the cells under `HEADER`."""
        name, what, where, paper, allowed = self.claim.row()
        ends = "-" if self.range is None else " to ".join(number(end) for end in self.range)
        verdict = f"{self.verdict}, trivial" if self.claim.is_trivial else self.verdict
        return name, what, where, self.shown, ends, paper, allowed, verdict


def comparison_table(comparisons: Iterable[Comparison]) -> str:
    """Return the table of `comparisons` in Markdown."""
    return markdown(HEADER, (comparison.row() for comparison in comparisons))


def beginning(comparisons: Iterable[Comparison], *names: str) -> list[Comparison]:
    """Return the comparisons of the claims that are called by one of `names`, or by that and a dot and more."""
    return [
        comparison
        for comparison in comparisons
        # whole parts of a name: `fig1` is not the beginning of `fig10`
        if any(f"{comparison.claim.name}.".startswith(f"{name}.") for name in names)
    ]


def counted(verdicts: Iterable[tuple[bool, bool]]) -> str:
    """Return the sentence that says how many agree, given of each claim whether it does and whether it is trivial."""
    known = list(verdicts)
    telling = [agrees for agrees, is_trivial in known if not is_trivial]
    agreeing = sum(agrees for agrees, _ in known)
    return f"{agreeing} of {len(known)} claims agree; of the {len(telling)} that are not trivial, {sum(telling)} do."


def data_beside(module: str, name: str) -> list[dict[str, str]]:
    """Return the rows of the table `name` beside a module's file, by their columns."""
    with Path(module).with_name(name).open(encoding="utf-8") as table:
        return [*csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")]


def published(paper: str) -> tuple[list[Claim], list[str]]:
    """Return the claims in `claims.tsv` beside the module `paper`, and the items of `afterwards.md` there."""
    claims = [
        Claim(
            *(row["name"], row["what"], _number(row["paper"]), row["where"], row["unit"], row["rule"]),
            *(_number(row["slack"]), _number(row["null"]) if row["null"] else None, bool(row["counts"])),
            left_out=row["left_out"],
        )
        for row in data_beside(paper, "claims.tsv")
    ]
    _, *items = re.split(r"^- ", Path(paper).with_name("afterwards.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return claims, [" ".join(item.split()) for item in items]


def _number(text: str) -> float:
    """Return a whole number as one, since it is shown so."""
    return float(text) if "." in text else int(text)
