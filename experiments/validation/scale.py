"""What a flash transaction costs by the size of the device and by the length of the run: `bench --scale`.

Random 8 KiB writes on 64 planes, of few or of many blocks of 512 KiB. Victims of collection are drawn at random, so
that the share of their pages that is valid, and with it what transactions there are, is about the same at every size
and at any time. Every run has a process of its own. CPU time is that of the replay, without preconditioning, and the
least of some rounds; memory is the peak of the process.

Tables of larger devices do not fit the caches of a processor, which a simulator cannot help: beside each cost stands
what the floor loop, events and table accesses only, takes with tables of that size.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

from ssdsim import config
from ssdsim._core.floor import event_floor
from ssdsim.errors import ConfigError
from ssdsim.metrics.summary import peak_rss_mib
from ssdsim.report.text import TextTable
from ssdsim.run.simulation import Simulation

GIB = (1, 16, 128, 1024)
TRANSACTIONS = (10**5, 10**6, 10**7)
LONG = 10**8
USUAL_GIB, USUAL_TRANSACTIONS = 16, 10**6
IN_FLIGHT = 256
DEVICE: dict[str, Any] = {
    "channels": 8,
    "chips_per_channel": 4,
    "dies_per_chip": 2,
    "planes_per_die": 1,
    "page_kib": 8,
    "bits_per_cell": 2,
    "program_us": [500, 2000],
}
"""64 planes, of MLC flash in pages of 8 KiB."""
BLOCKS_PER_GIB = 32
"""Of a plane."""
FREE_BLOCKS, VALID = 4, 0.8
TRANSACTIONS_PER_WRITE = 9
"""Of a fifth of its pages a victim frees: four reads and four programs for each write, and seldom an erasure."""


def write_config(gib: int, transactions: int) -> config.SimulationConfig:
    """Return writes that come to about so many flash transactions on a device that collects all the time."""
    blocks = BLOCKS_PER_GIB * gib
    return config.SimulationConfig(
        hardware=config.HardwareConfig(
            **DEVICE,
            blocks_per_plane=blocks,
            pages_per_block=64,
            # so that victims have about the same valid share at every size
            over_provisioning=1 - VALID * (1 - FREE_BLOCKS / blocks),
        ),
        ftl=config.FtlConfig(
            gc=config.GarbageCollectionConfig(victim="random", soft_threshold=FREE_BLOCKS, hard_threshold=2)
        ),
        host=config.HostConfig(queue_depth=IN_FLIGHT),
        workload=config.SyntheticConfig(  # requests are writes of one page
            requests=transactions // TRANSACTIONS_PER_WRITE, read_share=0.0, size_kib=8, queue_depth=IN_FLIGHT
        ),
        check="off",
    )


def replayed(gib: int, transactions: int) -> dict[str, float]:
    """Return the microseconds of CPU time a transaction of a replay, write amplification and the peak of memory."""
    simulation = Simulation(write_config(gib, transactions))
    simulation.begin()
    start = time.process_time()
    simulation.replay.run_leg()
    us = (time.process_time() - start) / simulation.device.counters.transactions * 1e6
    measurement = simulation.context.records.measurement
    assert measurement is not None
    pages, moves, *_ = measurement.sample()
    return {"us": us, "amplification": (pages + moves) / pages, "peak_mib": peak_rss_mib()}


def floor_us(gib: int, rounds: int, transactions: int = 4_000_000) -> float:
    """Return the microseconds of CPU time a transaction of the floor loop, without making its tables."""
    hardware = write_config(gib, transactions).hardware

    def spent(count: int) -> float:
        start = time.process_time()
        event_floor(count, IN_FLIGHT, hardware.planes * hardware.pages_per_plane)
        return time.process_time() - start

    # The least of each, as the least difference would be that of the longest making.
    tables = min(spent(0) for _ in range(rounds))
    return (min(spent(transactions) for _ in range(rounds)) - tables) / transactions * 1e6


def in_a_process(work: Callable[[], Any]) -> Any:
    """Return the result of `work` in a new process; raise its error, such as a `ConfigError` on too little memory."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(work).result()


def cheapest_round(gib: int, transactions: int, rounds: int) -> dict[str, float]:
    """Return the round that cost the least, with the floor's least."""
    # processes of their own: caches and memory of one run are nothing to the next
    rows = [in_a_process(partial(replayed, gib, transactions)) for _ in range(rounds)]
    return min(rows, key=lambda row: row["us"]) | {"floor_us": in_a_process(partial(floor_us, gib, rounds))}


def table(title: str, rows: Mapping[str, Mapping[str, float]]) -> TextTable:
    """Return the table of these runs, each as a ratio to the first of them."""
    shown = TextTable("", "us each", "ratio", "floor's us", "floors", "WA", "peak MiB", title=title)
    first, *_ = rows.values()
    for name, row in rows.items():
        cost, floor = row["us"], row["floor_us"]
        ratios = f"{cost / first['us']:.2f}", f"{floor:.3f}", f"{cost / floor:.1f}"
        shown.add_row(name, f"{cost:.3f}", *ratios, f"{row['amplification']:.2f}", f"{row['peak_mib']:,.0f}")
    return shown


def show(rounds: int, long: bool) -> None:
    """Measure and print; what does not fit the memory is left out, and told."""
    sizes: dict[str, dict[str, float]] = {}
    for gib in GIB:
        try:
            sizes[f"{gib:,} GiB"] = cheapest_round(gib, USUAL_TRANSACTIONS, rounds)
        except ConfigError as error:
            print(f"{gib:,} GiB is left out: {error}")
    print(table(f"CPU time a transaction, of {USUAL_TRANSACTIONS:,}, by the size of the device", sizes))
    lengths = (*TRANSACTIONS, LONG) if long else TRANSACTIONS
    runs = {f"{count:,}": cheapest_round(USUAL_GIB, count, rounds) for count in lengths}
    print(table(f"The same by the transactions of a run, on {USUAL_GIB} GiB", runs))
