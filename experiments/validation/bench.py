"""How fast the simulator is, as ratios of what ran in turn: `python -m experiments.validation.bench`.

Random 8 KiB writes with garbage collection active on 128 GiB: the floor loop (events and table accesses only, in C),
the compiled device, and in a process of its own the same source interpreted on stock SimPy; a modern drive under 4 KiB
reads and writes; all in turn, several rounds, medians. Then the work on which MQSim and SSDSim answer as we do
(`equal_work` beside this), and the instructions that takes (`instructions`).
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import ssdsim
from ssdsim import Simulation, SimulationConfig, preset
from ssdsim._core.floor import event_floor
from ssdsim.report.text import TextTable

from . import equal_work, instructions

IN_FLIGHT = 256
PLANES: dict[str, Any] = {"channels": 8, "chips_per_channel": 4, "dies_per_chip": 2, "planes_per_die": 1}
BLOCKS: dict[str, Any] = {"blocks_per_plane": 512, "pages_per_block": 512, "over_provisioning": 0.1}
MLC: dict[str, Any] = {"page_kib": 8, "bits_per_cell": 2, "program_us": [500, 2000]}


def write_config(requests: int, kernel: str = "compiled") -> SimulationConfig:
    """Return random 8 KiB writes on a 128 GiB device that collects garbage all the time."""
    return SimulationConfig(
        hardware=ssdsim.HardwareConfig(**PLANES, **BLOCKS, **MLC),
        ftl=ssdsim.FtlConfig(gc=ssdsim.GarbageCollectionConfig(soft_threshold=24, hard_threshold=8)),
        host=ssdsim.HostConfig(queue_depth=IN_FLIGHT),
        precondition=ssdsim.PreconditionConfig(fill_share=0.955, valid_share=0.9, valid_reads=False),
        workload=ssdsim.SyntheticConfig(requests=requests, read_share=0.0, size_kib=8, queue_depth=IN_FLIGHT),
        kernel=kernel,
        check="off",
    )


def timed(work: Callable[[], int]) -> float:
    """Return how many of the things it counts `work` does a second."""
    start = time.perf_counter()
    done = work()  # before the clock is read again
    return done / (time.perf_counter() - start)


def floor_work() -> int:
    """Run the floor loop with the events and the tables of `write_config`, and return its transactions."""
    hardware, transactions = write_config(1).hardware, 4_000_000  # so that making tables does not count
    event_floor(transactions, IN_FLIGHT, hardware.planes * hardware.pages_per_plane)
    return transactions


def modern_drive(requests: int) -> SimulationConfig:
    """Return requests of 4 KiB at random, 7 of 10 reads, on a full drive with all that modern ones have."""
    load = {"requests": requests, "read_share": 0.7, "size_kib": 4, "queue_depth": 16}
    drive = {"hardware": "tlc_data_centre", "precondition": "fill", "workload": "synthetic", "check": "off"}
    return preset("modern", **drive, **{f"workload.{key}": value for key, value in load.items()})


def replay(simulation: Any) -> float:
    """Return the flash transactions a second of a simulation, preconditioning not counted."""
    simulation.begin()

    def work() -> int:
        simulation.run()
        return int(sum(simulation.device.counters.operations))

    return timed(work)


def replay_interpreted(requests: int) -> float:
    """Return the flash transactions a second of the device's source on stock SimPy, which is much slower."""
    code = f"from {__package__}.bench import *; print(replay(Simulation(write_config({requests}, 'simpy'))))"
    return float(subprocess.check_output([sys.executable, "-c", code], env=os.environ | {"SSDSIM_INTERPRETED": "1"}))


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.bench", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--requests", type=int, default=1_000_000, help="write requests of a compiled replay")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; medians are printed")
    options = parser.parse_args(arguments)
    measures: dict[str, Callable[[], float]] = {
        "floor": partial(timed, floor_work),
        "compiled device": lambda: replay(Simulation(write_config(options.requests))),
        "interpreted device, stock SimPy": lambda: replay_interpreted(max(options.requests // 25, 1000)),
        "modern drive, 4 KiB reads and writes": lambda: replay(Simulation(modern_drive(3 * options.requests // 10))),
    }
    costs = {name: partial(equal_work.cost_us, work) for name, work in equal_work.WORK.items()}
    # in turn, so that a machine that slows down slows all of them
    measured = [{name: measure() for name, measure in (measures | costs).items()} for _ in range(options.rounds)]

    rates = TextTable("", "a second", "of the floor", title=f"Transactions, median of {options.rounds} rounds")
    for name in measures:
        ratio = median(one[name] / one["floor"] for one in measured)
        rates.add_row(name, f"{median(one[name] for one in measured):,.0f}", f"{ratio:.3f}")
    work = TextTable("", "us of CPU", "floors", title="A request of work on which MQSim and SSDSim answer as we do")
    for name in costs:
        # of one round: us of CPU in floors that were measured beside them
        in_floors = median(one[name] * one["floor"] / 1e6 for one in measured)
        work.add_row(name, f"{median(one[name] for one in measured):.2f}", f"{in_floors:.1f}")
    print(rates, work, sep="\n")
    instructions.show()


if __name__ == "__main__":
    main()
