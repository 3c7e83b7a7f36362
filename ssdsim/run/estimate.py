"""What a run will take, told before it starts."""

from collections.abc import Mapping
from math import ceil
from typing import Any

from attrs import frozen

from ssdsim.assembly.memory import available, estimated, resident
from ssdsim.config import SimulationConfig, SyntheticConfig


@frozen
class Estimate:
    """About how much memory a run takes, and how many pages its requests touch, None where that is not known before.

    `memory_bytes` are those of the whole process at its peak, and `available_bytes` those that there are for it. The
    flash does at least `page_operations` for the host, and more for collection, which depends on the course of the run:
    so no time is foretold; what is left of it is shown once requests are served.
    """

    memory_bytes: int
    available_bytes: int | None
    page_operations: int | None

    def __str__(self) -> str:
        told = f"about {self.memory_bytes / 2**20:,.0f} MiB of memory"
        if self.available_bytes is not None and self.memory_bytes > self.available_bytes:
            told += f", of which the machine leaves {self.available_bytes / 2**20:,.0f}"
        if self.page_operations is not None:
            told += f", at least {self.page_operations:,} page operations"
        return told


def estimate(config: SimulationConfig) -> Estimate:
    """Return what the run of `config` will take in this process."""
    page_bytes, before = config.hardware.page_bytes, resident()
    streams = [config.workload, *config.workloads.values()]
    counts = [page_operations(stream, page_bytes) for stream in streams]
    known = None if None in counts else sum(count for count in counts if count is not None)
    limits = [there_is + before for _, there_is, _ in available()]
    return Estimate(before + estimated(config), min(limits, default=None), known)


def page_operations(workload: Any, page_bytes: int) -> int | None:
    """Return how many pages the reads and writes of a generated workload touch in the mean at least, None of others."""
    if not isinstance(workload, SyntheticConfig):
        return None
    sizes = workload.size_kib if isinstance(workload.size_kib, Mapping) else {workload.size_kib: 1}
    weights = sum(sizes.values())
    pages = sum(weight * ceil(float(size) * 1024 / page_bytes) for size, weight in sizes.items()) / weights
    return round(workload.requests * (1 - workload.trim_share) * pages)
