"""Agreement with MQSim on the DRAM of the controller: cached writes, and reads of what is in the cache and what is not.

A seed says which device, which DRAM and which requests, as in `agreement_devices`. A page that is written for the first
time within a second goes on to flash at once in MQSim, and leaves the cache; one that is written again stays
(`write_to_destage_buffer` of its Data_Cache_Manager_Flash_Advanced.cpp). So each page is written once, and those that
are to be in the cache once more.
"""

import random

import attrs

from .agreement_devices import REQUESTS, SETTLE_NS, Drawn, Stored, device_of

NAME = "dram.csv"
PROGRAM_NS = 10_000
"""So little, for all pages to be written and all requests answered within MQSim's second."""


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
    device = attrs.evolve(drawn, program_ns=(PROGRAM_NS,), more=(*buffer, *keys))

    pages, page_bytes = device.filling, 1024 * device.page_kib
    bus_ns = 361 + page_bytes * device.ns_per_byte
    dram_ns = latency_ns + page_bytes * ns_per_byte
    flash_ns = read_share * (1 - cached_share) * max(bus_ns, (device.read_ns[0] + bus_ns) / device.chips)
    gap_ns = max(dram_ns, flash_ns / device.channels) / load * (1 + most_pages) / 2

    alone_ns = PROGRAM_NS + bus_ns + round(dram_ns) + 1000
    # MQSim forgets which page was written first: it is of a row that nothing else asks for
    row = range(pages, pages + device.channels * device.chips * device.planes)
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
