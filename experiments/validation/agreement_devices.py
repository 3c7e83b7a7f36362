"""Agreement with MQSim and SSDSim on devices and workloads drawn at random: all response times, by their checksum.

A simulator, a seed and how many requests come at once say which device and which requests: nothing else is stored but
the checksum of what that simulator answered. All pages that are asked for are written first, one at a time, and nothing
is collected.
"""

import csv
import hashlib
import random
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import attrs
import numpy as np

from .agreement_statistics import run

NAME = "devices.csv"
REQUESTS = 3000
FOOTPRINT = 1500
"""Pages that are asked for, at least."""

SETTLE_NS = 20_000_000  # ns, by far longer than all that is under way
COMMAND_NS = {"mqsim": (290, 361)}
"""What the commands of a read and of a program hold the bus; with SSDSim it is seven bytes' time."""


@attrs.frozen
class Drawn:
    """A device, and the requests that it is sent: arrival in ns, operation, first page and pages.

    The first of them, `filling`, write every page once. Times in ns.
    """

    simulator: str
    seed: int
    channels: int
    chips: int
    planes: int
    blocks: int
    pages: int
    page_kib: int
    read_ns: int
    program_ns: int
    ns_per_byte: int
    filling: int
    rows: list[tuple[int, str, int, int]]

    @property
    def name(self) -> str:
        """Its geometry in one word: channels, chips a channel, planes, blocks and pages."""
        return f"{self.channels}x{self.chips}x{self.planes}x{self.blocks}x{self.pages} of {self.page_kib} KiB"

    def overrides(self) -> list[str]:
        """Return the overrides that turn the reference device of its simulator into this one."""
        device = {
            "channels": self.channels,
            "chips_per_channel": self.chips,
            "planes_per_die": self.planes,
            "blocks_per_plane": self.blocks,
            "pages_per_block": self.pages,
            "page_kib": self.page_kib,
            "read_us": f"[{self.read_ns / 1000}]",
            "program_us": f"[{self.program_ns / 1000}]",
            "bus_ns_per_byte": self.ns_per_byte,
            "over_provisioning": 0.5,
        }
        if self.simulator == "ssdsim":
            device |= dict.fromkeys(("read_command_us", "program_command_us"), 7 * self.ns_per_byte / 1000)
        keys = [f"hardware.{key}={value}" for key, value in device.items()]
        return [f"hardware=reference_{self.simulator}", f"flash={self.simulator}", *keys]


def drawn(simulator: str, seed: int, at_once: int = 1) -> Drawn:
    """Return the device and the requests, `at_once` in the same nanosecond, that belong to a simulator and a seed."""
    draws = random.Random(f"{simulator} {seed}")
    channels, chips, pages = draws.choice((1, 2, 3, 4, 6, 8)), draws.choice((1, 2, 3, 4)), draws.choice((16, 32, 64))
    planes = draws.choice((1, 1, 2)) if simulator == "mqsim" else 1  # two of three have one plane
    page_kib, ns_per_byte = draws.choice((2, 4, 8)), draws.randrange(1, 6)
    read_ns, program_ns = draws.randrange(5_000, 120_000), draws.randrange(100_000, 1_500_000)
    most_pages, read_share = draws.choice((1, 2, 4, 8)), draws.choice((0.0, 0.3, 0.5, 0.7, 0.9, 1.0))
    load = draws.uniform(0.2, 0.8)  # the share of the time for which the bottleneck is busy

    transfer_ns = 1024 * page_kib * ns_per_byte
    read_command_ns, program_command_ns = COMMAND_NS.get(simulator, (7 * ns_per_byte,) * 2)
    bus_ns = transfer_ns + read_share * read_command_ns + (1 - read_share) * program_command_ns
    die_ns = bus_ns + read_share * read_ns + (1 - read_share) * program_ns
    # the bottleneck: buses together, or dies together
    page_gap_ns = max(bus_ns / channels, die_ns / (channels * chips)) / load
    gap_ns = page_gap_ns * (1 + most_pages) / 2

    plane_pages = ceil(FOOTPRINT / (channels * chips * planes))
    footprint = plane_pages * channels * chips * planes
    alone_ns = 2 * (die_ns + program_ns)  # ns, so that one write is over before the next
    rows = [(round(page * alone_ns), "W", page, 1) for page in range(footprint)]
    now = rows[-1][0] + SETTLE_NS
    for number in range(REQUESTS):
        if number % at_once == 0:
            # 1: never the same time but where it is asked for
            now += max(round(draws.expovariate(1 / gap_ns / at_once)), 1)
        many = draws.randint(1, most_pages)
        op = "R" if draws.random() < read_share else "W"
        rows.append((now, op, draws.randrange(footprint - many + 1), many))
    written = REQUESTS * (1 - read_share) * (1 + most_pages) / 2 / (channels * chips * planes)
    # twice what is written, and that as 1.3 times its mean: nothing is collected
    blocks = 24 + ceil(2 * (plane_pages + 1.3 * written) / pages)
    geometry = (channels, chips, planes, blocks, pages, page_kib)
    return Drawn(simulator, seed, *geometry, read_ns, program_ns, ns_per_byte, footprint, rows)


def responses(device: Drawn, kernel: str) -> np.ndarray:
    """Return the response times in ns of the requests that are sent to a drawn device once it is filled."""
    size = 1024 * device.page_kib
    rows = [f"{arrival},{op},{page * size},{pages * size}" for arrival, op, page, pages in device.rows]
    result = run(rows, [*device.overrides(), "record=requests", f"kernel={kernel}"])
    # in the order of the rows, which are in order of arrival
    return result.requests["response_ns"].to_numpy()[device.filling :]


def checksum(response_ns: np.ndarray) -> str:
    """Return the SHA-256 of response times in ns, as 64-bit integers, low byte first."""
    return hashlib.sha256(response_ns.astype("<i8").tobytes()).hexdigest()


NUMBERS = ("seed", "at_once", "requests")


@attrs.frozen
class Stored:
    """What a simulator answered on the device that belongs to a seed: the checksum of its response times."""

    simulator: str
    seed: int
    at_once: int
    requests: int
    sha256: str


def stored(path: Path) -> Iterator[Stored]:
    """Yield the answers that a file has."""
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield Stored(row["simulator"], *(int(row[name]) for name in NUMBERS), row["sha256"])


def device_of(theirs: Stored) -> Drawn:
    """Return the device that theirs are the answers of."""
    return drawn(theirs.simulator, theirs.seed, theirs.at_once)


def ours(theirs: Stored, device: Drawn, kernel: str) -> Stored:
    """Return our answers on that device."""
    response_ns = responses(device, kernel)
    return Stored(theirs.simulator, theirs.seed, theirs.at_once, len(response_ns), checksum(response_ns))
