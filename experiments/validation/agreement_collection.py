"""Agreement with MQSim on collection: statistics of random overwrites, over devices, loads and seeds.

What MQSim answered is stored (`docs/data/collection.csv`), a row for each run; ours are run anew on the same requests.
A run is one draw of many: which of the writes that wait for a plane goes first is decided in MQSim by where its
allocator puts them, and other settings of that alone move the mean of a run by some percent. So means of several seeds
are compared.
"""

import random
from collections.abc import Iterable, Iterator
from math import inf

import attrs
import numpy as np
import pyarrow.compute as pc

from .agreement_statistics import row, run

NAME = "collection.csv"
REQUESTS = 20_000
FILL_GAP_NS = 200_000
PRELUDE = 1_000_003
"""The difference between the seed of the overwrites that are not measured and the seed of the others."""

MOST_VICTIMS = 10
"""Victims of a plane at once, and free blocks below which MQSim has the host's writes wait."""


@attrs.frozen
class Device:
    """A device of one die a chip; a share of its pages is logical, and all of these hold data."""

    channels: int
    chips: int
    planes: int
    blocks: int
    pages: int
    logical_share: float

    @property
    def plane_pages(self) -> int:
        """How many pages of a plane the host has."""
        return round(self.blocks * self.pages * self.logical_share)

    @property
    def logical_pages(self) -> int:
        """How many pages the host has."""
        return self.channels * self.chips * self.planes * self.plane_pages

    @property
    def overrides(self) -> list[str]:
        """The device as ours: one block of each plane lies idle in MQSim, for pages of the mapping table."""
        threshold = max(self.blocks // 20, MOST_VICTIMS)
        return [
            *("hardware=reference_mqsim", "flash=mqsim", "ftl/gc=greedy_in_order"),
            f"ftl.gc.moves_in_flight={self.pages}",
            "ftl.gc.trigger=free_blocks",  # a share would be of one block less than MQSim has
            *(f"ftl.gc.soft_threshold={threshold}", f"ftl.gc.hard_threshold={threshold}"),
            *(f"hardware.channels={self.channels}", f"hardware.chips_per_channel={self.chips}"),
            *(f"hardware.planes_per_die={self.planes}", f"hardware.pages_per_block={self.pages}"),
            f"hardware.blocks_per_plane={self.blocks - 1}",  # without the block that lies idle there
            # the same logical pages of fewer physical ones
            f"hardware.over_provisioning={1 - self.plane_pages / ((self.blocks - 1) * self.pages)}",
        ]


DEVICES = {
    "reference": Device(4, 2, 1, 256, 64, 0.75),
    "two_planes": Device(4, 2, 2, 256, 64, 0.75),
    "two_planes_few": Device(4, 2, 2, 128, 64, 0.75),
    "four_planes": Device(2, 1, 4, 128, 32, 0.6875),
    "wide_blocks": Device(2, 2, 1, 192, 128, 0.75),
    "small_blocks": Device(4, 2, 1, 384, 32, 0.84375),
    "roomy": Device(8, 1, 1, 160, 64, 0.6),
    "tight": Device(2, 2, 1, 320, 64, 0.8125),
}
"""Planes of fewer than 220 blocks are collected from ten free blocks on, at which the host's writes wait, too."""

FIGURES = {"mean us": "mean_us", "p99 us": "p99_us", "WAF": "waf"}
WITHIN = {"mean us": 0.03, "p99 us": 0.1, "WAF": 0.01}
SCARCE = {"mean us": 0.1, "p99 us": 0.1, "WAF": 0.05}
"""The claims on planes whose threshold is where writes wait, at the lower rate; there are none at the higher one."""

FEWEST_BLOCKS = 20 * (MOST_VICTIMS + 1)
"""Of a plane, from which on the threshold is above that."""


@attrs.frozen
class Run:
    """The answers of a simulator to one run."""

    device: str
    rate: int
    seed: int
    mean_us: float
    p99_us: float
    waf: float
    lost: int


@attrs.frozen
class Compared:
    """One figure of a device at a rate: means over seeds, and the range of ours over theirs of the single runs."""

    device: str
    rate: int
    seeds: int
    figure: str
    theirs: float
    ours: float
    least: float
    most: float
    within: float

    @property
    def difference(self) -> float:
        """Ours over theirs, less one."""
        return self.ours / self.theirs - 1

    @property
    def agrees(self) -> bool:
        """Whether the difference is within what is claimed."""
        return abs(self.difference) <= self.within


def overwrites(seed: int, many: int, rate: int, pages: int) -> Iterator[tuple[int, int]]:
    """Yield the gap in ns before each of so many random overwrites, and its page."""
    draws = random.Random(seed)
    for _ in range(many):
        yield round(draws.expovariate(rate) * 1e9), draws.randrange(pages)


def arrivals(device: Device, rate: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield arrival in ns and page of every write: all pages in order, twice as many at random, and those measured."""
    pages = device.logical_pages
    for page in range(pages):
        yield page * FILL_GAP_NS, page
    now = pages * FILL_GAP_NS
    # another seed for those before, or they would touch the same pages in the same order
    for start, many in ((seed + PRELUDE, 2 * pages), (seed, REQUESTS)):
        for gap, page in overwrites(start, many, rate, pages):
            now += gap
            yield now, page


def ours(device: Device, rate: int, seed: int, kernel: str) -> dict[str, float]:
    """Return our figures of a run."""
    rows = [row(arrival, "W", page) for arrival, page in arrivals(device, rate, seed)]
    result = run(rows, [*device.overrides, "record=requests", f"kernel={kernel}"])
    # the last: what filled the device is not measured
    measured = result.requests.sort_by("arrival_ns").slice(len(rows) - REQUESTS)
    us = np.sort(measured["response_ns"].to_numpy()) / 1000
    series = result.timeseries
    # windows that begin once requests are measured
    within = series.filter(pc.greater_equal(series["time_s"], measured["arrival_ns"][0].as_py() / 1e9))
    moved, written = (pc.sum(within[name]).as_py() for name in ("gc_page_moves", "host_page_writes"))
    return {"mean us": float(us.mean()), "p99 us": float(us[int(0.99 * len(us))]), "WAF": 1 + moved / written}


def compared(runs: Iterable[Run], kernel: str = "compiled") -> Iterator[Compared]:
    """Yield the comparison of each figure of each device at each rate."""
    by_place: dict[tuple[str, int], list[Run]] = {}
    for a_run in runs:
        by_place.setdefault((a_run.device, a_run.rate), []).append(a_run)
    for (name, rate), theirs in by_place.items():
        within = WITHIN
        if DEVICES[name].blocks < FEWEST_BLOCKS:
            # the lower of its rates
            light = rate == min(other for device, other in by_place if device == name)
            within = SCARCE if light else dict.fromkeys(FIGURES, inf)
        figures = [ours(DEVICES[name], rate, a_run.seed, kernel) for a_run in theirs]
        for figure, column in FIGURES.items():
            pairs = [(mine[figure], getattr(a_run, column)) for mine, a_run in zip(figures, theirs, strict=True)]
            our_mean, their_mean = (float(np.mean(side)) for side in zip(*pairs, strict=True))
            # of runs on the same requests: what both have in common falls out
            off = [one / other - 1 for one, other in pairs]
            yield Compared(name, rate, len(theirs), figure, their_mean, our_mean, min(off), max(off), within[figure])
