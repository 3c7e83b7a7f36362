"""The work on which MQSim and SSDSim give the same response times as we do, and what a request of it costs.

M1 is half reads and half writes of one page of 8 KiB each at random, 15,300 a second, on the reference device, whose
pages that are asked for are written beforehand: nothing is collected. G1 is random overwrites of a device that collects
all the time. The cost of a request is CPU time, of all threads, that a longer run takes more than a shorter one.
"""

import random
import time
from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from ssdsim.command.compose import composed
from ssdsim.config import SimulationConfig
from ssdsim.run.simulation import simulate

from .agreement_collection import DEVICES, overwrites
from .agreement_statistics import PAGE, row, written

M1_IOPS, M1_SLOTS, M1_SEED = 15_300, 65_536, 11
G1, G1_IOPS = DEVICES["reference"], 1000
SHORT, LONG = 200_000, 700_000
"""Requests of the two runs: more than the longer one has would not fit the device without collection."""

REFERENCE = ["hardware=reference_mqsim", "flash=mqsim", "precondition=fill", "host.queue_depth=1000000", "check=off"]
M1 = [*REFERENCE, "precondition.fill_share=0.2", "precondition.valid_share=0"]
TRACE = ["workload=trace", "workload.format=ssdsim_csv"]


def _m1(requests: int, folder: Path) -> SimulationConfig:
    """Return the configuration of M1 with requests of a trace."""
    draws, now, rows = random.Random(M1_SEED), 0.0, []
    for _ in range(requests):
        now += draws.expovariate(M1_IOPS)
        page = draws.randrange(M1_SLOTS)
        rows.append(row(round(now * 1e9), "R" if draws.random() < 0.5 else "W", page))
    return composed([*M1, *TRACE, f"workload.path={written(rows, folder)}"])


def _g1(requests: int, folder: Path) -> SimulationConfig:
    """Return the configuration of G1, overwrites alone: its device has been written in order beforehand."""
    gaps, pages = zip(*overwrites(M1_SEED, requests, G1_IOPS, G1.logical_pages), strict=True)
    rows = [row(arrival, "W", page) for arrival, page in zip(accumulate(gaps), pages, strict=True)]
    return composed([*REFERENCE, *G1.overrides, *TRACE, f"workload.path={written(rows, folder)}"])


def _synthetic(requests: int, folder: Path) -> SimulationConfig:
    """Return the configuration of M1 with requests that are drawn as they are needed."""
    footprint = M1_SLOTS / composed([*M1, "workload=synthetic", "workload.requests=1"]).hardware.logical_pages
    drawn = ["workload=synthetic", f"workload.requests={requests}", "workload.read_share=0.5"]
    load = [f"workload.rate_iops={M1_IOPS}", "workload.queue_depth=null", f"workload.size_kib={PAGE // 1024}"]
    return composed([*M1, *drawn, *load, f"workload.footprint={footprint}"])


WORK: Mapping[str, Callable[[int, Path], SimulationConfig]] = {
    "M1, a trace": _m1,
    "M1, drawn": _synthetic,
    "G1, collecting": _g1,
}
"""By name, functions that make the configuration of a run with so many requests, and may leave files in a folder."""


def cost_us(work: Callable[[int, Path], SimulationConfig], short: int = SHORT, long: int = LONG) -> float:
    """Return the microseconds of CPU time that a request takes."""
    spent = {}
    for requests in (short, long):
        with TemporaryDirectory() as folder:
            config = work(requests, Path(folder))
            start = time.process_time()
            simulate(config)
            spent[requests] = time.process_time() - start
    # the difference: what a run costs whatever its length falls out
    return (spent[long] - spent[short]) / (long - short) * 1e6
