"""Numbers of a paper's claims, of results that a test makes up."""

from pathlib import Path

import attrs

from experiments.study.paper import Given, Setting
from ssdsim.metrics.result import Result


class Nothing(dict):
    """What is wanted, whatever it is, is not made."""

    def __contains__(self, name):
        return True


def setting(paper, results, **changes):
    """Return the first seed's numbers of `results`, which are by part, load and system."""
    named = {"/".join(["seed 1", *run]): result for run, result in results.items()}
    return Setting(paper, Given(paper.scale, 1, Path("nowhere")), named, Nothing(), **changes)


def ours(paper, name, results, **changes):
    """Return what the formula of a claim comes to."""
    (claim,) = (claim for claim in paper.claims if claim.name == name)
    return setting(paper, results, **changes).number(claim.formula)


def asked(paper, formula, **changes):
    """Return the names of the runs that a formula asks for."""
    wanted = {}
    made = attrs.evolve(paper, overrides=lambda run, given: [])
    Setting(made, Given(paper.scale, 1, Path("nowhere")), {}, wanted, **changes).number(formula)
    return [*wanted]


def of(summary, **tables):
    """Return a result of a summary and of tables."""
    return Result(summary, None, tables)
