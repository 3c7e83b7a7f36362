"""Every job gets a status, whatever jobs a launcher loses, and many named runs can be stopped and resumed."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hydra.plugins.launcher import Launcher

from ssdsim.errors import ConfigError, SimulationError
from ssdsim.metrics.folder import ResultFolder
from ssdsim.metrics.result import Result

from ..compose import prepared, session
from .finished import is_finished, leave, read_status
from .launching import hydras_own, importable, make_launcher
from .means import Means
from .orders import Job, Orders, Status
from .overview import Overview

MOST_ATTEMPTS = 3
"""How often a job is begun, the last time alone, before it is taken to be what its processes die of."""

MOST_IDLE = 3
"""How often a launcher may begin nothing at all, one time after another."""

DIED = {"status": "crashed", "message": "its process died, of too little memory perhaps", "exit_status": 1}


def run_all(runs: Mapping[str, list[str]], folder: Path, means: Means) -> dict[str, Result]:
    """Run the jobs not finished yet, each into a folder of its name, by the `means` given, and return all results.

    A run is not made again while its folder holds the result of the same configuration.
    Raise `InputError` before any run if one cannot be composed, and `SimulationError` after all if one has failed.
    """
    with session():
        listed = enumerate(runs.items())
        jobs = [Job(name, number, overrides, prepared(overrides).config) for number, (name, overrides) in listed]
        launcher = make_launcher(hydras_own(means.overrides()), folder)
        overview = Overview(lambda job: job.name, means.words, len(jobs))
        with Orders(folder, quiet=not means.words.verbose) as orders, importable():
            statuses = run_jobs(jobs, orders, launcher, overview)
    failed = {name: status["message"] for name, status in statuses.items() if status["exit_status"]}
    for name, reason in failed.items():  # the first stands for all
        raise SimulationError(f"{len(failed)} of {len(jobs)} runs failed; {name}: {reason}")
    return {name: Result.load(folder / name) for name in runs}


def as_they_are(jobs: Sequence[Job], orders: Orders) -> dict[str, Status]:
    """Return the status of each of `jobs` that is finished, by name; what an earlier sweep has left is none of them."""
    statuses: dict[str, Status] = {}
    for job in jobs:
        folder, about = orders.folder / job.name, orders.about(job.number, job.overrides)
        left = read_status(folder)
        if left.get("sweep") == about.get("sweep") and is_finished(job.config, folder):
            statuses[job.name] = {"status": "completed", "exit_status": 0, "results": True, **left, **about}
    return statuses


def run_jobs(
    jobs: Sequence[Job], orders: Orders, launcher: Launcher, overview: Overview, anew: bool = False
) -> dict[str, Status]:
    """Have `launcher` run those of `jobs` that are not finished, or all `anew`, and return the status of each by name.

    `overview` is told of all. Raise what `run_to_the_end` does.
    """
    finished = {} if anew else as_they_are(jobs, orders)
    overview.left_out(finished.values(), len(jobs))
    for job in jobs:
        if job.name in finished and not read_status(place := orders.folder / job.name):  # it died before it left one
            with ResultFolder(place, overwrite=True) as folder:
                leave(folder, orders.about(job.number, job.overrides) | finished[job.name])
    waiting = [job for job in jobs if job.name not in finished]
    with overview.watch(waiting, orders):
        return finished | run_to_the_end(waiting, orders, launcher, overview.lost)


def run_to_the_end(
    jobs: Sequence[Job], orders: Orders, launcher: Launcher, lost: Callable[[Job], None], wait_s: float = 0.1
) -> dict[str, Status]:
    """Have `launcher` run `jobs` until each has a status, and return these by name; `lost` is told of those it loses.

    What a launcher raises is of no matter as long as jobs get done. A job that was begun `MOST_ATTEMPTS` times and
    never came to an end is said to have crashed. Raise `ConfigError` if the launcher begins nothing.
    """
    for job in jobs:
        orders.put(job)
    idle = 0
    while waiting := [job for job in jobs if orders.ended(job) is None]:
        free = [job for job in waiting if not orders.runs(job)]  # others may run after a launcher, or command, has died
        begun = {job.name: orders.attempts(job) for job in free}
        # who is on the last attempt waits for the others, and goes alone
        batch = [job for job in free if begun[job.name] < MOST_ATTEMPTS - 1] or free[:1]
        if not batch:
            time.sleep(wait_s)
        elif begun[batch[0].name] >= MOST_ATTEMPTS:
            status = orders.end(batch[0], {**DIED, "attempt": MOST_ATTEMPTS, "results": False})
            with ResultFolder(orders.folder / batch[0].name, overwrite=True) as folder:
                leave(folder, status)
        else:
            reason = _launched(batch, orders, launcher)
            left = [job for job in batch if orders.ended(job) is None]
            # begun in this round, and gone
            died = [job for job in left if orders.attempts(job) > begun[job.name] and not orders.runs(job)]
            for job in died:
                lost(job)
            idle = 0 if died or len(left) < len(batch) else idle + 1  # a job that died was begun, too
            if idle == MOST_IDLE:
                lines = str(reason).split("\n") if reason else ["it gives no reason"]
                told = f"{type(reason).__name__}: {lines[-1].strip()}" if reason else lines[-1]
                raise ConfigError(f"The launcher has begun none of {len(batch)} jobs ({told}).") from reason
    return {job.name: orders.ended(job) or {} for job in jobs}


def _launched(batch: Sequence[Job], orders: Orders, launcher: Launcher) -> Exception | None:
    """Have `launcher` run a batch, and return what it raised."""
    overrides = [[f"order={orders.place(job)}", f"hydra.sweep.subdir={job.name}"] for job in batch]
    try:
        launcher.launch(overrides, initial_job_idx=batch[0].number)
    except Exception as error:
        return error
    return None
