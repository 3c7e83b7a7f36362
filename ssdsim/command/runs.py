"""Many named runs, on the cores of this machine, for studies, comparisons and searches: each is made once."""

import argparse
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from ssdsim.config import SimulationConfig
from ssdsim.errors import SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result

from . import failures
from .run import is_finished, run


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how runs are made."""
    parser.add_argument("--jobs", type=count, default=os.cpu_count() or 1, help="runs at a time (default: all cores)")
    parser.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")


def count(text: str) -> int:
    """Return the whole number of at least 1 that an argument says."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return int(text)


def run_all(
    configs: Mapping[str, SimulationConfig], folder: Path, jobs: int = 1, quiet: bool = False
) -> dict[str, Result]:
    """Run all `configs` that are not finished, each into a folder of its name, and return all results.

    Raise `SimulationError` after all if one has failed.
    """
    failed = {name: error for name, error in run_configs(configs, folder, jobs, quiet).items() if error}
    for name, reason in failed.items():  # the first stands for all
        raise SimulationError(f"{len(failed)} of {len(configs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in configs}


def run_configs(
    configs: Mapping[str, SimulationConfig], folder: Path, jobs: int = 1, quiet: bool = False
) -> dict[str, str]:
    """Run all `configs` that are not finished, and return for each the reason of its failure, or nothing."""
    waiting = {name: config for name, config in configs.items() if not is_finished(config, folder / name)}
    outcome = dict.fromkeys(configs, "")
    if len(waiting) < len(configs) and not quiet:
        print(f"{len(configs) - len(waiting)} of {len(configs)} runs are finished already.", file=sys.stderr)
    pool = ProcessPoolExecutor(min(jobs, len(waiting))) if jobs > 1 and len(waiting) > 1 else None
    try:
        reasons = (pool.map if pool else map)(_run, waiting.values(), [folder / name for name in waiting])
        for name, reason in zip(waiting, reasons, strict=True):
            outcome[name] = reason
            if reason or not quiet:
                print(f"{name}: {reason or 'done'}", file=sys.stderr, flush=True)
    except BrokenProcessPool:
        raise SimulationError(
            "A process died, of too little memory perhaps: the same command goes on; take fewer --jobs."
        ) from None
    finally:
        if pool:
            pool.shutdown(wait=False, cancel_futures=True)
    return outcome


def _run(config: SimulationConfig, place: Path) -> str:
    """Run `config` into the folder `place`, and return why it failed, if it did in a way that a user can mend."""
    try:
        with ResultFolder(place, overwrite=True) as folder:
            run(config, folder, None, plot=False)
    except Exception as error:
        if failure := failures.expected(error):
            return failure.message
        raise
    return ""
