"""How fast every stack is: flash transactions a second of CPU, beside those of the floor loop.

Each runs on the small device of its paper, filled, under 8 KiB requests of which 30 percent read, 64 at a time.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

from rich.table import Table

from ssdsim.command.compose import prepared, session
from ssdsim.config import SimulationConfig
from ssdsim.run.simulation import Simulation, seldom_collected

from .behaviour import on_small_device

REQUESTS = 300_000
WORK = (
    *("precondition=fill", "workload=synthetic", "workload.read_share=0.3", "workload.size_kib=8"),
    *("workload.queue_depth=64", "host.queue_depth=64", "check=off", "seed=3"),
)
"""What all stacks run."""

MORE = {"slc_mode": ["workload.footprint=0.8"]}
"""What a stack needs besides: in SLC mode a filled device has no room for all that would be read."""


def configs(stacks: Sequence[str], requests: int = REQUESTS) -> Iterator[tuple[str, SimulationConfig]]:
    """Yield each of `stacks` and its run of so many requests."""
    with session():
        for stack in stacks:
            work = [*on_small_device(stack), *WORK, *MORE.get(stack, []), f"workload.requests={requests}"]
            yield stack, prepared(work).config


def rate(config: SimulationConfig) -> float:
    """Return the flash transactions a second of CPU, of all threads, of a replay, preconditioning not counted."""
    simulation = Simulation(config)
    simulation.begin()
    counters = simulation.device.counters
    before = counters.transactions
    with seldom_collected():
        start = time.process_time()
        simulation.replay.run_leg()
        spent = time.process_time() - start
    return float((counters.transactions - before) / spent)


def rates_table(floor: Callable[[], float], stacks: Sequence[str], requests: int = REQUESTS, rounds: int = 1) -> Table:
    """Return the rates of `stacks` and their shares of `floor`'s, which is measured beside each: medians of rounds."""
    table = Table("stack", "a second of CPU", "of the floor", title=f"Flash transactions under {requests:,} requests")
    for stack, config in configs(stacks, requests):
        rates, shares = zip(
            *[(stack_rate, stack_rate / floor()) for stack_rate in map(rate, [config] * rounds)], strict=True
        )
        table.add_row(stack, f"{statistics.median(rates):,.0f}", f"{statistics.median(shares):.3f}")
    return table
