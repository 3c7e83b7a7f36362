"""How fast the simulator is, as ratios within one process: `python -m experiments.validation.bench`.

`--scale` measures what a transaction costs by the size of the device and the length of the run instead (`scale`).

Random 8 KiB writes with garbage collection active on 128 GiB: the floor loop (events and table accesses only, in C),
the compiled device, and the same source interpreted on stock SimPy, in turn, several rounds, medians. Then untimed
page writes against a C loop with the same table work, the work on which MQSim and SSDSim answer as we do
(`equal_work` beside this), what streams, a time series and a trace cost there, the instructions that takes
(`instructions`), what it costs to start (`start_up`), the time and memory to precondition 512 GiB, every stack on its
paper's small device, filled, under 8 KiB requests of which 30 percent read, 64 at a time, and what a transaction takes
under DFTL and with `integrity=on`, as a multiple of what it takes with page mapping alone.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import ssdsim.run.simulation
from ssdsim._core.floor import event_floor, page_write_floor
from ssdsim.command.compose import prepared, session
from ssdsim.config import SimulationConfig
from ssdsim.interpreted import interpreted_package
from ssdsim.metrics.summary import peak_rss_mib
from ssdsim.report.text import TextTable
from ssdsim.run.preparation import precondition
from ssdsim.run.replay import replay_untimed
from ssdsim.run.simulation import Simulation, seldom_collected

from . import behaviour, equal_work, instructions, scale, start_up

IN_FLIGHT = scale.IN_FLIGHT

REQUESTS = 300_000
WORK = (
    *("precondition=fill", "workload=synthetic", "workload.read_share=0.3", "workload.size_kib=8"),
    *("workload.queue_depth=64", "host.queue_depth=64", "check=off", "seed=3"),
)
"""What all stacks run."""

MORE = {"slc_mode": ["workload.footprint=0.8"]}
"""What a stack needs besides: in SLC mode a filled device has no room for all that would be read."""


KINDS = {"reads": ["workload.read_share=1"], "writes": ["workload.read_share=0"]}
"""Loads under which it is measured what makes a transaction dearer."""

DEARER = {
    "DFTL, all entries cached": ["ftl/mapping=dftl", "ftl.mapping.cache_kib=1000000"],
    "DFTL, 256 KiB of entries cached": ["ftl/mapping=dftl", "ftl.mapping.cache_kib=256"],
    "integrity=on": ["integrity=on"],
}
"""What makes a transaction dearer than with page mapping."""


def write_config(module: Any, requests: int, **changes: Any) -> Any:
    """Return random 8 KiB writes on a 128 GiB device that collects garbage all the time.

    `module` is `ssdsim.config`, compiled package or interpreted.
    """
    return module.SimulationConfig(
        hardware=module.HardwareConfig(
            **scale.DEVICE, blocks_per_plane=512, pages_per_block=512, over_provisioning=0.1
        ),
        ftl=module.FtlConfig(gc=module.GarbageCollectionConfig(soft_threshold=24, hard_threshold=8)),
        host=module.HostConfig(queue_depth=IN_FLIGHT),
        precondition=module.PreconditionConfig(fill_share=0.955, valid_share=0.9, valid_reads=False),
        workload=module.SyntheticConfig(requests=requests, read_share=0.0, size_kib=8, queue_depth=IN_FLIGHT),
        check="off",
        **changes,
    )


def timed(work: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return how many of the things it counts `work` does a second of `clock`."""
    start = clock()
    done = work()  # before the clock is read again
    return done / (clock() - start)


def floor_work() -> int:
    """Run the floor loop with the events and the tables of `write_config`, and return its transactions."""
    hardware = write_config(ssdsim.config, 1).hardware
    transactions = 4_000_000  # many, so that making the tables does not count
    event_floor(transactions, IN_FLIGHT, hardware.planes * hardware.pages_per_plane)
    return transactions


def replay(modules: dict[str, Any], requests: int, kernel: str) -> float:
    """Return the flash transactions a second of a replay, preconditioning not counted."""
    simulation = modules["ssdsim.run.simulation"].Simulation(
        write_config(modules["ssdsim.config"], requests, kernel=kernel)
    )
    simulation.begin()

    def work() -> int:
        simulation.replay.run_leg()
        return int(simulation.device.counters.transactions)

    return timed(work)


def untimed(requests: int) -> float:
    """Return the page writes a second, of the host and of the collector, without flash timing."""
    simulation = Simulation(write_config(ssdsim.config, requests, timing="off"))
    simulation.begin()

    def work() -> int:
        replay_untimed(simulation.context)
        # host's pages and moved ones: both are written
        measurement = simulation.context.records.measurement
        assert measurement is not None
        pages, moves, *_ = measurement.sample()
        return pages + moves

    return timed(work)


def precondition_512g() -> tuple[float, int, int]:
    """Return the seconds that it takes to precondition 134 million pages, their number, and the peak of memory."""
    shape = {"chips_per_channel": 8, "dies_per_chip": 1, "planes_per_die": 4, "page_kib": 4}
    large = {"blocks_per_plane": 2048, "pages_per_block": 256, "over_provisioning": 0.1}
    config = ssdsim.SimulationConfig(
        hardware=ssdsim.HardwareConfig(**scale.DEVICE | shape | large),
        precondition=ssdsim.PreconditionConfig(fill_share=0.95, valid_share=0.85),
        workload=ssdsim.SyntheticConfig(requests=1, read_share=0.0, queue_depth=1),
    )
    start = time.perf_counter()
    simulation = Simulation(config)
    precondition(simulation.context)
    seconds = time.perf_counter() - start
    return seconds, simulation.device.blocks.pages, round(peak_rss_mib() * 2**20)


def configs(stacks: Sequence[str], requests: int = REQUESTS) -> Iterator[tuple[str, SimulationConfig]]:
    """Yield each of `stacks` and its run of so many requests."""
    with session():
        for stack in stacks:
            work = [*behaviour.on_small_device(stack), *WORK, *MORE.get(stack, []), f"workload.requests={requests}"]
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


def rates_table(
    floor: Callable[[], float], stacks: Sequence[str], requests: int = REQUESTS, rounds: int = 1
) -> TextTable:
    """Return the rates of `stacks` and their shares of `floor`'s, which is measured beside each: medians of rounds."""
    table = TextTable(
        "stack", "a second of CPU", "of the floor", title=f"Flash transactions under {requests:,} requests"
    )
    for stack, config in configs(stacks, requests):
        rates, shares = zip(
            *[(stack_rate, stack_rate / floor()) for stack_rate in map(rate, [config] * rounds)], strict=True
        )
        table.add_row(stack, f"{statistics.median(rates):,.0f}", f"{statistics.median(shares):.3f}")
    return table


def around_table(rounds: int) -> TextTable:
    """Return the table of work around the device: ratios of CPU time a request, medians of rounds."""
    table = TextTable("", "ratio", title="A request of M1, and work around the device")
    for name, (more, less) in equal_work.AROUND.items():
        ratios = [equal_work.cost_us(more) / equal_work.cost_us(less) for _ in range(rounds)]
        table.add_row(name, f"{statistics.median(ratios):.3f}")
    return table


def dearer_table(requests: int = 20_000, rounds: int = 5) -> TextTable:
    """Return the costs of transactions as multiples of those in a plain run beside them: medians of rounds."""
    device = ["hardware=tlc_4g", "hardware.blocks_per_plane=64", "hardware.over_provisioning=0.25", *WORK]
    table = TextTable("", *KINDS, title=f"CPU time of a transaction, page mapping is 1, median of {rounds} rounds")
    for name, changes in DEARER.items():
        ratios = []
        for load in KINDS.values():
            with session():
                work = [*device, *load, f"workload.requests={requests}"]
                plain, changed = prepared(work).config, prepared([*work, *changes]).config
            ratios.append(statistics.median(rate(plain) / rate(changed) for _ in range(rounds)))
        table.add_row(name, *(f"{ratio:.2f}" for ratio in ratios))
    return table


def main(arguments: list[str] | None = None) -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}.bench", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--requests", type=int, default=1_000_000, help="write requests of a compiled replay")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; medians are printed")
    parser.add_argument("--stacks", choices=("too", "only", "no"), default="too", help="measure every stack, or not")
    parser.add_argument("--scale", action="store_true", help="only what a transaction costs from 1 GiB to 1 TiB")
    parser.add_argument("--long", action="store_true", help="with --scale, 10^8 transactions, too: minutes")
    options = parser.parse_args(arguments)
    if options.scale:
        scale.show(options.rounds, options.long)
        return
    if options.stacks != "only":
        run_writes(options.requests, options.rounds)
        print(dearer_table(rounds=options.rounds))
    if options.stacks != "no":
        floor = partial(timed, floor_work, time.process_time)
        print(rates_table(floor, behaviour.stacks(), rounds=options.rounds))


def run_writes(requests: int, rounds: int) -> None:
    """Measure everything but the stacks and the scale, and print it."""
    compiled = {"ssdsim.run.simulation": ssdsim.run.simulation, "ssdsim.config": ssdsim.config}
    interpreted = interpreted_package()
    hardware = write_config(ssdsim.config, 1).hardware
    physical, logical = hardware.planes * hardware.pages_per_plane, hardware.logical_pages
    few = max(requests // 25, 1000)  # fewer, as the interpreted device is so much slower

    def table_work() -> int:
        page_write_floor(5_000_000, logical, physical)
        return 5_000_000

    measures: dict[str, Callable[[], float]] = {
        "floor": lambda: timed(floor_work),
        "compiled device": lambda: replay(compiled, requests, "compiled"),
        "interpreted device, stock SimPy": lambda: replay(interpreted, few, "simpy"),
        "page-write floor": lambda: timed(table_work),
        "untimed page writes": lambda: untimed(2 * requests),
    }
    measures |= {name: partial(equal_work.cost_us, work) for name, work in equal_work.WORK.items()}
    # in turn, so that a machine that slows down slows all of them
    measured = [{name: measure() for name, measure in measures.items()} for _ in range(rounds)]
    rates = {name: statistics.median(one[name] for one in measured) for name in measures}
    costs = {name: rates.pop(name) for name in equal_work.WORK}

    table = TextTable("", "a second", "ratio", title=f"Random 8 KiB writes on 128 GiB, median of {rounds} rounds")
    bases = {"floor": 1.0, "page-write floor": 1.0}
    for name, rate in rates.items():
        base = "page-write floor" if "page" in name else "floor"
        ratio = "" if name in bases else f"{rate / rates[base]:.3f} of the {base}"
        table.add_row(name, f"{rate:,.0f}", ratio)
    print(table)
    table = TextTable("", "us of CPU", "floors", title="A request of work on which MQSim and SSDSim answer as we do")
    for name, us in costs.items():
        # of one round: us of CPU in floors that were measured beside them
        in_floors = statistics.median(one[name] * one["floor"] / 1e6 for one in measured)
        table.add_row(name, f"{us:.2f}", f"{in_floors:.1f}")
    print(table)
    times = rates["compiled device"] / rates["interpreted device, stock SimPy"]
    print(f"compiled / interpreted: {times:.1f}")
    print(around_table(rounds))
    instructions.show()
    start_up.show(3 * rounds)
    seconds, pages, peak = scale.in_a_process(precondition_512g)
    print(
        f"preconditioning 512 GiB ({pages:,} pages): {seconds:.1f} s, peak memory {peak / 1e6:,.0f} MB "
        f"= {peak / pages:.2f} bytes a page"
    )


if __name__ == "__main__":
    main()
