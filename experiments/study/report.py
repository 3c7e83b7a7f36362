"""A report: the claims beside ours, what the paper leaves open, and where our numbers part, in sections."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from ssdsim.report.markdown import Row, markdown

from .claims import RULES, Claim, Comparison, beginning, comparison_table, counted
from .output import Output
from .study import Choice, Results, Study

Graded = Mapping[str, Mapping[str, Sequence[Comparison]]]
"""The claims that each choice decides, by choice and value, ours first."""


@attrs.frozen
class Report:
    """What the sections of a report are made of."""

    study: Study
    options: argparse.Namespace
    package: str
    """The study's, as `python -m` runs it."""
    out: Output
    by_seed: Mapping[int, Results]
    """Results by seed."""
    comparisons: Sequence[Comparison]

    @property
    def first(self) -> Results:
        """The results of the first seed."""
        return self.by_seed[self.study.first]

    def table(self, *names: str) -> str:
        """Return the table of the claims that are called by one of `names`, or by that and a dot and more."""
        comparisons = beginning(self.comparisons, *names)
        return comparison_table(comparisons) + "\n" if comparisons else ""

    def heading(self, name: str, switches: str = "") -> str:
        """Return the title, and the beginning of a sentence on the command that made the report."""
        given = self.options
        command = f"python -m {self.package} --scale {given.scale} --seed {given.seed} --seeds {given.seeds}{switches}"
        return f"# {name}: the paper's experiments\n\nMade by `{command}`"

    def shown(self, name: str, rows: Sequence[Row], *claims: str, picture: str = "", below: Iterable[Any] = ()) -> str:
        """Write `name.csv`, and return it as a table, rows `below` it, a picture and claims (those of `name`)."""
        return f"{self.out.table(name, rows, *below)}\n{picture}{self.table(*(claims or (name,)))}"


def holding(
    claims: Sequence[Claim],
    comparisons: Sequence[Comparison],
    choices: Sequence[Choice],
    graded: Graded,
    afterwards: Sequence[str],
) -> list[str]:
    """Return the sections that hold the paper's claims against ours."""
    return [
        _all_claims(claims, comparisons),
        _left_open(choices, graded),
        _afterwards(afterwards),
        _parting(comparisons, graded),
    ]


def sentence(comparisons: Sequence[Comparison]) -> str:
    """Return how many of the measured claims agree."""
    return counted((comparison.agrees, comparison.claim.is_trivial) for comparison in comparisons if comparison.seeds)


def _all_claims(claims: Sequence[Claim], comparisons: Sequence[Comparison]) -> str:
    text = f"## All claims\n\n{RULES}\n{sentence(comparisons)}\n\n{comparison_table(comparisons)}\n"
    left_out = "".join(f"- {claim.what} ({claim.where}): {claim.left_out}\n" for claim in claims if claim.left_out)
    return text + (f"Not held against any run:\n\n{left_out}\n" if left_out else "")


def _left_open(choices: Sequence[Choice], graded: Graded) -> str:
    # a choice that decides no claim is not shown
    shown = [(choice, graded[choice.name]) for choice in choices if next(iter(graded[choice.name].values()))]
    if not shown:
        return ""
    text = (
        "## What the paper leaves open\n\n"
        "Each choice with its values, ours first, under the first seed: numbers that agree are bold. A claim that a "
        "value does not touch is not shown.\n\n"
    )
    return text + "".join(_choice_table(*choice_graded) for choice_graded in shown)


def _choice_table(choice: Choice, by_value: Mapping[str, Sequence[Comparison]]) -> str:
    rows = []
    for of_claim in zip(*by_value.values(), strict=True):
        cells = [f"**{comparison.shown}**" if comparison.agrees else comparison.shown for comparison in of_claim]
        agreeing = sum(comparison.agrees for comparison in of_claim)
        rows.append([of_claim[0].claim.name, of_claim[0].claim.row()[3], *cells, f"{agreeing} of {len(cells)}"])
    under = f" Under {', '.join(choice.workloads)}." if choice.workloads else ""
    return f"### {choice.name}\n\n{choice.told}{under}\n\n" + markdown(["claim", "paper", *by_value, ""], rows) + "\n"


def _afterwards(afterwards: Sequence[str]) -> str:
    told = "".join(f"- {note}\n" for note in afterwards)
    return f"## What was chosen after results were seen\n\n{told}" if told else ""


def _parting(comparisons: Sequence[Comparison], graded: Graded) -> str:
    parting = [comparison for comparison in comparisons if comparison.seeds and not comparison.agrees]
    if not parting:
        return ""
    reasons = {comparison.claim.name: _agreeing_values(comparison.claim.name, graded) for comparison in parting}
    explained = [comparison for comparison in parting if reasons[comparison.claim.name]]
    unexplained = [comparison for comparison in parting if not reasons[comparison.claim.name]]
    text = (
        "## Where our numbers part\n\n"
        f"Of {len(parting)} claims that do not agree, {len(explained)} agree under another value of a choice, and "
        f"{len(unexplained)} are unexplained.\n\n"
    )
    lines = [
        f"- {_told(comparison)}: agrees with {'; '.join(reasons[comparison.claim.name])}.\n" for comparison in explained
    ]
    lines += ["\nUnexplained:\n\n"] * bool(unexplained)
    return text + "".join([*lines, *(f"- {_told(comparison)}.\n" for comparison in unexplained)])


def _agreeing_values(name: str, graded: Graded) -> list[str]:
    """Return the values of choices under which the claim agrees, where it does not under ours, with what it is."""
    values = []
    for choice, by_value in graded.items():
        ours, *others = (  # ours come first
            [comparison for comparison in graded_claims if comparison.claim.name == name]
            for graded_claims in by_value.values()
        )
        if ours and not ours[0].agrees:
            agreeing = [
                (value, graded_claims[0])
                for value, graded_claims in zip([*by_value][1:], others, strict=True)
                if graded_claims[0].agrees
            ]
            values += [
                f"{choice}: {value} ({comparison.shown}, ours {ours[0].shown})" for value, comparison in agreeing
            ]
    return values


def _told(comparison: Comparison) -> str:
    name, what, _, paper, _ = comparison.claim.row()
    if comparison.verdict != "open":
        return f"`{name}`, {what}, {comparison.shown} for {paper}"
    verdicts = [Comparison(comparison.claim, [value]).agrees for value in comparison.seeds]
    seeds = f"open; agrees under {sum(verdicts)} of {len(verdicts)} seeds"
    return f"`{name}`, {what}, {comparison.shown} for {paper} ({seeds})"
