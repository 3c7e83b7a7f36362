"""Every stack on a device so small that some hundred requests set all of its parts to work, and such requests."""

from functools import cache

import attrs
import numpy as np

from ssdsim.testing import RequestList
from support.tiny_stacks import ALL_STACKS, chosen, configured, sized

SMALL = [
    *("hardware.channels=1", "hardware.chips_per_channel=1", "hardware.dies_per_chip=1", "hardware.planes_per_die=2"),
    *("hardware.page_kib=2", "hardware.blocks_per_plane=15", "hardware.pages_per_block=6"),
    *("hardware.over_provisioning=0.95", "hardware.read_us=[10]", "hardware.erase_us=1000"),
    *("ftl.gc.soft_threshold=2", "ftl.gc.hard_threshold=2", "ftl.return_to_fast_blocks=3"),
    *("buffer.footprint_share=null", "buffer.size_mib=0.03125"),
    *("precondition.mode=none", "integrity=on", "check=off"),
]
"""Sixteen pages of write buffer, where there is one, and a request for four sectors is one for a page."""
STACKS = [*ALL_STACKS, "dftl on rows"]
FURTHER = {"dftl on rows": ["stack=spd", "ftl/mapping=dftl"]}
SECTOR = 512
HOT = 12
"""Pages that most requests are for."""


@cache
def small(name, *overrides):
    """Return the stack called `name` on such a device, nearly as full as it may be."""
    given = FURTHER.get(name) or chosen(name)
    if "dftl" in name:
        overrides = ("ftl.mapping.cache_kib=0.125", *overrides)
    config = configured(*given, *SMALL, *overrides)
    return sized(config, config.hardware.block_pages)


def mixed(config, count, seed=1, ops=(0.6, 0.27, 0.09, 0.04), partial=0.35):
    """Return requests that write every page, and then many of all kinds, some of parts of pages."""
    size = config.hardware.page_bytes
    pages = config.hardware.logical_pages
    random = np.random.default_rng(seed)
    rows = [(0, "write", lpa * size, size) for lpa in range(pages)]
    for _ in range(count):
        op = random.choice(["write", "read", "trim", "flush"], p=ops)
        lpa = int(random.integers(pages if random.random() < 0.3 else min(pages, HOT)))
        length = min(int(random.choice([1, 1, 2, 3])), pages - lpa) * size
        offset = lpa * size
        if op in ("read", "write") and random.random() < partial:
            skipped = int(random.integers(4)) * SECTOR
            offset, length = offset + skipped, int(random.integers(1, 5)) * SECTOR
            length = min(length, pages * size - offset)
        rows.append((0, str(op), *((0, 0) if op == "flush" else (offset, length))))
    return rows


def load(config, count, depth=24, **given):
    """Return `config` with such requests to come."""
    return attrs.evolve(config, workload=RequestList(rows=mixed(config, count, **given), queue_depth=depth))
