"""Runs, each made once into a folder of its own: what all verbs that simulate share."""

import argparse
import hashlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ssdsim.assembly import own_policies
from ssdsim.config import SimulationConfig
from ssdsim.errors import InputError, SimulationError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance
from ssdsim.run import simulation
from ssdsim.run.progress import Bar

from . import failures

PICTURED = 100_000
"""Requests from which on a run is drawn if nothing else is said: these take longer than the picture."""


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the result of `config`, by this code, of the traces and own classes as they are."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary.get(key, {}) == now[key] for key in ("config_hash", "versions", "traces"))
    written = (folder / "summary.json").stat().st_mtime
    is_old = any(file.stat().st_mtime > written for file in own_policies.files())
    return same and summary.get("partial") is False and not is_old


def run(config: SimulationConfig, folder: ResultFolder, plot: bool | None = None, quiet: bool = True) -> None:
    """Simulate `config` into `folder`, and `plot` it, or if that is None, when the run is long enough to be worth it.

    Unless it is `quiet`, say where it writes, how far it is, and what was kept if it was stopped or failed.
    """
    if not quiet:
        print(f"Running into {folder.path}", file=sys.stderr, flush=True)
    try:
        with nullcontext() if quiet or not sys.stderr.isatty() else Bar(sys.stderr) as progress:
            simulation.simulate(config, folder, progress)
    finally:
        if folder.written:
            result = Result.load(folder.path)
            requests = sum(served["count"] for served in result.summary["requests"].values())
            is_long, has_clock = requests >= PICTURED, result.timeseries.num_rows > 0
            if (is_long if plot is None else plot) and has_clock and all(map(find_spec, ("altair", "vl_convert"))):
                from ssdsim.report.run import overview

                overview(result, folder.part("overview.png"))
                folder.add("overview.png")
            if not quiet and result.summary["partial"]:
                print(f"Stopped early: the results in {folder.path} are marked partial.", file=sys.stderr)


def attempt(config: SimulationConfig, place: Path, plot: bool | None = False) -> failures.Failure | None:
    """Run `config` into the folder `place`, also over results that are there, and return why that failed, if it did."""
    try:
        with ResultFolder(place, overwrite=True) as folder:
            run(config, folder, plot)
    except Exception as error:
        if failure := failures.expected(error):
            return failure
        traceback.print_exception(error)  # a bug, which stops no other run
        return failures.Failure(f"a bug of ssdsim, or of a class of yours: {error!r}", 1)
    return None


def report(folder: Path, quiet: bool = False, verbose: bool = False) -> None:
    """Print the summary of a run, read back from its folder, unless `quiet`, and where that is."""
    if not quiet:
        from ssdsim.report.summary import summary_text, validity_lines
        from ssdsim.report.text import filled

        result = Result.load(folder)
        print(summary_text(result), *map(filled, validity_lines(result.summary, verbose)), sep="\n")
        loads = (result.summary.get("workload", {}), *result.summary.get("workloads", {}).values())
        if ignored := sorted({option for load in loads for option in load.get("ignored", ())}):
            print(filled(f"Options of fio that have no meaning for a simulated device: {', '.join(ignored)}."))
    print(f"Results are in {folder}")


def folder_of(words: Sequence[str], kind: str) -> Path:
    """Return the folder that the same `words` always have, so that the same command goes on there."""
    return Path("results", f"{kind}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:8]}")


def named_folder(node: Any, words: Sequence[str], known: Sequence[str], kind: str) -> tuple[ResultFolder, bool]:
    """Return the folder of a sweep or a comparison of the configuration `node`, and whether it goes on there.

    That is where the manifest has the overrides that are `known`. Of `words`, hydra.run.dir may name it.
    """
    is_named = any(word.startswith(("hydra.run.dir=", "hydra.sweep.dir=")) for word in words)
    path = Path(node.hydra.sweep.dir) if is_named else folder_of(known, kind)
    goes_on = (manifest(path) or {}).get("overrides") == [*known]
    return ResultFolder(path, node.overwrite or goes_on, kind), goes_on


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how many runs are made."""
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
        failures_of_runs = (pool.map if pool else map)(attempt, waiting.values(), [folder / name for name in waiting])
        for name, failure in zip(waiting, failures_of_runs, strict=True):
            outcome[name] = failure.message if failure else ""
            if failure or not quiet:
                print(f"{name}: {outcome[name] or 'done'}", file=sys.stderr, flush=True)
    except BrokenProcessPool:
        raise SimulationError(
            "A process died, of too little memory perhaps: the same command goes on; take fewer --jobs."
        ) from None
    finally:
        if pool:
            pool.shutdown(wait=False, cancel_futures=True)
    return outcome
