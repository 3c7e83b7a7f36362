"""How far all jobs are: a bar on a terminal, plain lines elsewhere, at the end of each job and now and then between."""

import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

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
        told = f"job {self.done} of {self.total}{failed}"
        left = self.total - self.done
        if not left:
            return told
        if not self._ran:
            return f"{told}, time left unknown"
        # by jobs that ran here, as finished ones took no time
        return f"{told}, {_spoken((time.monotonic() - self._began) / self._ran * left)} left"

    def _line(self, text: str) -> None:
        self._spoke = time.monotonic()
        if self._bar is not None:
            self._bar.clear()  # drawn again at the next beat
        print(text, file=self._stream, flush=True)

    @contextmanager
    def watch(self, jobs: Sequence[Job], orders: Orders) -> Iterator[None]:
        """Within it the ends of `jobs` are told."""
        left = {job.stem: job for job in jobs}
        over = threading.Event()

        def look() -> None:
            for job in sorted((left[stem] for stem in orders.all_ended() & left.keys()), key=lambda job: job.number):
                del left[job.stem]
                if (status := orders.ended(job)) is not None:
                    self.ended(job, status)

        def look_on() -> None:
            while not over.wait(LOOK_S):
                look()
                self.beat()

        thread = threading.Thread(target=look_on, daemon=True)
        self.open()
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            look()  # once more, for what ended in between
            self.close()

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


def _spoken(seconds: float) -> str:
    """Return a time in the unit that suits it: from 90 s on in minutes, from 90 minutes on in hours."""
    if seconds >= 1.5 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
