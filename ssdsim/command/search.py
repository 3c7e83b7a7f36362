"""Search for the best points with Optuna, and print them.

What is chosen is written as of a sweep, a,b or range(3,9), or as interval(3,8). The same command goes on where it was
stopped: what was tried is in search.log of its folder (hydra.run.dir), and each run in a folder of its own below that.
"""

import re
import shlex
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.core.override_parser.types import IntervalSweep, Override

from ssdsim.errors import ConfigError, InputError, SsdsimError
from ssdsim.metrics.result import Result
from ssdsim.report.comparison import entry, value
from ssdsim.report.summary import codes_of
from ssdsim.report.text import TextTable, number

from . import parser
from .compose import compose, composed, of_experiment, parse, session
from .runs import add_options, count, named_folder, run_configs

if TYPE_CHECKING:
    from optuna.study import Study
    from optuna.trial import Trial


def main(arguments: Sequence[str]) -> int:
    """Search, print the best points, and return 0, or 2 if something given cannot be used."""
    made = parser("search", __doc__, "what all points have, or several values to choose from")
    made.add_argument("--minimize", action="append", default=[], metavar="FIELD", help="of which less is better")
    made.add_argument("--maximize", action="append", default=[], metavar="FIELD", help="of which more is better")
    made.add_argument("--trials", type=count, default=20, metavar="N", help="points that are tried (20)")
    add_options(made)
    given = made.parse_intermixed_args(arguments)
    aims = dict.fromkeys(given.minimize, "minimize") | dict.fromkeys(given.maximize, "maximize")
    if not aims:
        raise ConfigError("search: needs an objective, as in --minimize write_amplification; `fields` lists them.")
    for name in aims:
        entry(name)  # refuses a name of no field
    if not find_spec("optuna"):
        raise InputError("search: needs optuna; install ssdsim[search].")
    known = [*of_experiment(given.overrides), *map(str, aims.items())]
    with session():
        parsed = parse(given.overrides)
        space = {over.get_key_element(): _distribution(over) for over in parsed if over.is_sweep_override()}
        fixed = [str(over.input_line) for over in parsed if not over.is_sweep_override()]
        if not space or "seed" in space:
            raise ConfigError("search: needs something to choose but the seed, as in host.queue_depth=interval(8,64).")
        node = compose(*fixed)
        folder, goes_on = named_folder(node, fixed, known, "search")
    with folder:
        folder.note(overrides=known, command=shlex.join(["ssdsim", "search", *arguments]))
        study = study_of(folder.path, aims, goes_on and not node.overwrite)
        # of a search that was stopped, trials are left that have not ended: others take their place
        while (left := given.trials - sum(trial.state.is_finished() for trial in study.trials)) > 0:
            trials = {str(trial.number): trial for trial in [study.ask(space) for _ in range(min(given.jobs, left))]}
            configs, outcome = {}, {}
            for name, trial in trials.items():
                try:
                    configs[name] = composed([*fixed, *(f"{key}={value}" for key, value in trial.params.items())])
                except SsdsimError as error:
                    outcome[name] = str(error)
            outcome |= run_configs(configs, folder.path, given.jobs, given.quiet)
            for name, trial in trials.items():
                _tell(study, trial, outcome[name], folder.path / name, [*aims])
        print(report(study, aims))
        print(f"Results are in {folder.path}")
    return 0


def study_of(folder: Path, aims: dict[str, str], goes_on: bool) -> "Study":
    """Return Optuna's study that is kept in `folder`, with what it has tried before if it `goes_on`."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    if not goes_on:
        (folder / "search.log").unlink(missing_ok=True)  # of what this search is to overwrite
    directions = list[Any](aims.values())
    try:
        storage = JournalStorage(JournalFileBackend(str(folder / "search.log")))
        study = optuna.create_study(storage=storage, study_name="search", directions=directions, load_if_exists=True)
    except ValueError as error:
        raise InputError(f"{folder / 'search.log'}: is damaged ({error}); add overwrite=true.") from None
    # a seed of its own, so that what goes on draws other points than what was begun
    study.sampler = optuna.samplers.TPESampler(seed=1 + len(study.trials))
    return study


def _distribution(override: Override) -> Any:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    sweep = override.value()
    if not isinstance(sweep, IntervalSweep):
        return CategoricalDistribution([*override.sweep_string_iterator()])
    low, high = sweep.start or 0, sweep.end or 0
    # (0,1) holds no whole numbers but its ends, and is one of shares
    is_whole = not re.search(r"\d[.e]|[.]\d", override.get_value_string()) and high - low > 1
    kind: Any = IntDistribution if is_whole else FloatDistribution
    try:
        return kind(low, high, log="log" in sweep.tags)
    except ValueError as error:
        raise ConfigError(f"{override.input_line}: {error}.") from None


def _tell(study: "Study", trial: "Trial", why: str, place: Path, fields: Sequence[str]) -> None:
    """Tell the study the values of `fields` of the run at `place`, or that the point does not count, and why."""
    from optuna.trial import TrialState

    values = list[Any]()
    if not why:
        summary = Result.load(place).summary
        values = [value(summary, field) for field in fields]
        against = ", ".join(code for code in codes_of(summary) if code in ("partial", "backlog"))
        why = against or "has not all objectives" * (None in values)
    trial.set_user_attr("outcome", why)
    study.tell(trial, None if why else values, TrialState.FAIL if why else TrialState.COMPLETE)


def report(study: "Study", aims: dict[str, str]) -> str:
    """Return the table of the best point, or of several objectives the Pareto front, and what came of the others."""
    ended = [trial for trial in study.trials if trial.state.is_finished()]
    failed = [f"Run {trial.number}: {trial.user_attrs['outcome']}" for trial in ended if trial.values is None]
    best = study.best_trials if len(failed) < len(ended) else []
    keys = [*best[0].params] if best else []
    table = TextTable("run", *keys, *(f"{name}, {aim}d" for name, aim in aims.items()))
    for trial in sorted(best, key=lambda trial: trial.values[0]):
        reached = (number(figure, 5) for figure in trial.values)
        table.add_row(str(trial.number), *map(str, trial.params.values()), *reached)
    counted = f"{len(ended)} points were tried, of which {len(ended) - len(failed)} count."
    return "\n".join([str(table), counted, *failed])
