"""The verbs that simulate: one experiment, or every combination of values."""

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from ssdsim.config import nearest
from ssdsim.errors import ConfigError

from . import describe, failures


def run(arguments: Sequence[str] | None = None) -> int:
    """Simulate one experiment, and print its summary.

    KEY=VALUE sets a key, and GROUP=CHOICE chooses a preset: `presets` lists and explains them. Results go to a new
    folder in results/, or to the one that hydra.run.dir names; overwrite=true has them take the place of those that
    are there, and plot=true or false says whether to draw overview.png.
    """
    return failures.guarded(lambda: _main(_given("run", run.__doc__, arguments)))


def sweep(arguments: Sequence[str] | None = None) -> int:
    """Simulate every combination of the values that keys and groups are given, and compare the results in a table.

    Values are listed as in ftl/gc=greedy,rga and seed=range(1,4). The same command goes on where it was stopped.
    hydra/launcher=joblib runs several at a time; hydra.run.dir, overwrite and plot are those of `run`.
    """
    return failures.guarded(lambda: _main(_given("sweep", sweep.__doc__, arguments)))


def _main(given: Namespace) -> int:
    from .compose import own_keys, prepared, session  # with Hydra, which takes as long to load as a short run

    overrides = [*given.overrides, *["quiet=true"] * given.quiet]
    with session() as hydra:
        if given.multirun:
            from .sweep import sweep as run_points

            return run_points(hydra, overrides)
        rest, own = own_keys(overrides)
        point = prepared(rest, given.config)
    if given.cfg:
        from ssdsim.config.saved import written_config

        print(written_config(point.composed), end="")
        return 0
    from .run import run_and_report

    folder = own["hydra.run.dir"] or new_folder()
    run_and_report(point.config, Path(folder), own["overwrite"], own["plot"], own["quiet"], given.verbose)
    return 0


def new_folder() -> Path:
    """Return the folder of a run for which none is named."""
    return Path("results", f"{datetime.now():%Y-%m-%d/%H-%M-%S-%f}")


def folder_of(words: Sequence[str], kind: str = "sweep") -> Path:
    """Return the folder that the same `words` always have, so that the same command goes on there."""
    return Path("results", f"{kind}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:8]}")


class _Options(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}.")


def _given(verb: str, told: str | None, arguments: Sequence[str] | None) -> Namespace:
    """Return the options and overrides of a command line; raise ConfigError for others."""
    options = describe(_Options(allow_abbrev=False), verb, told)
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="a key or group, and its value or choice")
    options.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    options.add_argument("-v", "--verbose", action="store_true", help="tell more of validity")
    options.set_defaults(multirun=verb == "sweep", config=None, cfg=None)
    if verb == "run":
        options.add_argument("-m", "--multirun", action="store_true", help="every combination of values, as `sweep`")
        options.add_argument(
            "--config", metavar="FOLDER", help="run a folder, or a YAML file, again, with the keys given changed"
        )
        options.add_argument("--cfg", choices=["job"], help="print the configuration as YAML, and run nothing")
    given, unknown = options.parse_known_intermixed_args(arguments)
    for argument in unknown:
        known = [name for action in options._actions for name in action.option_strings]
        raise ConfigError(f"{argument}: no such option; there are {', '.join(known)}{nearest(argument, known)}.")
    if given.multirun and (given.config or given.cfg):
        option = f"--config {given.config}" if given.config else f"--cfg {given.cfg}"
        raise ConfigError(f"{option}: goes with one run, and not with --multirun.")
    return given
