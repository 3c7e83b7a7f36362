"""The device and the systems of the TBM paper as overrides: F and D allocation without TBM; F, D and F2 with it.

What the paper leaves open is the same for all. Collection starts below `GC_THRESHOLD` of a plane's pages, so when
about the capacity has been written, and goes before the host's traffic. Host and collection write to the same active
block: only so does collection make the planes' write points part, which the paper shows in its Fig. 3c.
"""

from fractions import Fraction
from math import ceil

from ssdsim.errors import ConfigError

PLANES, BLOCKS, PAGES, ERASE_US = 64, 2048, 256, 5000.0
# With fewer in a plane, spare space and threshold could not both be the paper's: collection needs two free blocks.
FEWEST_BLOCKS = 128

FEWEST_PAGES = 16

GC_THRESHOLD = 0.02
SPARE = 1 / 16  # of 256 GiB: the user has 240, so spare is 7 percent of those

# What all systems share. Planes are given at dispatch, as by SSDSim, free blocks in order of address (section 3), and
# moved pages join at equal indices alone.
COMMON = [
    "precondition=none",
    "host.queue_depth=32",
    "scheduler.policy=paq",
    "flash.multi_plane=[read,program,erase]",
    "ftl/gc=rga",
    "ftl.plane_allocation_at=dispatch",
    "ftl.free_blocks=next",
    "ftl.gc.joins=same_page",
]


def device(scale: Fraction, data_pages: int = 0) -> list[str]:
    """Return the overrides of the paper's device at `scale`, with its spare space, its threshold and its erases a page.

    It has so many of the blocks of a plane, down to `FEWEST_BLOCKS`; from there on blocks have fewer pages, and an
    erase takes as much less. Where that does not hold `data_pages`, it has as many more of these blocks. Raise
    `ConfigError` where they would have fewer than `FEWEST_PAGES`.
    """
    blocks = max(round(BLOCKS * scale), FEWEST_BLOCKS)
    pages = round(PAGES * scale * BLOCKS / blocks)
    if pages < FEWEST_PAGES:
        denominator = BLOCKS * PAGES // (FEWEST_BLOCKS * FEWEST_PAGES)
        raise ConfigError(f"--scale={scale}: leaves {pages} pages a block; take at least 1/{denominator}.")
    return [
        "hardware=tbm",
        f"hardware.blocks_per_plane={max(blocks, ceil(data_pages / (PLANES * pages * (1 - SPARE))))}",
        f"hardware.pages_per_block={pages}",
        f"hardware.erase_us={ERASE_US * pages / PAGES:g}",
        f"hardware.over_provisioning={SPARE}",
        "ftl.active_blocks=shared",
        "ftl.gc.trigger=free_pages",
        f"ftl.gc.soft_threshold={GC_THRESHOLD}",
        f"ftl.gc.hard_threshold={GC_THRESHOLD}",
    ]


def _system(stack: str, allocation: str, bac: bool = False) -> list[str]:
    return [f"stack={stack}", f"ftl.plane_allocation={allocation}", f"ftl.bac={str(bac).lower()}"]


BASES = {"F": _system("baseline", "f"), "D": _system("baseline", "d")}
TBMS = {"F+TBM": _system("tbm", "f"), "D+TBM": _system("tbm", "d"), "F2+TBM": _system("tbm", "f2")}
SYSTEMS = BASES | TBMS  # those of Fig. 7

# Those of Fig. 2; F2 is left out, since the paper calls its results almost identical to F's.
WITHOUT_TBM = {
    "F": SYSTEMS["F"],
    "D": SYSTEMS["D"],
    "F+BAC": _system("baseline", "f", bac=True),
    "D+BAC": _system("baseline", "d", bac=True),
}

# Those of Fig. 6.
WITH_TBM = {
    "F+TBM": SYSTEMS["F+TBM"],
    "D+TBM": SYSTEMS["D+TBM"],
    "F+BAC+TBM": _system("tbm", "f", bac=True),
    "D+BAC+TBM": _system("tbm", "d", bac=True),
}

F2 = {"F2": _system("baseline", "f2")}  # left out of Fig. 7, as almost identical to F
BASE = {"F+TBM": "F", "D+TBM": "D", "F2+TBM": "F"}  # what each is held against; F2 against F, as the paper does
