"""How far a run is, told to whoever watches or shown by a bar."""

import time
from typing import Any, Protocol, Self, TextIO

import attrs

INTERVAL_S = 0.2
"""Wall-clock time between two reports."""

BAR = "{{percentage:3.0f}}%|{{bar{width}}}| {{remaining}} left, {{desc}}"
NO_END = "{elapsed} so far, {desc}"


@attrs.frozen
class Snapshot:
    """How far a run is. `fraction` is None where the end is not known."""

    phase: str
    fraction: float | None
    requests_done: int = 0
    requests_total: int | None = None
    simulated_ns: int = 0


class Progress(Protocol):
    """Whoever wants to see how far a run is, a few times a second."""

    def update(self, snapshot: Snapshot) -> None:
        """Show `snapshot`."""


class Reporter:
    """Reports to `progress`, if there is one, how far a run is whose requests are `total`, if that is known."""

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
        """Show the state of the run; a snapshot without a `fraction` is of a run whose end is not known."""
        if snapshot.phase != self._phase:
            from tqdm import auto, std  # which a run that nobody watches does not need

            self.__exit__()
            ends, self._phase = snapshot.fraction is not None, snapshot.phase
            self._bar = (auto if self._stream is None else std).tqdm(
                total=1.0 if ends else None,
                mininterval=0,
                # a stream has a bar of fixed width: what is written there need not be a terminal
                bar_format=BAR.format(width=":12" if self._stream else "") if ends else NO_END,
                file=self._stream,
                leave=False,
                dynamic_ncols=True,
            )
        total = f"/{snapshot.requests_total:,}" if snapshot.requests_total else ""
        done = f"{snapshot.requests_done:,}{total} requests, {snapshot.simulated_ns / 1e9:.1f} s simulated"
        self._bar.set_description_str(f"{snapshot.phase} {done}", refresh=False)  # the text first: `update` draws both
        self._bar.update((snapshot.fraction or 0) - self._bar.n)  # tqdm adds up, and a fraction is from 0 on
