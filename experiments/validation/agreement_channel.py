"""Agreement with SSDSim on collections that hold their channel, on devices drawn at random: all response times.

A seed says which device and which requests, as in `agreement_devices`. The device is written until each
plane is at its threshold; a write after that has the planes it touches collected that are below it. Each comes when all
is at rest, as SSDSim gives a write its page when it starts, and ours when it arrives. Reads come at any time of the
programs, the moves and the erases that follow.
"""

import random
from math import ceil

import attrs

from .agreement_devices import REQUESTS, SETTLE_NS, Drawn, Stored

NAME = "channel.csv"


@attrs.frozen
class Collected(Drawn):
    """A device that collects: its pages of data a plane, free pages below which one is collected, and erases in ns.

    The first `read_first` of its rows write what is read later, which SSDSim finds written before it begins.
    """

    data_pages: int
    threshold: int
    erase_ns: int
    read_first: int

    def overrides(self) -> list[str]:
        """Return the overrides that turn the reference device into this one."""
        pages = self.blocks * self.pages
        gc = {
            "trigger": "free_pages",
            "soft_threshold": (self.threshold - 0.5) / pages,  # rounded up there
            "hard_threshold": 2.5 / self.blocks,
            "moves_in_flight": 1,  # SSDSim moves a page at a time
        }
        return [
            *Drawn.overrides(self),
            f"hardware.over_provisioning={1 - self.data_pages / pages}",
            f"hardware.erase_us={self.erase_ns / 1000}",
            *("ftl/gc=greedy_in_order", "ftl.active_blocks=shared", "ftl.free_blocks=next"),
            *(f"ftl.gc.{key}={value}" for key, value in gc.items()),
        ]


def drawn(seed: int) -> Collected:
    """Return the device and the requests that belong to a seed."""
    draws = random.Random(f"channel {seed}")  # a generator of its own for each seed, which strings tell apart
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
    rows, read_first = reordered(rows[: filling + REQUESTS], planes * data_pages)
    geometry = (channels, chips, 1, blocks, pages, page_kib)
    times = (read_ns, program_ns, ns_per_byte)
    return Collected("ssdsim", seed, *geometry, *times, filling, rows, data_pages, threshold, erase_ns, read_first)


def extent(draws: random.Random, pages: int, most: int) -> tuple[int, int]:
    """Return the first page and the number of pages of a request."""
    many = draws.randint(1, most)
    return draws.randrange(pages - many + 1), many


def written(
    draws: random.Random, planes: int, data_pages: int, again: int, gap_ns: int
) -> list[tuple[int, str, int, int]]:
    """Return a write of each page, and then so many of each plane's pages once more, one at a time."""
    order = [*range(planes * data_pages)]
    for _ in range(again):
        order += (draws.randrange(data_pages) * planes + plane for plane in range(planes))
    return [(number * gap_ns, "W", page, 1) for number, page in enumerate(order)]


def reordered(rows: list[tuple[int, str, int, int]], pages: int) -> tuple[list[tuple[int, str, int, int]], int]:
    """Have the first write of each of the `pages` in the order in which they are read; return how many are, too."""
    asked = (page for _, op, first, many in rows if op == "R" for page in range(first, first + many))
    read = list(dict.fromkeys(asked))
    order = [*read, *sorted({*range(pages)} - {*read})]  # pages that are read first, in the order of the reads
    first = [(arrival_ns, op, page, many) for (arrival_ns, op, _, many), page in zip(rows, order, strict=False)]
    return [*first, *rows[pages:]], len(read)


def device_of(theirs: Stored) -> Collected:
    """Return the device that theirs are the answers of."""
    return drawn(theirs.seed)
