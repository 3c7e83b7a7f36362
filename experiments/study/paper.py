"""A paper: its runs, the choices that it leaves open, and the numbers of a seed or of another value of a choice."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import numpy as np

from ssdsim import SimulationConfig, load_config
from ssdsim.metrics.result import Result

from . import formulas
from .claims import Claim, claims_beside, rows_beside
from .formulas import Numbers
from .traces import replayed


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
    """Whole traces, by the workload that they replace, in small letters."""
    options: Mapping[str, str] = attrs.field(factory=dict)
    """Settings of another value of a choice that are no overrides."""

    def real(self, load: str) -> list[str]:
        """Return the overrides that replay the whole trace of a load, none if it is not there."""
        path = self.traces.get(load.lower())
        return replayed(path) if path else []


@attrs.frozen
class Change:
    """A change by a value of a choice, of all runs unless parts, loads or systems are named."""

    overrides: Sequence[str]
    options: Mapping[str, str]
    instead: str  # names that formulas take for others, as `iops=all_iops`
    parts: Sequence[str]
    loads: Sequence[str]
    systems: Sequence[str]

    def applies(self, run: Run) -> bool:
        """Return whether `run` is another one by this change."""
        places = zip(run, (self.parts, self.loads, self.systems), strict=True)
        return bool(self.overrides or self.options) and all(not names or name in names for name, names in places)


@attrs.frozen
class Choice:
    """A choice that a paper leaves open, and its words on it: our value first, then the others that could be meant.

    Values are compared under some loads and systems, all if none are named.
    """

    name: str
    told: str
    loads: Sequence[str]
    systems: Sequence[str]
    values: Mapping[str, Sequence[Change]]


@attrs.frozen
class Figure:
    """A table of formulas by the name of the column, each of as many numbers as there are `rows`: loads by default."""

    title: str
    columns: Mapping[str, str]
    rows: Sequence[str] = ()


Measures = Mapping[str, Callable[[Result], float | None]]
"""Functions of a result, by the name in formulas; they return None where there is nothing to measure."""


_load = cache(load_config)


def config_of(result: Result) -> SimulationConfig:
    """Return the configuration of a run."""
    return _load(result.folder)


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

    @property
    def module(self) -> str:
        """The name of the module, as `python -m` takes it."""
        return str(self.names["__spec__"].name)

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims of the paper, in the order of its text."""
        return claims_beside(self.path)

    @cached_property
    def choices(self) -> list[Choice]:
        """The choices that the paper leaves open."""
        by_name: dict[str, list[dict[str, str]]] = {}
        for row in rows_beside(self.path, "choices"):
            by_name.setdefault(row["choice"], []).append(row)
        return [_choice(name, rows) for name, rows in by_name.items()]


def _choice(name: str, rows: Sequence[Mapping[str, str]]) -> Choice:
    values: dict[str, list[Change]] = {}
    for row in rows:
        words = row["changes"].split()
        # an override has a key within a group
        overrides = [word for word in words if re.match(r"\+?[\w/]+[./]", word)]
        options = dict(word.split("=") for word in words if word not in overrides)
        places = (_listed(row[key]) for key in ("parts", "loads", "systems"))
        values.setdefault(row["value"], []).append(Change(overrides, options, row["instead"], *places))
    return Choice(name, rows[0]["told"], _listed(rows[0]["loads"]), _listed(rows[0]["systems"]), values)


def _listed(text: str) -> list[str]:
    return text.split("; ") if text else []


@attrs.define
class Setting:
    """The numbers of formulas under a seed, with the changes of a value of a choice.

    Results are looked up by the name of their run. What is not there is not known, and is `wanted`.
    """

    paper: Paper
    given: Given
    results: Mapping[str, Result]
    wanted: dict[str, list[str]]
    label: str = ""  # the first part of the name of runs with changes; others have the seed
    changes: Sequence[Change] = ()
    loads: Sequence[str] = ()
    systems: Sequence[str] = ()  # those that are run; all if empty
    first: bool = True  # whether it is the first seed, of which parts are run that are of one seed alone
    is_changed: bool = False  # whether the changes have changed a run or a name of a formula so far

    def number(self, formula: str) -> Numbers:
        """Return the numbers that a formula makes."""
        measures = {name: Measure(name, measure, self) for name, measure in self.paper.measures.items()}
        names = {**vars(formulas), **self.paper.names, **measures, "but": self._but}
        for change in self.changes:
            others = eval(f"dict({change.instead})", names)
            names |= others
            self.is_changed |= any(re.search(rf"\b{name}\b", formula) for name in others)
        with np.errstate(invalid="ignore"):
            return eval(formula, names)

    def _but(self, *loads: str) -> list[str]:
        """Return all loads but these."""
        return [load for load in self.paper.loads if load not in loads]

    def _has(self, run: Run) -> bool:
        """Return whether there is such a run, and it is made here."""
        part = self.paper.parts[run.part]
        is_there = run.system in part.systems and run.load in (part.loads or self.paper.loads)
        is_left_out = bool(self.loads) and run.load in self.paper.loads and run.load not in self.loads
        is_left_out |= bool(self.systems) and run.system not in self.systems
        return is_there and not is_left_out and (self.first or not part.once)

    def result(self, run: Run) -> Result | None:
        """Return the result of a run, None where there is none."""
        if not self._has(run):
            return None
        changes = [change for change in self.changes if change.applies(run)]
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
    measure: Callable[[Result], float | None]
    setting: Setting

    def __call__(self, system: str, loads: str | Iterable[str] | None = None, part: str | None = None) -> Numbers:
        """Return it of a system: a number under a load, an array of them under several, or all of the paper's."""
        paper = self.setting.paper
        if not isinstance(loads, str):
            return np.array([self(system, load, part) for load in (paper.loads if loads is None else loads)])
        result = self.setting.result(Run(part or next(iter(paper.parts)), loads, system))
        value = None if result is None else self.measure(result)
        return np.nan if value is None else float(value)
