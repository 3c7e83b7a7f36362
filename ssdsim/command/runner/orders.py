"""What parent and jobs tell each other, by files below the folder of all runs, which every machine has to see.

An order is there until its job has ended; taking it back ends the job. Beside it the job leaves its status, and in its
own folder a mark while it runs, which stays if the process dies.
"""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import attrs

from ssdsim.config import SimulationConfig
from ssdsim.config.saved import load_config, written_config
from ssdsim.errors import FolderInUseError
from ssdsim.metrics.folder import TEMPORARY, in_use
from ssdsim.metrics.summary import provenance

ORDERS = f"{TEMPORARY}orders"
RUNNING = f"{TEMPORARY}running"

FAREWELL_S = 10.0
"""How long jobs may take to leave partial results once their orders have been taken back."""

Status = dict[str, Any]
"""What `status.json` holds of a job: `job` (its number), `overrides`, `status`, `exit_status`, ..."""


@attrs.frozen
class Job:
    """A run to be made into the folder `name` below that of all runs, and the overrides that it is known by."""

    name: str
    number: int
    overrides: list[str]
    config: SimulationConfig
    config_hash: str = attrs.field(init=False)

    @config_hash.default
    def _hash(self) -> str:
        return str(provenance(self.config)["config_hash"])

    @property
    def stem(self) -> str:
        """What the names of its files begin with: another job has another, also in another command."""
        # 20 digits are 80 bits: no two jobs meet by chance
        return hashlib.sha256(f"{self.name}\0{self.config_hash}".encode()).hexdigest()[:20]


@attrs.frozen
class Order:
    """A job as its own process knows it; it stands in the file at `place`, until it is taken back."""

    place: Path
    folder: Path
    cwd: Path
    status: Status
    config_hash: str
    parent: dict[str, Any]
    plot: bool | None
    quiet: bool

    @classmethod
    def read(cls, place: Path) -> Self | None:
        """Return the order at `place`, None if there is none any more."""
        if (told := _read(place)) is None:
            return None
        return cls(place=place, folder=Path(told.pop("folder")), cwd=Path(told.pop("cwd")), **told)

    def config(self) -> SimulationConfig:
        """Return the configuration of the run, which has the hash that the parent has seen."""
        config = load_config(self.place.with_suffix(".yaml"))
        assert provenance(config)["config_hash"] == self.config_hash, f"{self.place}: is another configuration"
        return config

    def is_of_this_process(self) -> bool:
        """Return whether the parent runs the job itself."""
        return self.parent == here()

    def begin(self) -> Status:
        """Have the folder say who runs the job, and return that for its status: host, process and attempt."""
        told = {"attempt": attempts(self.folder, self.config_hash) + 1, **here()}
        _write(self.folder / RUNNING, {"config_hash": self.config_hash, **told})
        return told

    def end(self, status: Status) -> None:
        """Tell the parent what came of it."""
        with suppress(FileNotFoundError):  # a parent that was told to end has taken everything back
            _write(self.place.with_suffix(".done"), status)
        self.place.unlink(missing_ok=True)
        (self.folder / RUNNING).unlink(missing_ok=True)  # last: without status and mark a job was never begun


class Orders:
    """The orders below `folder`, as their parent knows them.

    `status` is what all jobs say in theirs; with `plot` they draw pictures (None: if they are long enough), and unless
    `quiet` they tell how far they are. Entering raises `FolderInUseError` if there is another parent.
    """

    def __init__(
        self, folder: Path, status: Status | None = None, plot: bool | None = False, quiet: bool = True
    ) -> None:
        self.folder = folder.resolve()
        self._place = self.folder / ORDERS
        self._status = status or {}
        self._jobs: list[Job] = []
        self._facts = {"plot": plot, "quiet": quiet, "cwd": str(Path.cwd()), "parent": here()}

    def __enter__(self) -> Self:
        self._place.mkdir(parents=True, exist_ok=True)
        # O_CLOEXEC: no program that is started holds the lock
        self._lock = os.open(self._place / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # LOCK_NB: said at once, and not waited for
        except BlockingIOError:
            os.close(self._lock)
            raise FolderInUseError(
                f"{self.folder}: another command runs its jobs there; wait until it has ended or choose another folder."
            ) from None
        except OSError:
            pass  # the file system has no locks
        for left in self._place.glob("*.done"):
            left.unlink(missing_ok=True)  # from a parent that was killed; its orders stay, as some may still be at them
        return self

    def __exit__(self, *error: object) -> None:
        self.take_back()
        shutil.rmtree(self._place, ignore_errors=True)
        os.close(self._lock)

    def take_back(self) -> None:
        """Have all jobs end that have not ended, and wait for a while until they have left what they have."""
        for order in self._place.glob("*.json"):
            order.unlink(missing_ok=True)
        until = time.monotonic() + FAREWELL_S
        while (running := [job for job in self._jobs if self.runs(job)]) and time.monotonic() < until:
            time.sleep(0.1)
        for job in self._jobs:
            if job not in running:  # who still runs keeps its mark
                (self.folder / job.name / RUNNING).unlink(missing_ok=True)

    def put(self, job: Job) -> None:
        """Leave the order of `job`, unless one who was still at it has just ended it."""
        self._jobs.append(job)
        if self.ended(job) is not None:
            return
        place, folder = self.place(job), self.folder / job.name
        if not in_use(folder):
            (folder / RUNNING).unlink(missing_ok=True)  # by a job that was killed, before this command
        place.with_suffix(".yaml").write_text(written_config(job.config), encoding="utf-8")
        status = self.about(job.number, job.overrides)
        # the order last, as a job that sees it reads the configuration
        _write(place, {"folder": str(folder), "config_hash": job.config_hash, "status": status, **self._facts})

    def about(self, number: int, overrides: list[str]) -> Status:
        """Return the part of a status that says what job it is of."""
        return self._status | {"job": number, "overrides": overrides}

    def place(self, job: Job) -> Path:
        """Return where the order of `job` stands."""
        return self._place / f"{job.stem}.json"

    def ended(self, job: Job) -> Status | None:
        """Return the status that `job` has ended with, None if it has not ended."""
        return _read(self.place(job).with_suffix(".done"))

    def all_ended(self) -> set[str]:
        """Return the stems of the jobs that have ended."""
        # one look at the folder, however many jobs there are
        return {entry.name.removesuffix(".done") for entry in os.scandir(self._place) if entry.name.endswith(".done")}

    def end(self, job: Job, outcome: Status) -> Status:
        """Say in its stead what came of `job`, and return its status."""
        status = self.about(job.number, job.overrides) | outcome
        _write(self.place(job).with_suffix(".done"), status)
        self.place(job).unlink(missing_ok=True)
        (self.folder / job.name / RUNNING).unlink(missing_ok=True)
        return status

    def attempts(self, job: Job) -> int:
        """Return the number of times this command has begun `job`, none of which it has survived so far."""
        return attempts(self.folder / job.name, job.config_hash)

    def runs(self, job: Job) -> bool:
        """Return whether a process is at `job`, of this command or of an earlier one that was killed."""
        return self.attempts(job) > 0 and in_use(self.folder / job.name)


def attempts(folder: Path, config_hash: str) -> int:
    """Return the number of times a job was begun in `folder`, by the mark of a process that runs it, or died of it."""
    mark = _read(folder / RUNNING) or {}
    # a mark of another configuration is another job's
    return int(mark["attempt"]) if mark.get("config_hash") == config_hash else 0


def here() -> dict[str, Any]:
    """Return the host and process number that tell this process from others."""
    return {"host": socket.gethostname(), "pid": os.getpid()}  # numbers of processes are a host's own


def _read(path: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError):
        return dict(json.loads(path.read_text(encoding="utf-8")))
    return None


def _write(path: Path, content: Any) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    part.replace(path)  # at once, so that nobody reads half a file
