"""Have Optuna choose the points to simulate, and print the best.

What is chosen is written as of a sweep, a,b or range(3,9), or as interval(3,8). The same command goes on where it was
stopped: what was tried is in search.log of its folder, and each run in a folder of its own below that.
"""

import argparse
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.core.override_parser.types import ChoiceSweep, IntervalSweep, Override, RangeSweep

from ssdsim.config import nearest
from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.metrics.fields import SUMMARY
from ssdsim.metrics.result import Result
from ssdsim.metrics.validity import CODES
from ssdsim.report.comparison import value
from ssdsim.report.text import TextTable, number

from . import failures, parser
from .compose import parse, prepared, session
from .experiment import folder_of
from .runs import add_options, count, run_configs

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

BEST = 5
"""Points that are shown where there is one objective."""

POPULATION = 10
"""Of a generation of nsga2: runs are dear, and a search has tens of them rather than thousands."""

Space = dict[str, Any]
"""Optuna's distribution of each key that is chosen, and the override of each that is not."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, print the best points, and return 0, or 2 if something given cannot be used."""
    made = parser("search", __doc__)
    made.add_argument("overrides", nargs="*", metavar="KEY=VALUE")
    made.add_argument("--minimize", nargs="+", default=[], metavar="FIELD", help="of summary.json; less is better")
    made.add_argument("--maximize", nargs="+", default=[], metavar="FIELD", help="of summary.json; more is better")
    made.add_argument("--trials", type=count, default=20, metavar="N", help="points that are tried (20)")
    made.add_argument("--sampler", choices=("tpe", "nsga2", "random"), default="tpe", help="of Optuna (tpe)")
    made.add_argument("--sampler-seed", type=int, default=1, metavar="N", help="seed of the sampler (1)")
    made.add_argument(
        "--prune", nargs="*", default=["partial", "backlog"], metavar="CODE", help="what no point may have against it"
    )
    made.add_argument("--folder", type=Path, help="where results go (default: one in results/, by the command)")
    add_options(made)
    given = made.parse_intermixed_args(arguments)
    return failures.guarded(lambda: _search(given), "Interrupted; the same command goes on from here.")


def _search(given: argparse.Namespace) -> int:
    aims = dict.fromkeys(given.minimize, "minimize") | dict.fromkeys(given.maximize, "maximize")
    _check(aims, given)
    if find_spec("optuna") is None:
        raise ConfigError("search: Optuna is not installed; install ssdsim[search].")
    with session():
        space = space_of(parse(given.overrides))
        words = [*given.overrides, *map(str, aims.items()), *given.prune, given.sampler, str(given.sampler_seed)]
        folder = given.folder or folder_of(words, "search")
        folder.mkdir(parents=True, exist_ok=True)
        study = study_of(folder, aims, given.sampler, given.sampler_seed)
        while (left := given.trials - len(_ended(study))) > 0:
            asked = [study.ask(_chosen(space)) for _ in range(min(given.jobs, left))]
            _run(study, asked, space, [*aims], given, folder)
    print(report(study, aims))
    print(f"Results are in {folder}")
    return 0


def _check(aims: dict[str, str], given: argparse.Namespace) -> None:
    """Raise ConfigError for no objective, for one that is no number, and for unknown codes."""
    if not aims:
        raise ConfigError("search: needs an objective, as in --minimize write_amplification; `fields` lists them.")
    for name in aims:
        entry = next((field for field in SUMMARY if field.covers(name)), None)
        known = [spelled for field in SUMMARY if field.is_number for spelled in field.spelled()]
        if entry is None or not entry.is_number:
            problem = f"no field is called so{nearest(name, known)}" if entry is None else "is no single number"
            raise ConfigError(f"{name}: {problem}; `fields` lists them.")
    for code in given.prune:
        if code not in CODES:
            raise ConfigError(f"--prune {code}: must be one of {', '.join(CODES)}{nearest(code, CODES)}.")


def study_of(folder: Path, aims: dict[str, str], sampler: str, seed: int) -> "Study":
    """Return Optuna's study that is kept in `folder`, with what it has tried before."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(str(folder / "search.log")))
    study = optuna.create_study(
        storage=storage, study_name="search", directions=list[Any](aims.values()), load_if_exists=True
    )
    for trial in study.get_trials(states=[optuna.trial.TrialState.RUNNING]):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
        study.enqueue_trial(trial.params)  # what was under way when the search was stopped
    tried = seed + len(study.trials)  # what goes on draws other points than what was begun
    samplers = optuna.samplers
    study.sampler = {
        "tpe": lambda: samplers.TPESampler(seed=tried),
        "nsga2": lambda: samplers.NSGAIISampler(seed=tried, population_size=POPULATION),
        "random": lambda: samplers.RandomSampler(seed=tried),
    }[sampler]()
    return study


def _ended(study: "Study") -> "list[FrozenTrial]":
    """Return the trials that were told an outcome, without those of a stopped search that are tried again."""
    return [trial for trial in study.trials if trial.state.is_finished() and "outcome" in trial.user_attrs]


def space_of(overrides: Sequence[Override]) -> Space:
    """Return the search space; raise ConfigError if there is nothing to choose, or what cannot be."""
    space: Space = {}
    for override in overrides:
        key = override.get_key_element()
        space[key] = _distribution(override) if override.is_sweep_override() else override.get_value_element_as_str()
    if not _chosen(space):
        raise ConfigError("search: needs something to choose, as in hardware.over_provisioning=interval(0.1,0.4).")
    if "seed" in _chosen(space):
        raise ConfigError("seed: a search has one seed for all points, or it would choose by luck.")
    return space


def _chosen(space: Space) -> Space:
    return {key: value for key, value in space.items() if not isinstance(value, str)}


def _distribution(override: Override) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    sweep = override.value()
    try:
        if isinstance(sweep, IntervalSweep):
            low, high = float(sweep.start or 0), float(sweep.end or 0)
            # (0,1) holds no whole numbers but its ends, and is one of shares
            is_whole = not re.search(r"\d[.e]|[.]\d", override.get_value_string()) and high - low > 1
            kind = IntDistribution if is_whole else FloatDistribution
            made: Any = int if is_whole else float
            return kind(made(low), made(high), log="log" in sweep.tags)
        if isinstance(sweep, ChoiceSweep | RangeSweep):
            return CategoricalDistribution([*override.sweep_string_iterator()])
    except ValueError as error:
        raise ConfigError(f"{override.input_line}: {error}.") from None
    raise ConfigError(f"{override.input_line}: a search chooses among a,b or range(...) or interval(...).")


def _run(
    study: "Study",
    asked: "Sequence[Trial]",
    space: Space,
    fields: Sequence[str],
    given: argparse.Namespace,
    folder: Path,
) -> None:
    """Run the points that were asked for, and tell the study what came of each."""
    from optuna.trial import TrialState

    configs, outcome = {}, {}
    for trial in asked:
        name = str(trial.number)
        try:
            configs[name] = prepared([f"{key}={trial.params.get(key, told)}" for key, told in space.items()]).config
        except SsdsimError as error:
            outcome[name] = str(error)
    outcome |= run_configs(configs, folder, given.jobs, given.quiet)
    for trial in asked:
        why, state, values = outcome[str(trial.number)], TrialState.FAIL, None
        if not why:
            summary = Result.load(folder / str(trial.number)).summary
            against = [finding["code"] for finding in summary["validity"] if finding["code"] in given.prune]
            results = [value(summary, name) for name in fields]
            if against:
                state, why = TrialState.PRUNED, ", ".join(against)
            elif None in results:
                why = "has not all objectives"
            else:
                state, values = TrialState.COMPLETE, results
        trial.set_user_attr("outcome", why)
        study.tell(trial, values, state)  # type: ignore[arg-type]


def report(study: "Study", aims: dict[str, str]) -> str:
    """Return the table of the best points, or of the Pareto front, and what came of the others."""
    complete = [trial for trial in _ended(study) if trial.values is not None]
    best = study.best_trials if len(aims) > 1 else complete
    best = sorted(best, key=lambda trial: trial.values[0], reverse=study.directions[0].name == "MAXIMIZE")
    shown = best if len(aims) > 1 else best[:BEST]
    names = [*dict.fromkeys(key for trial in shown for key in trial.params)]
    rows = [
        [str(trial.number), *(str(trial.params[key]) for key in names), *(number(result, 5) for result in trial.values)]
        for trial in shown
    ]
    title = "The Pareto front" if len(aims) > 1 else "The best"
    table = TextTable("run", *names, *(f"{name}, {aim}d" for name, aim in aims.items()), title=title, rows=rows)
    lines = [f"{len(_ended(study))} points were tried, of which {len(complete)} count."]
    lines += [f"Run {trial.number}: {trial.user_attrs['outcome']}" for trial in _ended(study) if trial.values is None]
    return "\n".join([*([str(table)] if rows else []), *lines])
