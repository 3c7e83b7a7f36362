"""The points of a sweep: they are checked, those that are not finished are run, and each has a status in the end."""

from collections.abc import Sequence
from pathlib import Path

import attrs
from hydra.plugins.launcher import Launcher

from ssdsim.errors import ConfigError, SsdsimError
from ssdsim.metrics.folder import ResultFolder

from ..compose import prepared
from .finished import leave, read_status
from .orders import Job, Orders, Status
from .overview import Overview
from .rounds import run_jobs

OF_THE_SWEEP = ("hydra.run.", "hydra.sweep.dir", "hydra/launcher", "hydra.launcher", "hydra/sweeper", "hydra.sweeper")
"""What overrides begin with that say how points are run, and into which folder, and nothing of a point."""


def is_hydras(override: str) -> bool:
    """Return whether `override` is one of Hydra's own keys."""
    return override.lstrip("+~").startswith("hydra")


def of_points(overrides: Sequence[str]) -> list[str]:
    """Return the `overrides` of a command that its points depend on."""
    return [override for override in overrides if not override.lstrip("+~").startswith(OF_THE_SWEEP)]


class Points:
    """The points of a sweep as jobs, each composed and checked once; `shared` are overrides that all have."""

    def __init__(self, shared: Sequence[str] = ()) -> None:
        self._shared = [*shared]
        self._known: dict[tuple[int, tuple[str, ...]], Job | SsdsimError] = {}
        self._compared = 0
        self._common: set[str] = set()

    def __len__(self) -> int:
        return len(self._known)

    def job(self, number: int, overrides: Sequence[str]) -> Job | SsdsimError:
        """Return the job of a point, or why it cannot be run."""
        key = (number, tuple(overrides))  # a job's folder may depend on its number
        if key not in self._known:
            try:
                point = prepared([*self._shared, *overrides], number)
                self._known[key] = Job(point.folder, number, [*overrides], point.config)
            except SsdsimError as error:
                self._known[key] = error
        return self._known[key]

    def title(self, overrides: Sequence[str]) -> str:
        """Return the overrides of a point that not all points have."""
        if len(self._known) != self._compared:
            every = [set(overrides) for _, overrides in self._known]
            # a single point has all in common with itself, and would have no title
            self._compared, self._common = len(every), set.intersection(*every) if len(every) > 1 else set()
        return " ".join(override for override in overrides if override not in self._common) or "defaults"

    def check(self, points: Sequence[Sequence[str]]) -> None:
        """Raise ConfigError if none of `points` can be run."""
        jobs = [self.job(number, overrides) for number, overrides in enumerate(points)]
        errors = [job for job in jobs if isinstance(job, SsdsimError)]  # some may be refused, but not all
        if len(errors) == len(jobs):
            raise ConfigError("\n".join(dict.fromkeys(map(str, errors)))) from errors[0]


@attrs.define
class SweepLauncher:
    """Runs points by a `launcher` of Hydra, and has in `statuses` what came of each, by the number of its job.

    Points that cannot be run are told, and left out, as are those that are finished unless `anew` is wanted.
    """

    _launcher: Launcher
    _points: Points
    _orders: Orders
    _overview: Overview
    _anew: bool = False
    _numbers: dict[str, int] = attrs.field(init=False, factory=dict)
    statuses: dict[int, Status] = attrs.field(init=False, factory=dict)

    def launch(self, points: Sequence[Sequence[str]], first: int = 0) -> None:
        """Run a batch of points; raise ConfigError, before any is run, if two would go into one folder."""
        numbers = range(first, first + len(points))
        jobs = [job for job in map(self._accepted, numbers, points) if job is not None]
        self._overview.total = max(self._overview.total, numbers.stop)
        try:
            done = run_jobs(jobs, self._orders, self._launcher, self._overview, self._anew)
        except BaseException:
            self._orders.take_back()  # and have running jobs leave what they have
            done = {job.name: status for job in jobs if (status := self._orders.ended(job) or self._left_by(job))}
            raise
        finally:
            self.statuses |= {self._numbers[name]: status for name, status in done.items()}

    def folder(self, number: int) -> Path:
        """Return where job `number` has left its status."""
        return self._orders.folder / next(name for name, job_number in self._numbers.items() if job_number == number)

    def _accepted(self, number: int, overrides: Sequence[str]) -> Job | None:
        """Return the job of a point, None if it is refused, which is told in its folder."""
        job = self._points.job(number, overrides)
        if isinstance(job, SsdsimError):
            outcome = {"status": "refused", "message": str(job), "exit_status": job.exit_status, "results": False}
            status = self._orders.about(number, [*overrides]) | outcome
            # its number, as no configuration tells where it goes
            with ResultFolder(self._orders.folder / str(number), overwrite=True) as place:
                leave(place, status)
            self.statuses[number], self._numbers[str(number)] = status, number
            self._overview.count(status)
            return None
        other = self._numbers.setdefault(job.name, number)
        if other != number:
            raise ConfigError(
                f"hydra.sweep.subdir: jobs {other} and {number} would both go to {job.name}; leave it as it is, or "
                "have it depend on what is swept over."
            )
        return job

    def _left_by(self, job: Job) -> Status:
        """Return the status that a job of this sweep has left before it was interrupted, nothing if there is none."""
        status = read_status(self._orders.folder / job.name)
        return status if status.get("sweep") == self._orders.about(0, [])["sweep"] else {}
