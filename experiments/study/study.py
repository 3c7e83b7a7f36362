"""A study: what is run under each seed, how the claims are measured, and what else the paper's words would allow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

import attrs

from ssdsim.metrics.result import Result

from .claims import Claim, Comparison, data_beside
from .runs import Runs

Parts = Mapping[str, Runs]
"""Runs by what they are for, each named `workload/system` as a rule."""

Results = Mapping[str, Mapping[str, Result]]
"""Their results."""

Held = Callable[[Results], float | None]
"""What measures a claim, None if there is nothing to measure."""


class NotRunError(KeyError):
    """A part that is asked for was not run."""


@attrs.frozen
class Value:
    """A value of a choice: the parts run instead of those of the same names, and the measures taken instead."""

    parts: Parts = attrs.field(factory=dict)
    held: Mapping[str, Held] = attrs.field(factory=dict)


@attrs.frozen
class Choice:
    """Something that the paper leaves open: what we take, and what else could be meant."""

    name: str
    told: str
    """What the paper says of it, and where."""
    default: str
    """What our value is called."""
    others: Mapping[str, Value] = attrs.field(factory=dict)
    workloads: Sequence[str] = ()
    """Those under which values are compared; all if empty."""

    def between(self, others: Mapping[str, Value], workloads: Iterable[str] = (), **numbers: object) -> "Choice":
        """Return the choice with its other values, and the `numbers` that its words name."""
        told, default = self.told.format(**numbers), self.default.format(**numbers)
        return Choice(self.name, told, default, others, [*workloads])


def left_open(paper: str) -> dict[str, Choice]:
    """Return the choices in `choices.tsv` beside the module `paper`, by name, without their other values."""
    return {row["name"]: Choice(**row) for row in data_beside(paper, "choices.tsv")}  # type: ignore[arg-type]


@attrs.frozen
class Study:
    """What a study runs and measures."""

    seeds: Mapping[int, Parts]
    held: Mapping[str, Held]
    """By the name of the claim."""
    sections: Callable[[Any], Iterable[str]]
    """What a `Report` of it says: the set-up first, then what is beside the claims."""
    choices: Sequence[Choice] = ()
    """Run under the first seed."""
    further: Parts = attrs.field(factory=dict)
    """Parts of the first seed alone."""

    @property
    def first(self) -> int:
        """The first seed."""
        return next(iter(self.seeds))

    def of_seed(self, seed: int) -> Parts:
        """Return the parts that are run under a seed, without choices."""
        parts = {**self.seeds[seed], **(self.further if seed == self.first else {})}
        # a part with nothing to run, as where no traces are there, is none
        return {name: runs for name, runs in parts.items() if runs}

    def parts(self) -> dict[str, Runs]:
        """Return all there is to run, by folder."""
        defaults = {folder(seed, part): runs for seed in self.seeds for part, runs in self.of_seed(seed).items()}
        others = {
            folder(choice.name, name, part): runs
            for choice in self.choices
            for name, value in choice.others.items()
            for part, runs in value.parts.items()
            if runs
        }
        return defaults | others


def folder(*names: object) -> str:
    """Return the folder of a part: of a seed, or of a value of a choice."""
    first, *rest = names
    return "/".join(map(str, [f"seed {first}" if isinstance(first, int) else first, *rest]))


@attrs.define
class Found(Mapping[str, Mapping[str, Result]]):
    """The results of some parts, asked of `results` by folder; it is known which were looked at."""

    folders: Mapping[str, str]
    results: Callable[[str], Mapping[str, Result]]
    workloads: Sequence[str] = ()
    looked_at: set[str] = attrs.field(factory=set)

    def __getitem__(self, part: str) -> Mapping[str, Result]:
        """Return the results of a part under the workloads; raise `NotRunError` if it was not run."""
        if part not in self.folders:
            raise NotRunError(part)
        self.looked_at.add(part)  # which parts a claim needs is seen by what it asks for
        results = self.results(self.folders[part])
        if not self.workloads:
            return results
        return {name: result for name, result in results.items() if name.rpartition("/")[0] in self.workloads}

    def __iter__(self) -> Iterator[str]:
        """Return the names of the parts."""
        return iter(self.folders)

    def __len__(self) -> int:
        """Return how many parts there are."""
        return len(self.folders)


def found_under(study: Study, seed: int, results: Callable[[str], Mapping[str, Result]]) -> Found:
    """Return the results under a seed, by part, given the `results` by folder."""
    return Found({part: folder(seed, part) for part in study.of_seed(seed)}, results)


def measured(held: Held, results: Results) -> float | None:
    """Return the number that `held` measures, None if it needs a part that was not run."""
    try:
        return held(results)
    except NotRunError:
        return None


def compared(claims: Iterable[Claim], held: Mapping[str, Held], results_by_seed: Iterable[Results]) -> list[Comparison]:
    """Return the claims, but those left out, beside what was found under each seed."""
    seeds = list(results_by_seed)
    rows = []
    for claim in claims:
        if not claim.left_out:
            values = (measured(held[claim.name], results) for results in seeds)
            rows.append(Comparison(claim, [value for value in values if value is not None]))
    return rows


def by_value(study: Study, choice: Choice, claims: Iterable[Claim], first: Found) -> dict[str, list[Comparison]]:
    """Return the claims that a choice decides, by value, ours first: those whose runs or measures other values change.

    One that is measured under none of these values is not among them. Parts that a value does not change are those of
    the first seed.
    """
    changed = {part for value in choice.others.values() for part in value.parts}
    measures = {name for value in choice.others.values() for name in value.held}
    ours = Found(first.folders, first.results, choice.workloads)
    decided = []
    for claim in claims:
        ours.looked_at.clear()  # of the claim at hand alone
        known = not claim.left_out and measured(study.held[claim.name], ours) is not None
        # by another measure, or by what it was measured on
        if known and (claim.name in measures or ours.looked_at & changed):
            decided.append(claim)
    rows = {choice.default: compared(decided, study.held, [ours])}
    for name, value in choice.others.items():
        folders = {
            **first.folders,  # what the value does not change is the first seed's
            **{part: folder(choice.name, name, part) for part, runs in value.parts.items() if runs},
        }
        of_value = Found(folders, first.results, choice.workloads)
        rows[name] = compared(decided, {**study.held, **value.held}, [of_value])
    of_others = zip(*(rows[name] for name in choice.others), strict=True)
    has_others = [any(comparison.seeds for comparison in of_claim) for of_claim in of_others]
    return {name: [*compress(of_value, has_others)] for name, of_value in rows.items()}
