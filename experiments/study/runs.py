"""Many runs that can be stopped and resumed.

A study is a set of named runs. Each is simulated into a folder of its name, by whatever launcher there is, and not
again while that folder holds the result of the same configuration.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ssdsim.errors import SimulationError
from ssdsim.metrics.result import Result

from ..compose import prepared, session
from ..runner.launching import hydras_own, importable, make_launcher
from ..runner.means import Means
from ..runner.orders import Job, Orders
from ..runner.overview import Overview
from ..runner.rounds import run_jobs

Runs = dict[str, list[str]]
"""Overrides by the name of the run, which is `workload/system` as a rule."""


def grid(systems: Mapping[str, list[str]], workloads: Mapping[str, list[str]], common: Sequence[str] = ()) -> Runs:
    """Return the overrides of every system under every workload; a run is called `workload/system`."""
    return {
        f"{workload}/{system}": [*common, *of_system, *of_workload]
        for workload, of_workload in workloads.items()
        for system, of_system in systems.items()
    }


def run_all(runs: Mapping[str, list[str]], folder: Path, means: Means) -> dict[str, Result]:
    """Run what is not finished yet, by the `means` given, and return the result of every run, read from its folder.

    Raise `InputError` before any run if one cannot be composed, and `SimulationError` after all if one has failed.
    """
    with session():
        jobs = [
            Job(name, number, overrides, prepared(overrides).config)
            for number, (name, overrides) in enumerate(runs.items())
        ]
        launcher = make_launcher(hydras_own(means.overrides()), folder)
        overview = Overview(lambda job: job.name, means.words, len(jobs))
        with Orders(folder, quiet=not means.words.verbose) as orders, importable():
            statuses = run_jobs(jobs, orders, launcher, overview)
    failed = {name: status["message"] for name, status in statuses.items() if status["exit_status"]}
    for name, reason in failed.items():
        raise SimulationError(f"{len(failed)} of {len(jobs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in runs}


def run_parts(parts: Mapping[str, Mapping[str, list[str]]], folder: Path, means: Means) -> dict[str, dict[str, Result]]:
    """Run all parts of a study, and return their results; the run `name` of a part lies in the folder `part/name`."""
    runs = {f"{part}/{name}": overrides for part, of in parts.items() for name, overrides in of.items()}
    results = run_all(runs, folder, means)
    return {part: {name: results[f"{part}/{name}"] for name in of} for part, of in parts.items()}
