"""The verbs that simulate: one experiment, those of a sweep, which Hydra's launchers run, or those of a paper."""

import argparse
import hashlib
import json
import os
import shlex
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from ssdsim.assembly import own_policies
from ssdsim.config import SimulationConfig
from ssdsim.config.saved import written_config
from ssdsim.errors import ConfigError, InputError, SimulationError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result, Sweep, statuses
from ssdsim.metrics.summary import provenance
from ssdsim.report.comparison import FIELDS, compared, results_table, swept_points
from ssdsim.report.summary import summary_text, validity_lines
from ssdsim.report.text import filled
from ssdsim.run import simulation
from ssdsim.run.interrupts import exit_status
from ssdsim.run.progress import Bar

from . import PACKAGE, PROJECT, failures, parser
from .compose import COMPOSITION, compose, explained, made, of_experiment, parse, points, session
from .from_python import spelled


def main(arguments: Sequence[str]) -> int:
    """Simulate an experiment and print its summary, or every combination of several values and compare the results.

    KEY=VALUE sets a key, and GROUP=CHOICE chooses a preset: `presets` lists and explains them. Results go to a new
    folder in results/, or to the one that hydra.run.dir names; overwrite=true has them take the place of those that
    are there, and plot=true or false says whether to draw overview.png.

    The values of a `sweep` are listed, as in ftl/gc=greedy,rga and seed=range(1,4). The same command goes on where it
    was stopped; hydra/launcher=joblib runs several at a time.
    """
    options = parser("run", main.__doc__, "a key or group, and its value or choice")
    options.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")
    options.add_argument("-v", "--verbose", action="store_true", help="tell more of validity")
    options.add_argument("-m", "--multirun", action="store_true", help="every combination of values, as `sweep`")
    options.add_argument("--config", metavar="FOLDER", help="run a folder, or a YAML file, again, with keys changed")
    options.add_argument("--cfg", choices=["job"], help="print the configuration as YAML, and run nothing")
    given = options.parse_intermixed_args(arguments)
    words = [*given.overrides, *["quiet=true"] * given.quiet]
    if given.multirun:
        if given.config or given.cfg:
            raise ConfigError(f"{'--config' if given.config else '--cfg'}: goes with one run, and not with a sweep.")
        return _sweep(words)
    with session():
        node = compose(*words, place=given.config)
        config, path = made(node, words), Path(node.hydra.run.dir)
    if given.cfg:
        print(written_config(config), end="")
        return 0
    with ResultFolder(path, node.overwrite) as folder:
        try:
            run(config, folder, node.plot, node.quiet)
        finally:
            if folder.written:
                report(path, node.quiet, given.verbose)
    return 0


def _sweep(words: Sequence[str]) -> int:
    """Run the points that `words` list, but for those that are finished; return the status of the first refused."""
    # for the processes that launchers start, which find the modules that this one does
    os.environ["PYTHONPATH"] = os.pathsep.join(str(Path(place).absolute()) for place in sys.path)
    with session() as hydra:
        known = of_experiment(words)
        points(parse(known))  # tells of an interval, which has no points
        try:
            node = hydra.compose_config("config", [*words], run_mode=RunMode.MULTIRUN)
            folder, goes_on = named_folder(node, words, known, "sweep")
            with folder:
                if not goes_on:
                    _remove_jobs(folder.path)
                again = shlex.join(["ssdsim", "sweep", *known, f"hydra.run.dir={folder.path}"])
                folder.note(overrides=known, command=again)
                try:
                    hydra.multirun("config", job, [*words, f"hydra.sweep.dir={spelled(folder.path.absolute())}"])
                finally:
                    if ended := statuses(folder.path):  # also after an interrupt
                        _compare(folder.path, node.quiet)
        except COMPOSITION as error:
            raise explained(error, words) from None
        except KeyboardInterrupt:
            print("Stopped: the same command goes on from here.", file=sys.stderr)
            raise
    return next((int(status["exit_status"]) for status in ended if status["exit_status"]), 0)


def job(node: DictConfig) -> None:
    """Simulate the experiment of `node` in the folder of its job, unless its result is there, and write its status."""
    settings, begun = HydraConfig.get(), time.monotonic()
    folder, overrides = Path(settings.runtime.output_dir), of_experiment(settings.overrides.task)
    status = {"job": settings.job.num, "overrides": overrides, "status": "completed", "exit_status": 0}
    is_there, failure = False, None
    try:
        try:
            config = made(node, overrides)
            is_there = not node.overwrite and is_finished(config, folder)
            failure = None if is_there else attempt(config, folder, node.plot)
        except InputError as error:
            failure = failures.expected(error)
        if failure:
            kind = "refused" if failure.exit_status == InputError.exit_status else "failed"
            status |= {"status": kind, "exit_status": failure.exit_status, "message": failure.message}
    except KeyboardInterrupt as interrupt:
        status |= {"status": "interrupted", "exit_status": exit_status(interrupt), "message": "stopped"}
        raise
    finally:
        status["wall_s"] = round(time.monotonic() - begun, 3)
        status["results"] = status["status"] != "refused" and (folder / "summary.json").exists()
        with ResultFolder(folder, overwrite=True) as place:
            place.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
            place.add("status.json")  # so that it is removed with the rest
    if not node.quiet:
        told = status.get("message") or ("finished already" if is_there else f"took {status['wall_s']:.1f} s")
        print(f"Job {settings.job.num} ({' '.join(overrides)}): {told}", file=sys.stderr, flush=True)


def _remove_jobs(path: Path) -> None:
    """Remove the results of an earlier sweep, which are to be overwritten."""
    for file in sorted(path.glob("**/status.json")):
        if "status.json" in (manifest(file.parent) or {"files": {}})["files"]:  # else it is another program's
            with suppress(InputError), ResultFolder(file.parent, overwrite=True) as old:
                old.remove()


def _compare(folder: Path, quiet: bool) -> None:
    """Print the table of the points, unless `quiet`, and what became of those that failed."""
    points = swept_points(Sweep.load(folder))
    if not quiet:
        print(results_table(points, compared(points, [*FIELDS])))
    for point in points:
        for failure in dict.fromkeys(point.failures):
            print(f"{point.name}: {failure}")
    print(f"Results are in {folder}")


def papers(arguments: Sequence[str]) -> int:
    """Repeat the experiments of a paper, and hold its claims against our numbers.

    A paper's own arguments are told by papers NAME --help.
    """
    package = "ssdsim.experiments.papers" if PROJECT == PACKAGE else "experiments.papers"  # within a wheel, or beside
    modules = iter_modules(import_module(package).__path__)
    names = [module.name for module in modules if not module.name.startswith("_")]
    options = parser("papers", papers.__doc__)
    options.add_argument("name", choices=names, help="the paper, by its system")
    options.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="of its experiments")
    given = options.parse_args(arguments)
    return int(import_module(f"{package}.{given.name}").main(given.arguments))


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
            is_long, has_clock = requests >= 100_000, result.timeseries.num_rows > 0  # these take longer than a picture
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
        result = Result.load(folder)
        print(summary_text(result), *map(filled, validity_lines(result.summary, verbose)), sep="\n")
        loads = (result.summary.get("workload", {}), *result.summary.get("workloads", {}).values())
        if ignored := sorted({option for load in loads for option in load.get("ignored", ())}):
            print(filled(f"Options of fio that have no meaning for a simulated device: {', '.join(ignored)}."))
    print(f"Results are in {folder}")


def named_folder(node: Any, words: Sequence[str], known: Sequence[str], kind: str) -> tuple[ResultFolder, bool]:
    """Return the folder of a sweep or a comparison of the configuration `node`, and whether it goes on there.

    It does where the manifest has the overrides that are `known`, which always have the same folder if none is named.
    """
    is_named = any(word.startswith(("hydra.run.dir=", "hydra.sweep.dir=")) for word in words)
    own = f"{kind}-{hashlib.sha256(chr(0).join(known).encode()).hexdigest()[:8]}"
    path = Path(node.hydra.sweep.dir) if is_named else Path("results", own)
    goes_on = (manifest(path) or {}).get("overrides") == [*known]
    return ResultFolder(path, node.overwrite or goes_on, kind), goes_on


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the options that say how many runs are made."""
    made.add_argument("--jobs", type=count, default=os.cpu_count() or 1, help="runs at a time (default: all cores)")
    made.add_argument("-q", "--quiet", action="store_true", help="tell errors, and where the results are")


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
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # which one run has no use for

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
    except BrokenExecutor:
        raise SimulationError(
            "A process died, of too little memory perhaps: the same command goes on; take fewer --jobs."
        ) from None
    finally:
        if pool:
            pool.shutdown(wait=False, cancel_futures=True)
    return outcome
