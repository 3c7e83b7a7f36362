"""A report: the claims beside ours, what the paper leaves open, and where our numbers part, in sections."""

import argparse
from collections.abc import Mapping, Sequence

import attrs

from ssdsim.report.markdown import markdown

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
    out: Output
    found: Mapping[int, Results]
    """Results by seed."""
    comparisons: Sequence[Comparison]

    @property
    def first(self) -> Results:
        """The results of the first seed."""
        return self.found[self.study.first]

    def table(self, *names: str) -> str:
        """Return the table of the claims that are called by one of `names`, or by that and a dot and more."""
        found = beginning(self.comparisons, *names)
        return comparison_table(found) + "\n" if found else ""


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
    return counted((each.agrees, each.claim.is_trivial) for each in comparisons if each.seeds)


def _all_claims(claims: Sequence[Claim], comparisons: Sequence[Comparison]) -> str:
    text = f"## All claims\n\n{RULES}\n{sentence(comparisons)}\n\n{comparison_table(comparisons)}\n"
    left_out = "".join(f"- {each.what} ({each.where}): {each.left_out}\n" for each in claims if each.left_out)
    return text + (f"Not held against any run:\n\n{left_out}\n" if left_out else "")


def _left_open(choices: Sequence[Choice], graded: Graded) -> str:
    shown = [(choice, graded[choice.name]) for choice in choices if next(iter(graded[choice.name].values()))]
    if not shown:
        return ""
    text = (
        "## What the paper leaves open\n\n"
        "Each choice with its values, ours first, under the first seed: numbers that agree are bold. A claim that a "
        "value does not touch is not shown.\n\n"
    )
    return text + "".join(_choice_table(*each) for each in shown)


def _choice_table(choice: Choice, by_value: Mapping[str, Sequence[Comparison]]) -> str:
    rows = []
    for of_claim in zip(*by_value.values(), strict=True):
        cells = [f"**{each.shown}**" if each.agrees else each.shown for each in of_claim]
        agreeing = sum(each.agrees for each in of_claim)
        rows.append([of_claim[0].claim.name, of_claim[0].claim.row()[3], *cells, f"{agreeing} of {len(cells)}"])
    under = f" Under {', '.join(choice.workloads)}." if choice.workloads else ""
    return f"### {choice.name}\n\n{choice.told}{under}\n\n" + markdown(["claim", "paper", *by_value, ""], rows) + "\n"


def _afterwards(afterwards: Sequence[str]) -> str:
    told = "".join(f"- {each}\n" for each in afterwards)
    return f"## What was chosen after results were seen\n\n{told}" if told else ""


def _parting(comparisons: Sequence[Comparison], graded: Graded) -> str:
    parting = [each for each in comparisons if each.seeds and not each.agrees]
    if not parting:
        return ""
    reasons = {each.claim.name: _agreeing_values(each.claim.name, graded) for each in parting}
    explained = [each for each in parting if reasons[each.claim.name]]
    unexplained = [each for each in parting if not reasons[each.claim.name]]
    text = (
        "## Where our numbers part\n\n"
        f"Of {len(parting)} claims that do not agree, {len(explained)} agree under another value of a choice, and "
        f"{len(unexplained)} are unexplained.\n\n"
    )
    lines = [f"- {_told(each)}: agrees with {'; '.join(reasons[each.claim.name])}.\n" for each in explained]
    lines += ["\nUnexplained:\n\n"] * bool(unexplained)
    return text + "".join([*lines, *(f"- {_told(each)}.\n" for each in unexplained)])


def _agreeing_values(name: str, graded: Graded) -> list[str]:
    """Return the values of choices under which the claim agrees, where it does not under ours, with what it is."""
    found = []
    for choice, by_value in graded.items():
        ours, *others = ([each for each in of if each.claim.name == name] for of in by_value.values())
        if ours and not ours[0].agrees:
            agreeing = [(value, of[0]) for value, of in zip([*by_value][1:], others, strict=True) if of[0].agrees]
            found += [f"{choice}: {value} ({each.shown}, ours {ours[0].shown})" for value, each in agreeing]
    return found


def _told(each: Comparison) -> str:
    name, what, _, paper, _ = each.claim.row()
    if each.verdict != "open":
        return f"`{name}`, {what}, {each.shown} for {paper}"
    agreeing = sum(Comparison(each.claim, [of]).agrees for of in each.seeds)
    return f"`{name}`, {what}, {each.shown} for {paper} (open; agrees under {agreeing} of {len(each.seeds)} seeds)"
