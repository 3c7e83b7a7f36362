"""A paper: its runs, the choices that it leaves open, and the numbers of a seed or of another value of a choice."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np

from ssdsim import load_config
from ssdsim.metrics.result import Result

from . import formulas
from .claims import Claim, claim_of, rows_of
from .formulas import Numbers


class Run(NamedTuple):
    """A system under a load, in one of the parts of a study."""

    part: str
    load: str
    system: str


@attrs.frozen
class Part:
    """A part of a study: systems and their loads, all of the paper's if none are named; if `once`, of one seed."""

    systems: Sequence[str]
    loads: Sequence[str] = ()
    once: bool = False


@attrs.frozen
class Given:
    """The conditions of a run beside its name."""

    scale: Fraction
    seed: int
    folder: Path  # the folder of traces that are made
    traces: Mapping[str, Path] = attrs.field(factory=dict)
    """Files of whole traces, by the workload that they replace, in small letters."""
    options: Mapping[str, str] = attrs.field(factory=dict)
    """Settings of another value of a choice that are no overrides."""


@attrs.frozen
class Change:
    """A change by a value of a choice, of all runs unless parts, loads or systems are named."""

    overrides: Sequence[str] = ()
    options: Mapping[str, str] = attrs.field(factory=dict)
    instead: str = ""  # names that formulas take for others, as `iops=all_iops`
    parts: Sequence[str] = ()
    loads: Sequence[str] = ()
    systems: Sequence[str] = ()

    def is_of(self, run: Run) -> bool:
        """Return whether `run` is one of those named."""
        places = zip(run, (self.parts, self.loads, self.systems), strict=True)
        return all(not names or name in names for name, names in places)


@attrs.frozen
class Choice:
    """A choice that a paper leaves open, and its words on it: our value first, then the others that could be meant."""

    name: str
    told: str
    values: dict[str, list[Change]] = attrs.field(factory=dict)
    """By name; ours changes nothing, and names the loads and systems under which values are compared."""
    former: set[str] = attrs.field(factory=set)
    """The values that were ours before results were seen."""


@attrs.frozen
class Figure:
    """A table of formulas by the name of the column, each of as many numbers as there are `rows`: loads by default."""

    title: str  # a figure or table of the paper's is drawn: its number comes first, up to a colon
    columns: Mapping[str, str]
    rows: Sequence[str] = ()
    averaged: bool = False  # whether the last row is the average of the others
    lines: bool = False  # whether rows are places on an axis, and no groups of bars

    @property
    def number(self) -> str:
        """The figure's or table's number in the paper."""
        return self.title.partition(":")[0]

    def named(self, loads: Sequence[str]) -> list[str]:
        """Return the names of all rows of a paper that has these loads."""
        return [*(self.rows or loads), *["average"] * self.averaged]


Measures = Mapping[str, Callable[[Result], float | None]]
"""Functions of a result, by the name in formulas; they return None where there is nothing to measure."""

config_of = cache(load_config)
"""Return the configuration of the run in a folder."""


@attrs.frozen
class Paper:
    """The experiments of a paper, whose module is `names`: all that it defines is at hand in formulas."""

    names: dict[str, Any]
    scale: Fraction
    seeds: int  # seeds of the stored results
    loads: Sequence[str]
    parts: Mapping[str, Part]  # by name; the first is what a measure is of, unless a formula says another
    overrides: Callable[[Run, Given], list[str] | None]
    """Return the overrides of a run; None where what it replays is not there."""
    measures: Measures
    figures: Sequence[Figure] = ()

    @property
    def path(self) -> Path:
        """The file of the module."""
        return Path(self.names["__file__"])

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims of the paper, in the order of its text."""
        return [claim_of(**row) for row in rows_of(self.path.with_suffix(".claims.tsv"))]

    @cached_property
    def choices(self) -> list[Choice]:
        """The choices that the paper leaves open."""
        choices: dict[str, Choice] = {}
        for row in rows_of(self.path.with_suffix(".choices.tsv")):
            words = row["changes"].split()
            # an override has a key within a group
            overrides = [word for word in words if re.match(r"\+?[\w/]+[./]", word)]
            options = dict(word.split("=") for word in words if word not in overrides)
            places = [row[key].split("; ") if row[key] else [] for key in ("parts", "loads", "systems")]
            choice = choices.setdefault(row["choice"], Choice(row["choice"], row["told"]))
            choice.values.setdefault(row["value"], []).append(Change(overrides, options, row["instead"], *places))
            if row.get("before"):
                choice.former.add(row["value"])
        return [*choices.values()]


@attrs.define
class Setting:
    """The numbers of formulas under a seed, with the changes of a value of a choice."""

    paper: Paper
    given: Given
    results: dict[str, Result] = attrs.field(factory=dict)  # by the name of their run
    wanted: dict[str, list[str]] = attrs.field(factory=dict)  # the overrides of runs without a result, so not known
    label: str = ""  # the first part of the name of runs with changes; others have the seed
    changes: Sequence[Change] = ()
    limits: Change = Change()  # names the runs that are made
    first: bool = True  # whether it is the first seed, of which parts are run that are of one seed alone
    is_changed: bool = False  # whether the changes have changed a run or a name of a formula so far

    def number(self, formula: str) -> Numbers:
        """Return the numbers that a formula makes."""
        names = vars(formulas) | self.paper.names | {name: Measure(name, self) for name in self.paper.measures}
        names["but"] = lambda *loads: [load for load in self.paper.loads if load not in loads]
        for change in self.changes:
            others = eval(f"dict({change.instead})", names)
            names |= others
            self.is_changed |= any(re.search(rf"\b{name}\b", formula) for name in others)
        with np.errstate(invalid="ignore"):
            return eval(formula, names)

    def result(self, run: Run) -> Result | None:
        """Return the result of a run, None where there is none."""
        part = self.paper.parts[run.part]
        is_there = run.system in part.systems and run.load in (part.loads or self.paper.loads)
        if not is_there or not self.limits.is_of(run) or (part.once and not self.first):
            return None
        changes = [change for change in self.changes if (change.overrides or change.options) and change.is_of(run)]
        self.is_changed |= bool(changes)
        name = "/".join([self.label if changes else f"seed {self.given.seed}", *run])
        if name not in self.results and name not in self.wanted:
            options = {key: value for change in changes for key, value in change.options.items()}
            scale = min(Fraction(options.pop("scale", 1)) * self.given.scale, Fraction(1))
            made = self.paper.overrides(run, attrs.evolve(self.given, scale=scale, options=options))
            if made is not None:
                self.wanted[name] = [*made, *(word for change in changes for word in change.overrides)]
        return self.results.get(name)


@attrs.frozen
class Measure:
    """A measure of the runs of a setting, as formulas call it."""

    name: str
    setting: Setting

    def __call__(self, system: str, loads: str | Iterable[str] | None = None, part: str | None = None) -> Numbers:
        """Return it of a system: a number under a load, an array of them under several, or all of the paper's."""
        paper = self.setting.paper
        if not isinstance(loads, str):
            return np.array([self(system, load, part) for load in (paper.loads if loads is None else loads)])
        result = self.setting.result(Run(part or next(iter(paper.parts)), loads, system))
        value = None if result is None else paper.measures[self.name](result)
        return np.nan if value is None else float(value)
