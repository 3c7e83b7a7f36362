"""Many named runs, on the cores of this machine, for studies, comparisons and searches: each is made once."""

import argparse
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from attrs import frozen

from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result

from . import failures
from .run import is_finished, run


@frozen
class Means:
    """So many `jobs` at a time, and whether only errors are told."""

    jobs: int = 1
    quiet: bool = False

    @classmethod
    def from_options(cls, given: argparse.Namespace) -> "Means":
        """Return the means that the options of `add_options` ask for."""
        return cls(given.jobs, given.quiet)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that `Means.from_options` reads."""
    parser.add_argument("--jobs", type=count, default=os.cpu_count() or 1, help="runs at a time (default: all cores)")
    parser.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")


def count(text: str) -> int:
    """Return the whole number of at least 1 that an argument says."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def run_all(configs: Mapping[str, SimulationConfig], folder: Path, means: Means) -> dict[str, Result]:
    """Run all `configs` that are not finished, each into a folder of its name, and return all results.

    Raise `SimulationError` after all if one has failed.
    """
    failed = {name: error for name, error in run_configs(configs, folder, means).items() if error}
    for name, reason in failed.items():  # the first stands for all
        raise SimulationError(f"{len(failed)} of {len(configs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in configs}


def run_configs(configs: Mapping[str, SimulationConfig], folder: Path, means: Means) -> dict[str, str]:
    """Run all `configs` that are not finished, and return for each the reason of its failure, or nothing."""
    waiting = {name: config for name, config in configs.items() if not is_finished(config, folder / name)}
    outcome = dict.fromkeys(configs, "")
    if len(waiting) < len(configs) and not means.quiet:
        print(f"{len(configs) - len(waiting)} of {len(configs)} runs are finished already.", file=sys.stderr)

    def told(name: str, reason: str) -> None:
        outcome[name] = reason
        if reason or not means.quiet:
            print(f"{name}: {reason or 'done'}", file=sys.stderr, flush=True)

    if means.jobs == 1 or len(waiting) < 2:
        for name, config in waiting.items():
            told(name, _run(config, folder / name))
        return outcome
    with ProcessPoolExecutor(min(means.jobs, len(waiting))) as pool:
        started = {pool.submit(_run, config, folder / name): name for name, config in waiting.items()}
        try:
            for future in as_completed(started):
                told(started[future], future.result())
        except BrokenProcessPool:
            raise SimulationError(
                "A process died, of too little memory perhaps: the same command goes on; take fewer --jobs."
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcome


def _run(config: SimulationConfig, place: Path) -> str:
    """Run `config` into the folder `place`, and return why it failed, if it did in a way that a user can mend."""
    try:
        with ResultFolder(place, overwrite=True) as folder:
            run(config, folder, None, plot=False)
    except InputError as error:
        return str(error)
    except Exception as error:
        failure = failures.expected(error)
        if failure is None:
            raise
        return failure.message
    return ""
