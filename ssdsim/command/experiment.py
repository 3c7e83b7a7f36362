"""The verbs that simulate: one experiment, or every combination of values."""

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from ssdsim.errors import ConfigError

from . import parser


def run(arguments: Sequence[str]) -> int:
    """Simulate one experiment, and print its summary.

    KEY=VALUE sets a key, and GROUP=CHOICE chooses a preset: `presets` lists and explains them. Results go to a new
    folder in results/, or to the one that hydra.run.dir names; overwrite=true has them take the place of those that
    are there, and plot=true or false says whether to draw overview.png.
    """
    options = _options("run", run.__doc__)
    options.add_argument("-m", "--multirun", action="store_true", help="every combination of values, as `sweep`")
    options.add_argument("--config", metavar="FOLDER", help="run a folder, or a YAML file, again, with keys changed")
    options.add_argument("--cfg", choices=["job"], help="print the configuration as YAML, and run nothing")
    given = options.parse_intermixed_args(arguments)
    if not given.multirun:
        return _run(given)
    if given.config or given.cfg:
        raise ConfigError(f"{'--config' if given.config else '--cfg'}: goes with one run, and not with --multirun.")
    return _sweep(given)


def sweep(arguments: Sequence[str]) -> int:
    """Simulate every combination of the values that keys and groups are given, and compare the results in a table.

    Values are listed as in ftl/gc=greedy,rga and seed=range(1,4). The same command goes on where it was stopped.
    hydra/launcher=joblib runs several at a time; hydra.run.dir, overwrite and plot are those of `run`.
    """
    return _sweep(_options("sweep", sweep.__doc__).parse_intermixed_args(arguments))


def _options(verb: str, told: str | None) -> ArgumentParser:
    options = parser(verb, told)
    options.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="a key or group, and its value or choice")
    options.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    options.add_argument("-v", "--verbose", action="store_true", help="tell more of validity")
    return options


def _run(given: Namespace) -> int:
    from .compose import own_keys, prepared, session  # with Hydra, which takes as long to load as a short run

    with session():
        rest, own = own_keys(given.overrides)
        point = prepared(rest, given.config)
    if given.cfg:
        from ssdsim.config.saved import written_config

        print(written_config(point.composed), end="")
        return 0
    from .run import run_and_report

    folder, quiet = Path(own["hydra.run.dir"] or new_folder()), given.quiet or own["quiet"]
    run_and_report(point.config, folder, own["overwrite"], own["plot"], quiet, given.verbose)
    return 0


def _sweep(given: Namespace) -> int:
    from .compose import session
    from .sweep import sweep as run_points

    with session() as hydra:
        return run_points(hydra, [*given.overrides, *["quiet=true"] * given.quiet])


def new_folder() -> Path:
    """Return the folder of a run for which none is named."""
    return Path("results", f"{datetime.now():%Y-%m-%d/%H-%M-%S-%f}")


def folder_of(words: Sequence[str], kind: str = "sweep") -> Path:
    """Return the folder that the same `words` always have, so that the same command goes on there."""
    return Path("results", f"{kind}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:8]}")
