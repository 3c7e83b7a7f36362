"""The loop of a search: Optuna is asked for points, they are run, and it is told what came of them.

Nothing but the points' own results is kept from one command to the next. The same command, given again, asks for the
same points in the same order, of which those that are finished are not run again; so a search that was stopped goes on.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import attrs
import optuna
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.study import Study
from optuna.trial import Trial, TrialState

from ssdsim.errors import ConfigError

from .settings import TRIALS, Settings
from .space import Space

POPULATION = 10
"""Of a generation of nsga2: runs are dear, and a search has tens of them rather than thousands."""


@attrs.frozen
class Outcome:
    """What came of a point: "complete" with a value for each objective, "pruned" or "failed", and why."""

    state: str
    values: tuple[float, ...] | None = None
    reason: str = ""


STATES = {"complete": TrialState.COMPLETE, "pruned": TrialState.PRUNED, "failed": TrialState.FAIL}

Run = Callable[[list[list[str]], int], Sequence[Outcome]]
"""Runs points by their overrides as jobs whose numbers begin with that given, and says what came of each."""


def judged(
    settings: Settings, status: Mapping[str, Any], codes: Sequence[str], values: Sequence[float | None]
) -> Outcome:
    """Return the outcome of a job, by its status and the codes of validity and the values of objectives that it has."""
    if status["status"] != "completed":
        return Outcome("failed", None, ": ".join(filter(None, (status["status"], status.get("message")))))
    missing = [name for name, value in zip(settings.objective, values, strict=True) if value is None]
    known = None if missing else tuple(value for value in values if value is not None)
    if pruning := [code for code in codes if code in settings.prune]:  # before values: what is pruned may lack some
        return Outcome("pruned", known, ", ".join(pruning))
    return Outcome("failed", None, f"has no {', '.join(missing)}") if missing else Outcome("complete", known)


def search(settings: Settings, space: Space, run: Run) -> Study:
    """Run the search, and return Optuna's study of it.

    Points that it would try twice are run once.
    """
    optuna.logging.set_verbosity(optuna.logging.WARNING)  # the overview tells of runs
    distributions = {key: dimension.distribution for key, dimension in space.dimensions.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # of constant_liar
        study = optuna.create_study(directions=[*settings.directions], sampler=sampler(settings))
    for parameters in grid(space) if settings.sweeper.sampler == "grid" else ():
        study.enqueue_trial(parameters)  # which come before what a sampler chooses
    trials = max_trials(settings, space)
    known: dict[tuple[str, ...], tuple[int, Outcome]] = {}
    # so many are asked for before the first of them is told
    for first in range(0, trials, settings.sweeper.n_jobs):
        asked = [study.ask(distributions) for _ in range(min(settings.sweeper.n_jobs, trials - first))]
        points = [tuple(space.overrides(trial.params)) for trial in asked]
        new = [point for point in dict.fromkeys(points) if point not in known]  # a batch may hold a point twice
        jobs = range(len(known), len(known) + len(new))  # numbered as first asked for
        outcomes = run([list(point) for point in new], len(known)) if new else []
        known.update(zip(new, zip(jobs, outcomes, strict=True), strict=True))
        for trial, point in zip(asked, points, strict=True):
            _tell(study, trial, *known[point])  # also of a point known before, as each trial has an answer
    return study


def max_trials(settings: Settings, space: Space) -> int:
    """Return how many points a search tries at most."""
    whole = len(grid(space)) if settings.sweeper.sampler == "grid" else None
    asked = settings.sweeper.n_trials or whole or TRIALS
    return asked if whole is None else min(asked, whole)


def sampler(settings: Settings) -> BaseSampler:
    """Return Optuna's sampler; that of a grid is never asked."""
    seed = settings.sweeper.seed
    if settings.sweeper.sampler == "tpe":
        return TPESampler(seed=seed, constant_liar=settings.sweeper.n_jobs > 1)  # keeps apart those asked for together
    if settings.sweeper.sampler == "nsga2":
        return NSGAIISampler(seed=seed, population_size=POPULATION)
    return RandomSampler(seed=seed)


def grid(space: Space) -> list[dict[str, Any]]:
    """Return every point; raise ConfigError for a dimension that has no end of values."""
    for key, dimension in space.dimensions.items():
        if not dimension.values:
            raise ConfigError(f"{key}: an interval has no grid; give values, or range(...), or another sampler.")
    every = product(*(dimension.values for dimension in space.dimensions.values()))
    return [dict(zip(space.dimensions, values, strict=True)) for values in every]


def _tell(study: Study, trial: Trial, job: int, outcome: Outcome) -> None:
    trial.set_user_attr("job", job)
    if outcome.reason:
        trial.set_user_attr("reason", outcome.reason)
    study.tell(trial, outcome.values if outcome.state == "complete" else None, STATES[outcome.state])
