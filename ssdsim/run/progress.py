"""Progress of a run: reports to a watcher, and a bar."""

import time
from typing import Any, Protocol, Self, TextIO

import attrs

INTERVAL_S = 0.2
"""Wall-clock time between two reports."""


@attrs.frozen
class Snapshot:
    """How far a run is. `fraction` is None where the end is not known."""

    phase: str
    fraction: float | None
    requests_done: int = 0
    requests_total: int | None = None
    simulated_ns: int = 0


class Progress(Protocol):
    """A watcher of a run, which is told a few times a second how far it is."""

    def update(self, snapshot: Snapshot) -> None:
        """Show `snapshot`."""


class Reporter:
    """Reports to `progress`, if there is one, how far a run is; it has `total` requests, if that is known."""

    def __init__(self, progress: Progress | None, total: int | None = None):
        self.progress = progress
        self.total = total
        self.phase, self.next_report = "", 0.0

    def report(self, phase: str, fraction: float | None, *numbers: Any) -> None:
        """Report the state of the run, if it is time to, or the phase is another."""
        if self.progress is not None and (phase != self.phase or time.perf_counter() >= self.next_report):
            self.phase, self.next_report = phase, time.perf_counter() + INTERVAL_S
            self.progress.update(Snapshot(phase, fraction, *numbers))


class Bar:
    """A bar for each phase of a run, on `stream` or, without one, as suits where Python runs: a notebook's widget."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._bar: Any = None
        self._phase = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, snapshot: Snapshot) -> None:
        """Show the requests that are done, or how many percent of a phase without any."""
        percent = None if snapshot.fraction is None else round(100 * snapshot.fraction)
        if snapshot.phase != self._phase:
            from tqdm import auto, std  # which a run that nobody watches does not need

            self.__exit__()
            self._phase = snapshot.phase
            total = snapshot.requests_total or (None if percent is None else 100)
            self._bar = (auto if self._stream is None else std).tqdm(
                desc=snapshot.phase,
                total=total,
                unit=" requests" if snapshot.requests_done else "%",
                file=self._stream,
                leave=False,
                mininterval=0,
            )
        self._bar.update((snapshot.requests_done or percent or 0) - self._bar.n)  # tqdm adds up
