"""The verbs that run experiments: one of them, every combination of values, or the points that a search chooses."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from attrs import frozen

from ssdsim.config import nearest
from ssdsim.config.saved import written_config
from ssdsim.errors import ConfigError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.run.estimate import estimate

from . import describe, failures, folders
from .point import Point
from .run import report
from .run import run as simulate

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

CONFIG = "--config"
OWN: dict[str, dict[str, bool | None]] = {
    "overwrite": {"true": True, "false": False},
    "plot": {"true": True, "false": False, "auto": None},
}
"""The keys that say how results are left, with what their words stand for."""

SEARCHED = "hydra/sweeper=optuna"


@frozen
class Command:
    """The experiment that a command line asks for, the overrides that it is known by, and how results are left."""

    overrides: list[str]
    point: Point
    overwrite: bool = False
    plot: bool | None = None


def run(arguments: Sequence[str] | None = None) -> int:
    """Simulate one experiment, and print its summary.

    KEY=VALUE sets a key, and GROUP=CHOICE chooses a preset: `presets` lists and explains them. Results go to a new
    folder in results/, or to the one that hydra.run.dir names; overwrite=true has them take the place of those that
    are there, and plot=true or false says whether to draw overview.png.
    """
    return _guarded("run", run.__doc__, arguments)


def sweep(arguments: Sequence[str] | None = None) -> int:
    """Simulate every combination of the values that keys and groups are given, and compare the results in a table.

    Values are listed as in ftl/gc=greedy,rga and seed=range(1,4). The same command goes on where it was stopped.
    hydra/launcher=joblib runs several at a time; hydra.run.dir, overwrite and plot are those of `run`.
    """
    return _guarded("sweep", sweep.__doc__, arguments)


def search(arguments: Sequence[str] | None = None) -> int:
    """Have Optuna choose the points to simulate, and print the best.

    objective names fields of summary.json, as `fields` lists them, and directions whether to minimize or maximize each.
    The values to choose among are written a,b or interval(3,8); hydra.sweeper.n_trials is the number of points, and
    hydra.sweeper.sampler tpe, nsga2, random or grid. The same command goes on where it was stopped.
    """
    return _guarded("search", search.__doc__, arguments)


def _guarded(verb: str, told: str | None, arguments: Sequence[str] | None) -> int:
    return failures.guarded(lambda: _main(verb, _given(verb, told, arguments)))


def _main(verb: str, given: Namespace) -> int:
    is_one_run = not given.multirun
    if given.multirun and (option := CONFIG if given.config is not None else "--cfg" if given.cfg else ""):
        raise ConfigError(f"{option} {given.config or given.cfg}: goes with one run, and not with --multirun.")
    from .compose import parse, prepared, session  # with Hydra, which takes as long to load as a short run

    with session():
        from .search.settings import is_search, refuse

        parsed = [parse(text) for text in given.overrides]
        if verb == "search" and not is_search(parsed):
            parsed.append(parse(SEARCHED))
        searches = not is_one_run and is_search(parsed)
        if not searches:
            refuse(parsed)
        if is_one_run:
            rest, own = own_keys(parsed)
            command = Command(rest, prepared(rest, place=given.config), **own)
            if given.cfg:
                print(written_config(command.point.config), end="")
                return 0
            return _experiment(command, given.quiet, given.verbose)
        from . import sweep as sweeps
        from .runner.overview import Words
        from .search.sweeper import search_of

        points, parsed = search_of(parsed) if searches else (None, parsed)
        rest, own = own_keys(parsed)
        return sweeps.run(rest, Words(given.quiet, given.verbose), points, **own)


class _Options(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}.")


def _given(verb: str, told: str | None, arguments: Sequence[str] | None) -> Namespace:
    """Return the options and overrides of a command line; raise ConfigError for others."""
    options = describe(_Options(allow_abbrev=False), verb, told)
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="a key or group, and its value or choice")
    options.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    options.add_argument("-v", "--verbose", action="store_true", help="tell more of validity, and of progress")
    options.set_defaults(multirun=True, config=[], cfg=None)
    if verb == "run":
        _add_options_of_one_run(options)
    given, unknown = options.parse_known_intermixed_args(arguments)
    for argument in unknown:
        known = [name for action in options._actions for name in action.option_strings]
        raise ConfigError(f"{argument}: no such option; there are {', '.join(known)}{nearest(argument, known)}.")
    places, given.config = given.config, next(iter(given.config), None)
    if places and (len(places) > 1 or not places[0]):
        raise ConfigError(f"{CONFIG} {' '.join(places)}: must be followed by one folder of a run, or YAML file.")
    return given


def _add_options_of_one_run(options: ArgumentParser) -> None:
    options.set_defaults(multirun=False)
    options.add_argument("-m", "--multirun", action="store_true", help="every combination of values, as `sweep`")
    options.add_argument(
        CONFIG,
        nargs="?",
        const="",
        action="append",
        metavar="FOLDER",
        help="the run of a folder again, or that of a YAML file, with the keys given changed",
    )
    options.add_argument("--cfg", choices=["job"], help="print the configuration as YAML, and run nothing")


def _experiment(command: Command, quiet: bool, verbose: bool) -> int:
    """Check the folder, and only then run; what is in the folder stays until the new is whole."""
    config = command.point.config
    path = folders.choose(command.point.folder, command.overrides)
    try:
        with ResultFolder(path, command.overwrite) as folder:
            has_room = True
            try:
                title = None if quiet else f"Running into {path}: {estimate(config)}"
                simulate(config, folder, title, command.plot)
            except OSError:
                has_room = False  # what found some is no result to report
                raise
            finally:
                if folder.written and has_room:
                    report(folder, quiet, verbose)
                    folders.tell_old_pages(path)
    finally:
        folders.discard_if_empty(path)
    return 0


def own_keys(parsed: "list[Override]") -> tuple[list[str], dict[str, Any]]:
    """Split the keys of this command line that are no part of an experiment (`OWN`), with their values, from the rest.

    The rest comes first.
    """
    given: dict[str, Any] = {"overwrite": False, "plot": None}
    for override in parsed:
        if (words := OWN.get(override.key_or_group)) is not None:
            word = str(override.value()).lower()
            if word not in words:
                raise ConfigError(f"{override.input_line}: must be {' or '.join(words)}.")
            given[override.key_or_group] = words[word]
    return [str(override.input_line) for override in parsed if override.key_or_group not in OWN], given
