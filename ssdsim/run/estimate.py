"""What a run will take, told before it starts."""

import time
from collections.abc import Mapping
from math import ceil
from typing import Any

from attrs import frozen

from ssdsim._core.floor import event_floor
from ssdsim.assembly.memory import available, estimated, resident
from ssdsim.config import SimulationConfig, SyntheticConfig
from ssdsim.run.workloads import sum_or_none

WORTH_TIMING = 2_000_000
"""Page operations of a run of which it is said how long it takes: some seconds."""

STEPS, IN_FLIGHT, PAGES = 100_000, 256, 2**20
FLOORS = 1.5
"""How many of the least steps that a simulator can do a page operation takes on the fastest stack (`bench`)."""


@frozen
class Estimate:
    """A rough estimate of a run's memory, and of the pages its requests touch, None where that is not known before.

    `memory_bytes` are those of the whole process at its peak, and `available_bytes` those that there are for it. The
    flash does at least `page_operations` for the host, which take at least `seconds` on this machine, None if that is
    hardly any time, and more for collection, which depends on the course of the run: what is left is shown once
    requests are served.
    """

    memory_bytes: int
    available_bytes: int | None
    page_operations: int | None
    seconds: float | None = None

    def __str__(self) -> str:
        text = f"about {self.memory_bytes / 2**20:,.0f} MiB of memory"
        if self.available_bytes is not None and self.memory_bytes > self.available_bytes:
            text += f", of which the machine leaves {self.available_bytes / 2**20:,.0f}"
        if self.page_operations is not None:
            text += f", at least {self.page_operations:,} page operations"
        if self.seconds is not None:
            text += f", which take at least {_spoken(self.seconds)}"
        return text


def _spoken(seconds: float) -> str:
    """Return a time to two digits, in the unit that suits it."""
    units = {"days": 86400, "h": 3600, "min": 60, "s": 1}
    # at least two of the unit: 90 s are said to be 90 s
    unit, size = next(entry for entry in units.items() if seconds >= 2 * entry[1] or entry[1] == 1)
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


def estimate(config: SimulationConfig) -> Estimate:
    """Return an estimate of the memory and the work of a run of `config` in this process."""
    page_bytes, before = config.hardware.page_bytes, resident()  # before anything of the run is built
    streams = [config.workload, *config.workloads.values()]
    # one stream of unknown length hides the sum
    known = sum_or_none([page_operations(stream, page_bytes) for stream in streams])
    # What the process has already is part of what there is for it.
    limits = [there_is + before for _, there_is, _ in available()]
    # `FLOORS` is of the compiled kernel
    is_timed = known is not None and known >= WORTH_TIMING and config.timing == "on" and config.kernel == "compiled"
    seconds = known * FLOORS * seconds_a_step() if known is not None and is_timed else None
    return Estimate(before + estimated(config), min(limits, default=None), known, seconds)


def seconds_a_step() -> float:
    """Return the seconds that this machine takes for the least work of a simulator on a flash transaction."""
    event_floor(1, IN_FLIGHT, PAGES)  # once before, so that code and memory are warm
    start = time.perf_counter()
    event_floor(STEPS, IN_FLIGHT, PAGES)
    return (time.perf_counter() - start) / STEPS


def page_operations(workload: Any, page_bytes: int) -> int | None:
    """Return how many pages the reads and writes of a generated workload touch in the mean at least, None of others."""
    if not isinstance(workload, SyntheticConfig):
        return None
    sizes = workload.size_kib if isinstance(workload.size_kib, Mapping) else {workload.size_kib: 1}
    weights = sum(sizes.values())
    # a request touches more where it is not aligned
    pages = sum(weight * ceil(float(size) * 1024 / page_bytes) for size, weight in sizes.items()) / weights
    return round(workload.requests * (1 - workload.trim_share) * pages)  # trims touch no page of flash
