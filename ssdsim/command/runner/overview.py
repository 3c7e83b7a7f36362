"""How far all jobs are: a bar on a terminal, plain lines elsewhere, at the end of each job and now and then between."""

import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Any, Self, TextIO

from attrs import frozen

from .orders import Job, Orders, Status

LOOK_S = 0.3  # between two looks at what has ended
HEARTBEAT_S = 30.0  # after which a line is told again, where there is no bar
BAR = "{percentage:3.0f}%|{bar:12}| {desc}"


@frozen
class Words:
    """How much is told: with `quiet` errors alone, with `verbose` each job's own progress, too."""

    quiet: bool = False
    verbose: bool = False


class Overview:
    """Shows the progress of `total` jobs, or of those seen so far; they are watched in batches, one after another.

    A job is called by its `title`. Failures are told however few the words are.
    """

    def __init__(
        self, title: Callable[[Job], str], words: Words | None = None, total: int = 0, stream: TextIO | None = None
    ) -> None:
        self.total = total
        self.done = 0
        self.failed = 0
        self._title = title
        self._words = words or Words()
        self._stream = stream or sys.stderr
        self._began = time.monotonic()
        self._spoke = self._began
        self._ran = 0
        self._bar: Any = None

    def count(self, status: Status) -> None:
        """Count a job that is not run: it is finished, or refused."""
        self.done += 1
        self.failed += bool(status["exit_status"])

    def left_out(self, finished: Collection[Status], total: int) -> None:
        """Count jobs that need not be run, and tell of them."""
        for status in finished:
            self.count(status)
        if finished and not self._words.quiet:
            self._line(f"{len(finished)} of {total} runs are finished already.")

    def ended(self, job: Job, status: Status) -> None:
        """Count a job that has just ended, and tell of it."""
        self.count(status)
        self._ran += 1
        name = f"Job {job.number} ({self._title(job)})"
        if status["exit_status"]:
            self._line(f"{name} {status['status']}: {status.get('message', '')}")
        elif self._bar is None and not self._words.quiet:
            self._line(f"{self.state()}: {self._title(job)} took {status.get('wall_s', 0):.1f} s")
        self.beat(now=self._bar is not None)

    def lost(self, job: Job) -> None:
        """Tell of a job that is going to be begun again."""
        if not self._words.quiet:
            self._line(f"Job {job.number} ({self._title(job)}): its process died before its end.")

    def beat(self, now: bool = False) -> None:
        """Report the progress of all jobs, if it is time to."""
        if self._bar is not None:
            self._bar.n, self._bar.total = self.done, self.total
            self._bar.set_description_str(self.state())
        elif not self._words.quiet and (now or time.monotonic() >= self._spoke + HEARTBEAT_S):
            self._line(self.state())

    def state(self) -> str:
        """Return how many jobs have ended and failed, and the time that is left, as far as that can be told."""
        failed = f", {self.failed} failed" if self.failed else ""
        left = self.total - self.done
        if not left:
            return f"job {self.done} of {self.total}{failed}"
        # by jobs that ran here, as finished ones took no time
        time_left = (time.monotonic() - self._began) / self._ran * left if self._ran else None
        told = "time left unknown" if time_left is None else f"{_spoken(time_left)} left"
        return f"job {self.done} of {self.total}{failed}, {told}"

    def _line(self, text: str) -> None:
        self._spoke = time.monotonic()
        if self._bar is not None:
            self._bar.clear()  # drawn again at the next beat
        print(text, file=self._stream, flush=True)

    def watch(self, jobs: Sequence[Job], orders: Orders) -> "_Watched":
        """Return a context manager in which the ends of `jobs` are told."""
        return _Watched(self, jobs, orders)

    def open(self) -> None:
        """Show a bar if there is a terminal to show it on."""
        # verbose jobs write to the same terminal
        if self._stream.isatty() and not self._words.quiet and not self._words.verbose:
            from tqdm import std

            self._bar = std.tqdm(
                total=self.total, bar_format=BAR, file=self._stream, leave=False, dynamic_ncols=True, miniters=0
            )
            self.beat()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Watched:
    def __init__(self, overview: Overview, jobs: Sequence[Job], orders: Orders) -> None:
        self._overview = overview
        self._jobs = {job.stem: job for job in jobs}
        self._orders = orders
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Self:
        self._overview.open()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._look()  # once more, for what ended in between
        self._overview.close()

    def _look_on(self) -> None:
        while not self._over.wait(LOOK_S):
            self._look()
            self._overview.beat()

    def _look(self) -> None:
        for stem in sorted(
            self._orders.all_ended() & self._jobs.keys(), key=lambda job_stem: self._jobs[job_stem].number
        ):
            job = self._jobs.pop(stem)
            if (status := self._orders.ended(job)) is not None:
                self._overview.ended(job, status)


def _spoken(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:  # from 90 s on in minutes, from 90 minutes on in hours
            return f"{seconds / size:.1f} {unit}" if unit == "h" else f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
