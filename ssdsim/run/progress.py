"""How far a run is, told to whoever watches or shown by a bar, and what it will take, told before it starts."""

import time
from math import ceil
from time import perf_counter
from typing import Any, Protocol, Self, TextIO

import attrs

from ssdsim._core.floor import event_floor
from ssdsim.assembly.memory import available, estimated, resident
from ssdsim.config import SimulationConfig, SyntheticConfig

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
    iops: float = 0.0
    write_amplification: float = 0.0


class Progress(Protocol):
    """Whoever wants to see how far a run is, a few times a second."""

    def update(self, snapshot: Snapshot) -> None:
        """Show `snapshot`."""


class Reporter:
    """Reports to `progress`, if there is one, how far a run is whose requests are `total`, if that is known."""

    def __init__(self, progress: Progress | None, total: int | None = None):
        self.progress = progress
        self.total = total
        self.next_report = 0.0

    @property
    def is_due(self) -> bool:
        """Whether it is time to report again."""
        return self.progress is not None and time.perf_counter() >= self.next_report

    def report(self, phase: str, fraction: float | None, **numbers: Any) -> None:
        """Report the state of the run."""
        if self.progress is not None:
            self.next_report = time.perf_counter() + INTERVAL_S
            self.progress.update(Snapshot(phase, fraction, **numbers))


class Bar:
    """A bar for each phase of a run, on `stream` or, without one, as suits where Python runs: a notebook's widget."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._bar: Any = None
        self._phase = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def update(self, snapshot: Snapshot) -> None:
        """Show the state of the run; a snapshot without a `fraction` is of a run whose end is not known."""
        if self._bar is None or snapshot.phase != self._phase:
            self._open(snapshot)
        self._bar.set_description_str(_state(snapshot), refresh=False)  # the text first: `update` draws both
        self._bar.update((snapshot.fraction or 0) - self._bar.n)  # tqdm adds up, and a fraction is from 0 on

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _open(self, snapshot: Snapshot) -> None:
        from tqdm import auto, std  # which a run that nobody watches does not need

        self.close()
        self._phase = snapshot.phase
        ends = snapshot.fraction is not None
        self._bar = (auto if self._stream is None else std).tqdm(
            desc=snapshot.phase,
            total=1.0 if ends else None,
            mininterval=0,
            miniters=0,
            # a stream has a bar of fixed width: what is written there need not be a terminal
            bar_format=BAR.format(width=":12" if self._stream else "") if ends else NO_END,
            file=self._stream,
            leave=False,
            dynamic_ncols=True,
        )


def _state(snapshot: Snapshot) -> str:
    total = f"/{snapshot.requests_total:,}" if snapshot.requests_total else ""
    return (
        f"{snapshot.phase} {snapshot.requests_done:,}{total} requests, {snapshot.simulated_ns / 1e9:.1f} s simulated, "
        f"{snapshot.iops:,.0f} IOPS, WA {snapshot.write_amplification:.2f}"
    )


STEPS, IN_FLIGHT, PAGES = 100_000, 256, 2**20
FLOORS = 1.5
"""How many of the least steps that a simulator can do a page operation takes on the fastest stack (`bench`)."""

WORTH_TELLING_S = 2.0


def estimate(config: SimulationConfig) -> str:
    """Return about how much memory a run takes, and at least how long, where its load is generated and that is long.

    Collection comes on top: what is left is shown once requests are served.
    """
    memory, there_is = resident() + estimated(config), available()
    text = f"about {memory / 2**20:,.0f} MiB of memory"
    if there_is is not None and estimated(config) > there_is:
        text += f", of which the machine has {there_is / 2**20:,.0f} left"
    loads = [config.workload, *config.workloads.values()]
    is_known = all(isinstance(load, SyntheticConfig) for load in loads)
    if is_known and config.timing == "on" and config.kernel == "compiled":
        page_kib = config.hardware.page_bytes / 1024
        pages = sum(load.requests * (1 - load.trim_share) * ceil(mean_size_kib(load) / page_kib) for load in loads)
        seconds = pages * FLOORS * seconds_a_step()
        if seconds >= WORTH_TELLING_S:
            text += f", at least {seconds:,.0f} s"
    return text


def mean_size_kib(load: SyntheticConfig) -> float:
    """Return the mean size of a request of a generated load."""
    sizes = load.size_kib if isinstance(load.size_kib, dict) else {load.size_kib: 1}
    return sum(float(size) * weight for size, weight in sizes.items()) / sum(sizes.values())


def seconds_a_step() -> float:
    """Return the seconds that this machine takes for the least work of a simulator on a flash transaction."""
    event_floor(1, IN_FLIGHT, PAGES)  # once before, so that code and memory are warm
    start = perf_counter()
    event_floor(STEPS, IN_FLIGHT, PAGES)
    return (perf_counter() - start) / STEPS
