"""A sweep: Hydra's sweeper and launcher run the jobs, each leaves its status, and a table compares them."""

import json
import os
import sys
import traceback
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import hydra
from attrs import frozen
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.types import Override
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper
from omegaconf import DictConfig

from experiments import failures
from experiments.compose import located, quoted
from experiments.run import console, run
from ssdsim.config import load, register
from ssdsim.errors import SsdsimError
from ssdsim.metrics.result import Result
from ssdsim.report.tables import comparison_table


@frozen
class Refusal:
    """A point of a sweep that cannot be run: its overrides, and why."""

    overrides: list[str]
    error: SsdsimError


def launch(overrides: list[str], folder: Path, jobs: int, refused: dict[int, Refusal] | None = None) -> int:
    """Run the sweep into `folder`, compare its jobs, and return the status of the first that failed, or 0.

    The points that are `refused`, by their place in the sweep, are left out; what is left are its `jobs`.
    """
    refused = refused or {}
    arguments = ["--multirun", *overrides, f"hydra.sweep.dir={quoted(folder)}"]
    for number, refusal in enumerate(refused.values()):
        _write_refusal(folder / f"refused-{number}", jobs + number, refusal)
    try:
        with _without(refused):
            _run_hydra(arguments)
    finally:
        statuses = _statuses(folder)
        _compare(folder, statuses)
    failed = [status["exit_status"] for status in statuses if status["exit_status"]]
    return failed[0] if failed else int(len(statuses) < jobs)


def _write_refusal(folder: Path, job: int, refusal: Refusal) -> None:
    """Leave the status of a point that is not run, after those that are."""
    folder.mkdir(exist_ok=True)
    shown = [each for each in refusal.overrides if not each.startswith("hydra.")]
    status = {"job": job, "overrides": shown, "status": "refused"} | _told(refusal.error)
    (folder / "status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")


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


@hydra.main(version_base="1.3", config_path="pkg://conf", config_name="config")
def _job(node: DictConfig) -> None:
    """Run one job; whatever happens to it, its status is written and the others go on, but for Ctrl-C."""
    register()
    job = HydraConfig.get()
    folder = Path(job.runtime.output_dir)
    status = {"job": job.job.num, "overrides": list(job.overrides.task), "status": "completed", "exit_status": 0}
    try:
        run(located(load(node)), folder, f"Job {status['job']}: {' '.join(job.overrides.task)}")
    except KeyboardInterrupt:
        status |= {"status": "interrupted", "exit_status": failures.INTERRUPTED}
        raise
    except Exception as error:
        status |= _failed(error)
    finally:
        (folder / "status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")


def _failed(error: Exception) -> dict[str, Any]:
    failure = failures.expected(error)
    if failure is None:
        traceback.print_exception(error)
        return {"status": "crashed", "message": repr(error), "exit_status": 1}
    print(failure.message, file=sys.stderr)
    return {"status": "failed", "message": failure.message, "exit_status": failure.exit_status}


def _statuses(folder: Path) -> list[dict[str, Any]]:
    """Return the status of each job in order, with its folder and, as its name, the overrides that set it apart."""
    files = folder.glob("**/status.json")
    statuses = [json.loads(file.read_text(encoding="utf-8")) | {"folder": file.parent} for file in files]
    shared = set.intersection(*(set(status["overrides"]) for status in statuses)) if len(statuses) > 1 else set()
    for status in statuses:
        status["name"] = " ".join(each for each in status["overrides"] if each not in shared) or "defaults"
    return sorted(statuses, key=lambda status: status["job"])


def _compare(folder: Path, statuses: list[dict[str, Any]]) -> None:
    done = [status for status in statuses if (status["folder"] / "summary.json").exists()]
    out = console()
    if done:
        shown = {s["name"]: Result.load(s["folder"]) if s in done else s["status"] for s in statuses}
        out.print(comparison_table(shown))
    for status in statuses:
        if status["status"] == "refused":
            print(f"Refused ({status['name']}): {status['message']}")
        elif status["exit_status"]:
            reason = f": {status['message']}" if "message" in status else ""
            print(f"Job {status['job']} ({status['name']}) {status['status']}{reason}")
    print(f"Results are in {folder}")
