"""Agreement with MQSim and SSDSim on devices and workloads drawn at random: all response times, by their checksum.

A simulator, a seed and how many requests come at once say which device and which requests: nothing else is stored but
the checksum of what that simulator answered. All pages that are asked for are written first, one at a time, and nothing
is collected. Some have several dies a chip, commanded as one, and as MQSim has them several page types.

Bursts are requests of one nanosecond, of which MQSim has so many under way as its fetch size says; on a device without
a link they are SSDSim's alone, as MQSim fetches the data of a write while later reads go ahead. A device that collects
is written until each plane is at its threshold, as SSDSim's collections hold their channel; each write after that comes
when all is at rest, as SSDSim gives it its page when it starts and ours when it arrives, and reads at any time. With a
DRAM a page that is written for the first time within a second leaves MQSim's cache at once, and one that is written
again stays (`write_to_destage_buffer` of its Data_Cache_Manager_Flash_Advanced.cpp): those that are to be in the cache
are written once more.
"""

import hashlib
import random
from math import ceil
from typing import Any

import attrs
import numpy as np

from .agreement_statistics import run

NAME, CHIPS, LINKED, BURSTS = "devices.csv", "chips.csv", "link.csv", "bursts.csv"
DRAM, COLLECTING = "dram.csv", "channel.csv"
REQUESTS = 3000
FOOTPRINT = 1500
"""Pages that are asked for, at least."""

SETTLE_NS = 20_000_000  # ns, by far longer than all that is under way
CACHED_PROGRAM_NS = 10_000
"""So little, for all pages to be written and all requests answered within MQSim's second."""

COMMAND_NS = {"mqsim": (290, 361)}
"""The times for which the commands of a read and of a program hold the bus; with SSDSim, seven bytes take as long."""

Row = tuple[int, str, int, int]
"""A request: arrival in ns, operation, first page and pages."""

GEOMETRY = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die", "blocks_per_plane", "pages_per_block")


@attrs.frozen
class Drawn:
    """A device, and the requests that it is sent; the first of them, `filling`, write every page once."""

    simulator: str
    geometry: tuple[int, ...]  # as `GEOMETRY` names it
    page_kib: int
    read_ns: tuple[int, ...]  # by page type
    program_ns: tuple[int, ...]
    ns_per_byte: int
    filling: int
    rows: list[Row]
    more: tuple[str, ...] = ()  # overrides that come last

    @property
    def name(self) -> str:
        """Its geometry in one word, pages, and bits a cell."""
        return f"{'x'.join(map(str, self.geometry))} of {self.page_kib} KiB, {len(self.program_ns)} bits"

    def overrides(self) -> list[str]:
        """Return the overrides that turn the reference device of its simulator into this one."""
        device: dict[str, Any] = dict(zip(GEOMETRY, self.geometry, strict=True)) | {
            "page_kib": self.page_kib,
            "bits_per_cell": len(self.program_ns),
            "read_us": [ns / 1000 for ns in self.read_ns],
            "program_us": [ns / 1000 for ns in self.program_ns],
            "bus_ns_per_byte": self.ns_per_byte,
            "over_provisioning": 0.5,
        }
        if self.simulator == "ssdsim":
            device |= dict.fromkeys(("read_command_us", "program_command_us"), 7 * self.ns_per_byte / 1000)
        keys = [f"hardware.{key}={value}" for key, value in device.items()]
        return [f"hardware=reference_{self.simulator}", f"flash={self.simulator}", *keys, *self.more]


@attrs.frozen
class Stored:
    """The answers of a simulator on the device of a seed: the checksum of its response times."""

    simulator: str
    seed: int
    at_once: int
    requests: int
    sha256: str


def device_of(theirs: Stored, of_chips: bool = False) -> Drawn:
    """Return the device and the requests, `at_once` in the same nanosecond, that theirs are the answers to.

    `of_chips`: with several dies a chip, and as MQSim has it with one to three page types.
    """
    simulator, seed, at_once = theirs.simulator, theirs.seed, theirs.at_once
    draws = random.Random(f"{simulator} chips {seed}" if of_chips else f"{simulator} {seed}")
    channels, chips, pages = draws.choice((1, 2, 3, 4, 6, 8)), draws.choice((1, 2, 3, 4)), draws.choice((16, 32, 64))
    planes = draws.choice((1, 1, 2)) if simulator == "mqsim" else 1  # two of three have one plane
    page_kib, ns_per_byte = draws.choice((2, 4, 8)), draws.randrange(1, 6)
    dies, types = (draws.choice((2, 2, 3, 4)), draws.choice((1, 2, 3))) if of_chips else (1, 1)
    if of_chips and simulator == "mqsim":
        pages *= 3  # a multiple of the page types
    else:
        types = 1  # SSDSim's pages are all alike
    reads_ns = tuple(draws.randrange(5_000, 120_000) for _ in range(types))
    programs_ns = tuple(draws.randrange(100_000, 1_500_000) for _ in range(types))
    read_ns, program_ns = sum(reads_ns) // types, sum(programs_ns) // types
    most_pages, read_share = draws.choice((1, 2, 4, 8)), draws.choice((0.0, 0.3, 0.5, 0.7, 0.9, 1.0))
    load = draws.uniform(0.2, 0.8)  # the share of the time for which the bottleneck is busy

    transfer_ns = 1024 * page_kib * ns_per_byte
    read_command_ns, program_command_ns = COMMAND_NS.get(simulator, (7 * ns_per_byte,) * 2)
    bus_ns = transfer_ns + read_share * read_command_ns + (1 - read_share) * program_command_ns
    die_ns = bus_ns + read_share * read_ns + (1 - read_share) * program_ns
    # the bottleneck: buses together, or dies together
    page_gap_ns = max(bus_ns / channels, die_ns / (channels * chips)) / load  # a chip does no more than a die
    gap_ns = page_gap_ns * (1 + most_pages) / 2

    all_planes = channels * chips * dies * planes
    plane_pages = ceil(FOOTPRINT / all_planes)
    footprint = plane_pages * all_planes
    alone_ns = 2 * (die_ns + max(programs_ns))  # ns, so that one write is over before the next
    rows = [(round(page * alone_ns), "W", page, 1) for page in range(footprint)]
    now = rows[-1][0] + SETTLE_NS
    for number in range(REQUESTS):
        if number % at_once == 0:
            # 1: never the same time but where it is asked for
            now += max(round(draws.expovariate(1 / gap_ns / at_once)), 1)
        many = draws.randint(1, most_pages)
        op = "R" if draws.random() < read_share else "W"
        rows.append((now, op, draws.randrange(footprint - many + 1), many))
    written = REQUESTS * (1 - read_share) * (1 + most_pages) / 2 / all_planes
    # twice what is written, and that as 1.3 times its mean: nothing is collected
    blocks = 24 + ceil(2 * (plane_pages + 1.3 * written) / pages)
    geometry = (channels, chips, dies, planes, blocks, pages)
    return Drawn(simulator, geometry, page_kib, reads_ns, programs_ns, ns_per_byte, footprint, rows)


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


def linked(theirs: Stored) -> Drawn:
    """Return the device that theirs are the answers of, behind the link that MQSim comes with."""
    return attrs.evolve(device_of(theirs), more=("link=mqsim",))


def ours(theirs: Stored, device: Drawn, kernel: str) -> Stored:
    """Return our answers on that device."""
    response_ns = responses(device, kernel)
    return Stored(theirs.simulator, theirs.seed, theirs.at_once, len(response_ns), checksum(response_ns))


def bursts(theirs: Stored) -> Drawn:
    """Return the device that theirs are the answers of, with up to `at_once` requests in the same nanosecond.

    It is behind a link that takes no time, with so many requests of its queue pair under way at most, or as many as
    come. Half of the devices have several dies a chip.
    """
    device = device_of(attrs.evolve(theirs, at_once=1), of_chips=theirs.seed % 2 == 0)
    draws = random.Random(f"{theirs.simulator} bursts {theirs.seed}")
    fetch_size = draws.choice((None, None, 1, 4, 16, 64))
    rows, waiting = device.rows[: device.filling], device.rows[device.filling :]
    while waiting:
        many = draws.randint(1, theirs.at_once)
        burst, waiting = waiting[:many], waiting[many:]
        rows += [(burst[-1][0], op, page, pages) for _, op, page, pages in burst]
    link = ("link=mqsim", "link.lane_gt_s=1e6", "host.interface=nvme", "host.nvme.queue_depth=65535")
    return attrs.evolve(device, rows=rows, more=(*link, f"host.nvme.fetch_size={fetch_size or 'null'}"))


def cached(theirs: Stored) -> Drawn:
    """Return the device that theirs are the answers of, with a DRAM.

    On half of the devices all data shares it, and all pages are in the cache; else it is that of the cache alone.
    """
    drawn, draws = device_of(theirs), random.Random(f"mqsim dram {theirs.seed}")
    most_pages, read_share = draws.choice((1, 1, 2, 4)), draws.choice((0.3, 0.5, 0.7, 1.0))
    carries_all, load = draws.random() < 0.5, draws.uniform(0.3, 0.95)
    transfers, burst_bytes = draws.choice((100, 200, 400, 800, 1600)), draws.choice((1, 2, 4, 8))
    # several pages are one access in MQSim, and one each here
    latency_ns = draws.randrange(5, 60) * 2 if most_pages == 1 else 0
    cached_share = 1 if carries_all else draws.choice((0.5, 0.8, 0.95))
    ns_per_byte = 1000 / transfers / burst_bytes / 2  # of million transfers a second MQSim moves two bursts in one
    if carries_all:
        keys = f"dram.bandwidth_mib_s={1e9 / 2**20 / ns_per_byte!r}", f"dram.latency_ns={latency_ns!r}"
    else:
        keys = f"buffer.access_ns={latency_ns!r}", f"buffer.transfer_ns_per_byte={ns_per_byte!r}"
    buffer = ("buffer=lru", "buffer.size_mib=256", "dram.table_accesses=0")
    device = attrs.evolve(drawn, program_ns=(CACHED_PROGRAM_NS,), more=(*buffer, *keys))

    channels, chips, _, planes, *_ = device.geometry
    pages, page_bytes = device.filling, 1024 * device.page_kib
    bus_ns = 361 + page_bytes * device.ns_per_byte
    dram_ns = latency_ns + page_bytes * ns_per_byte
    flash_ns = read_share * (1 - cached_share) * max(bus_ns, (device.read_ns[0] + bus_ns) / chips)
    gap_ns = max(dram_ns, flash_ns / channels) / load * (1 + most_pages) / 2

    alone_ns = CACHED_PROGRAM_NS + bus_ns + round(dram_ns) + 1000
    # MQSim forgets which page was written first: it is of a row that nothing else asks for
    row = range(pages, pages + channels * chips * planes)
    rows = [(1 + number * alone_ns, "W", page, 1) for number, page in enumerate((*row, *range(pages)))]
    now = rows[-1][0] + SETTLE_NS
    rows.append((now, "flush", 0, 0))  # in MQSim all are in flash by then
    rows += [(now + SETTLE_NS + page * alone_ns, "W", page, 1) for page in range(round(cached_share * pages))]
    filling, now = len(rows), rows[-1][0] + SETTLE_NS
    for number in range(REQUESTS):
        behind_ns = draws.expovariate(1 / gap_ns / theirs.at_once) if number % theirs.at_once == 0 else 0
        now += max(round(behind_ns), 1)  # never in the same nanosecond, in which MQSim's link has another order
        many = draws.randint(1, most_pages)
        op = "R" if draws.random() < read_share else "W"
        rows.append((now, op, draws.randrange(pages - many + 1), many))
    return attrs.evolve(device, filling=filling, rows=rows)


def collecting(theirs: Stored) -> Drawn:
    """Return the device that collects that theirs are the answers of."""
    draws = random.Random(f"channel {theirs.seed}")  # a generator of its own for each seed, which strings tell apart
    channels, chips, pages = draws.choice((1, 2, 3, 4)), draws.choice((1, 2, 3, 4)), draws.choice((16, 32))
    blocks, page_kib, ns_per_byte = draws.randrange(60, 160), draws.choice((2, 4, 8)), draws.randrange(1, 6)
    read_ns, program_ns = draws.randrange(5_000, 120_000), draws.randrange(100_000, 1_500_000)
    erase_ns = draws.randrange(1_000_000, 5_000_000)
    data_pages = ceil(blocks * pages * draws.uniform(0.4, 0.65))
    # in pages: four blocks at least, and less than the data leaves of all blocks but three
    threshold = draws.randrange(4 * pages, (blocks - 3) * pages - data_pages)
    planes = channels * chips
    most_pages, most_reads = min(planes, draws.choice((1, 2, 4, 8))), draws.choice((1, 2, 4))

    bus_ns = (1024 * page_kib + 7) * ns_per_byte
    move_ns = read_ns + program_ns + 2 * bus_ns
    collection_ns = pages * move_ns + erase_ns
    # until the threshold is near, one page at a time
    rows = written(draws, planes, data_pages, blocks * pages - data_pages - threshold, 2 * move_ns)
    filling = len(rows)
    now = rows[-1][0]
    while len(rows) < filling + REQUESTS:
        # All is at rest: it is twice the time in which all planes of a channel collect in turn.
        now += SETTLE_NS + 2 * chips * collection_ns
        rows.append((now, "W", *extent(draws, planes * data_pages, most_pages)))
        # reads come while the write and its collections are under way
        span = program_ns + draws.uniform(0.2, 1) * chips * collection_ns
        for delay_ns in sorted(draws.randrange(1, round(span)) for _ in range(draws.randrange(most_reads + 1))):
            rows.append((now + delay_ns, "R", *extent(draws, planes * data_pages, most_pages)))
        now = rows[-1][0]
    rows = reordered(rows[: filling + REQUESTS], planes * data_pages)
    more = [
        f"hardware.over_provisioning={1 - data_pages / (blocks * pages)}",
        f"hardware.erase_us={erase_ns / 1000}",
        *("ftl/gc=greedy_in_order", "ftl.active_blocks=shared", "ftl.free_blocks=next", "ftl.gc.trigger=free_pages"),
        f"ftl.gc.soft_threshold={(threshold - 0.5) / (blocks * pages)}",  # rounded up there
        f"ftl.gc.hard_threshold={2.5 / blocks}",
        "ftl.gc.moves_in_flight=1",  # SSDSim moves a page at a time
    ]
    geometry, times = (channels, chips, 1, 1, blocks, pages), ((read_ns,), (program_ns,), ns_per_byte)
    return Drawn("ssdsim", geometry, page_kib, *times, filling, rows, tuple(more))


def extent(draws: random.Random, pages: int, most: int) -> tuple[int, int]:
    """Return the first page and the number of pages of a request."""
    many = draws.randint(1, most)
    return draws.randrange(pages - many + 1), many


def written(draws: random.Random, planes: int, data_pages: int, again: int, gap_ns: int) -> list[Row]:
    """Return a write of each page, and then so many of each plane's pages once more, one at a time."""
    order = [*range(planes * data_pages)]
    for _ in range(again):
        order += (draws.randrange(data_pages) * planes + plane for plane in range(planes))
    return [(number * gap_ns, "W", page, 1) for number, page in enumerate(order)]


def reordered(rows: list[Row], pages: int) -> list[Row]:
    """Return `rows` with the first writes of `pages` in the order of the reads, which SSDSim finds written before."""
    asked = (page for _, op, first, many in rows if op == "R" for page in range(first, first + many))
    read = list(dict.fromkeys(asked))
    order = [*read, *sorted({*range(pages)} - {*read})]  # pages that are read first, in the order of the reads
    first = [(arrival_ns, op, page, many) for (arrival_ns, op, _, many), page in zip(rows, order, strict=False)]
    return [*first, *rows[pages:]]
