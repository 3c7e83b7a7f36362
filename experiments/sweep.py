"""A sweep: Hydra's sweeper and launcher run the jobs, each leaves its status, and a table compares them."""

import json
import os
import sys
import traceback
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import hydra
from attrs import frozen
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from omegaconf import DictConfig

from ssdsim.config import load, register
from ssdsim.errors import InputError, SsdsimError
from ssdsim.metrics.folder import ResultFolder, manifest
from ssdsim.metrics.result import Result
from ssdsim.metrics.sweep import statuses, write
from ssdsim.presets import spelled
from ssdsim.report.tables import comparison_table, seeds_table
from ssdsim.run.interrupts import exit_status

from . import failures
from .compose import CONF, located
from .presets import applied_here
from .run import console, run


@frozen
class Refusal:
    """A point of a sweep that cannot be run: its overrides, and why."""

    overrides: list[str]
    error: SsdsimError


def launch(overrides: list[str], folder: ResultFolder, jobs: int, refused: dict[int, Refusal] | None = None) -> int:
    """Run the sweep into `folder`, compare its jobs, and return the status of the first that failed, or 0.

    The points that are `refused`, by their place in the sweep, are left out; what is left are its `jobs`. The manifest
    of `folder` lists the sweeps whose jobs may lie there, this one last: jobs of earlier ones are no part of it. Their
    results go when there are new ones for their folder, or when all of this sweep is fine.
    """
    refused = refused or {}
    earlier = folder.manifest.get("sweeps", [])
    this = uuid4().hex
    folder.note(sweeps=[*earlier, this])
    arguments = ["--multirun", *overrides, f"hydra.sweep.dir={spelled(folder.path)}"]
    for number, refusal in enumerate(refused.values()):
        with ResultFolder(folder.path / f"refused-{number}", overwrite=True) as place:
            _leave_refusal(place, {"sweep": this, "job": jobs + number}, refusal)
    try:
        with _without(refused), applied_here():
            _run_hydra(arguments)
    finally:
        done = statuses(folder.path, [this])
        write(folder)
        _compare(folder.path, done)
    failed = [status["exit_status"] for status in done if status["exit_status"]]
    if not failed and len(done) == jobs:
        _remove_jobs(folder.path, earlier)
        folder.note(sweeps=[this])
    return failed[0] if failed else int(len(done) < jobs)


def _leave_refusal(folder: ResultFolder, status: dict[str, Any], refusal: Refusal) -> None:
    """Leave the status of a point that is not run, after those that are."""
    shown = [each for each in refusal.overrides if not each.startswith("hydra.")]
    _leave(folder, status | {"overrides": shown, "status": "refused", "results": False} | _told(refusal.error))


def _leave(folder: ResultFolder, status: dict[str, Any]) -> None:
    folder.part("status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
    folder.add("status.json")


def _told(error: SsdsimError) -> dict[str, Any]:
    return {"message": str(error), "exit_status": error.exit_status}


@contextmanager
def _without(refused: Container[int]) -> Iterator[None]:
    """Have Hydra's sweeper leave out the points at these places; it has no setting for that."""
    (sweeper,) = (each for each in Plugins.instance().discover(Sweeper) if each.__name__ == "BasicSweeper")
    every = sweeper.split_arguments  # of the class that Hydra has loaded, which is not the one that is imported

    def accepted(overrides: list[Override], most: int | None) -> list[list[list[str]]]:
        points = every(overrides, None)[0]
        return [[point for place, point in enumerate(points) if place not in refused]]

    with patch.object(sweeper, "split_arguments", staticmethod(accepted)):
        yield


def _run_hydra(arguments: list[str]) -> None:
    """Enter Hydra's main function, which takes its arguments from `sys.argv` and wants to be the only Hydra."""
    GlobalHydra.instance().clear()
    # Without it Hydra prints a digest of what went wrong and leaves the process.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    before, sys.argv = sys.argv, [sys.argv[0], *arguments]
    try:
        _job()
    finally:
        sys.argv = before


@hydra.main(version_base="1.3", config_path=str(CONF), config_name="config")
def _job(node: DictConfig) -> None:
    """Run one job; whatever happens to it, its status is written and the others go on, but for Ctrl-C."""
    register()
    job = HydraConfig.get()
    path = Path(job.runtime.output_dir)
    sweep = manifest(Path(job.runtime.cwd, job.sweep.dir))["sweeps"][-1]
    status = {"sweep": sweep, "job": job.job.num, "overrides": list(job.overrides.task)}
    try:
        with ResultFolder(path, overwrite=not statuses(path, [sweep])) as folder:
            _run_job(node, folder, status)
    except Exception as error:
        _failed(error)


def _run_job(node: DictConfig, folder: ResultFolder, status: dict[str, Any]) -> None:
    """Run the job that `node` describes into `folder`, and leave its `status` there."""
    outcome: dict[str, Any] = {"status": "completed", "exit_status": 0}
    try:
        run(located(load(node)), folder, f"Job {status['job']}: {' '.join(status['overrides'])}")
    except KeyboardInterrupt as interrupt:
        outcome = {"status": "interrupted", "exit_status": exit_status(interrupt)}
        raise
    except Exception as error:
        outcome = _failed(error)
    finally:
        _leave(folder, status | outcome | {"results": folder.written})


def _failed(error: Exception) -> dict[str, Any]:
    failure = failures.expected(error)
    if failure is None:
        traceback.print_exception(error)
        return {"status": "crashed", "message": repr(error), "exit_status": 1}
    print(failure.message, file=sys.stderr)
    return {"status": "failed", "message": failure.message, "exit_status": failure.exit_status}


def _remove_jobs(folder: Path, sweeps: list[str]) -> None:
    """Remove what the jobs of `sweeps` have written, but for what was changed since."""
    for status in statuses(folder, sweeps):
        with suppress(InputError), ResultFolder(status["folder"], overwrite=True) as old:
            old.remove()


def _by_seed(done: list[dict[str, Any]]) -> dict[str, list[Result]]:
    """Return the results of points that differ by their seeds alone, by what else sets them apart, if there are any."""
    groups: dict[str, list[Result]] = {}
    for status in done:
        others = [each for each in status["name"].split() if not each.startswith("seed=")]
        groups.setdefault(" ".join(others) or "defaults", []).append(Result.load(status["folder"]))
    return {name: results for name, results in groups.items() if len({r.summary["seed"] for r in results}) > 1}


def _compare(folder: Path, jobs: list[dict[str, Any]]) -> None:
    done = [status for status in jobs if status["results"]]
    out = console()
    if done:
        shown = {s["name"]: Result.load(s["folder"]) if s in done else s["status"] for s in jobs}
        out.print(comparison_table(shown))
        if groups := _by_seed(done):
            out.print(seeds_table(groups))
    for status in jobs:
        if status["status"] == "refused":
            print(f"Refused ({status['name']}): {status['message']}")
        elif status["exit_status"]:
            reason = f": {status['message']}" if "message" in status else ""
            print(f"Job {status['job']} ({status['name']}) {status['status']}{reason}")
    print(f"Results are in {folder}")
