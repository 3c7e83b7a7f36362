"""Many named runs that can be stopped and resumed.

Each is simulated into a folder of its name, by whatever launcher there is, and not again while that folder holds the
result of the same configuration.
"""

from collections.abc import Mapping
from pathlib import Path

from ssdsim.errors import SimulationError
from ssdsim.metrics.result import Result

from ..compose import prepared, session
from .launching import hydras_own, importable, make_launcher
from .means import Means
from .orders import Job, Orders
from .overview import Overview
from .rounds import run_jobs


def run_all(runs: Mapping[str, list[str]], folder: Path, means: Means) -> dict[str, Result]:
    """Run the jobs not finished yet, by the `means` given, and return the result of every run, read from its folder.

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
    for name, reason in failed.items():  # the first stands for all
        raise SimulationError(f"{len(failed)} of {len(jobs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in runs}
