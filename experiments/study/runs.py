"""Many runs that can be stopped and resumed.

A study is a set of named runs. Each is simulated by a worker process into a folder of its name, and not again while
that folder holds the result of the same configuration.
"""

import multiprocessing
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

from ssdsim.config import SimulationConfig, TraceConfig
from ssdsim.errors import InputError, SimulationError, SsdsimError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result
from ssdsim.metrics.summary import provenance
from ssdsim.run.interrupts import ENDING
from ssdsim.run.simulation import simulate

from ..compose import prepared, session

Runs = dict[str, list[str]]
"""Overrides by the name of the run, which is `workload/system` as a rule."""


def grid(systems: Mapping[str, list[str]], workloads: Mapping[str, list[str]], common: Sequence[str] = ()) -> Runs:
    """Return the overrides of every system under every workload; a run is called `workload/system`."""
    return {
        f"{workload}/{system}": [*common, *of_system, *of_workload]
        for workload, of_workload in workloads.items()
        for system, of_system in systems.items()
    }


def run_all(runs: Mapping[str, list[str]], folder: Path, jobs: int) -> dict[str, Result]:
    """Run what is not finished yet, `jobs` at a time, and return the result of every run, read from its folder.

    Raise `InputError` before any run if one cannot be composed, and `SimulationError` after all if one has failed.
    """
    with session():
        configs = {name: prepared(overrides).config for name, overrides in runs.items()}
    waiting = {name: config for name, config in configs.items() if not is_finished(config, folder / name)}
    if reused := len(configs) - len(waiting):
        print(f"{reused} of {len(configs)} runs are finished already.", file=sys.stderr)
    failed: dict[str, SsdsimError] = {}
    with _workers(jobs) as pool:
        futures = {pool.submit(_run, config, folder / name): name for name, config in waiting.items()}
        for count, future in enumerate(as_completed(futures), 1):
            name, told = futures[future], "failed"
            try:
                told = f"{future.result():.1f} s"
            except SsdsimError as error:
                failed[name] = error
            except BrokenProcessPool:
                raise SimulationError(
                    f"{name}: its process died, of too little memory perhaps; try --jobs 1."
                ) from None
            print(f"[{count}/{len(waiting)}] {name}: {told}", file=sys.stderr, flush=True)
    for name, reason in failed.items():
        raise SimulationError(f"{len(failed)} of {len(configs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in configs}


def run_parts(parts: Mapping[str, Mapping[str, list[str]]], folder: Path, jobs: int) -> dict[str, dict[str, Result]]:
    """Run all parts of a study, and return their results; the run `name` of a part lies in the folder `part/name`."""
    runs = {f"{part}/{name}": overrides for part, of in parts.items() for name, overrides in of.items()}
    results = run_all(runs, folder, jobs)
    return {part: {name: results[f"{part}/{name}"] for name in of} for part, of in parts.items()}


def is_finished(config: SimulationConfig, folder: Path) -> bool:
    """Return whether `folder` holds the whole result of `config`, later than the trace that it replays."""
    try:
        summary = Result.load(folder).summary
    except InputError:
        return False
    now = provenance(config)
    same = all(summary[key] == now[key] for key in ("config_hash", "versions"))
    return same and not summary["partial"] and not _is_outdated(config.workload, folder / "summary.json")


def _is_outdated(workload: object, summary: Path) -> bool:
    return isinstance(workload, TraceConfig) and Path(workload.path).stat().st_mtime > summary.stat().st_mtime


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Within it there are worker processes; they are ended at once if it is left by an exception."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_leave_signals_to_the_parent) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():
                worker.kill()
            raise


def _leave_signals_to_the_parent() -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)


def _run(config: SimulationConfig, folder: Path) -> float:
    """Simulate into `folder`, in the place of what an earlier run left there, and return the seconds it took."""
    with ResultFolder(folder, overwrite=True) as place:
        return float(simulate(config, place).summary["simulator"]["wall_s"])
