"""What a run will take, told in a line before it starts."""

from math import ceil
from time import perf_counter

from ssdsim._core.floor import event_floor
from ssdsim.assembly.memory import available, estimated, resident
from ssdsim.config import SimulationConfig, SyntheticConfig

STEPS, IN_FLIGHT, PAGES = 100_000, 256, 2**20
FLOORS = 1.5
"""How many of the least steps that a simulator can do a page operation takes on the fastest stack (`bench`)."""

WORTH_TELLING_S = 2.0


def estimate(config: SimulationConfig) -> str:
    """Return about how much memory a run takes, and at least how long, where its load is generated and that is long.

    Collection comes on top: what is left is shown once requests are served.
    """
    before = resident()
    memory, limit = before + estimated(config), min((there_is for _, there_is, _ in available()), default=None)
    text = f"about {memory / 2**20:,.0f} MiB of memory"
    if limit is not None and memory > limit + before:  # what the process has already is part of what there is for it
        text += f", of which the machine leaves {(limit + before) / 2**20:,.0f}"
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
