"""The device and the systems of the TBM paper as overrides: F and D allocation without TBM; F, D and F2 with it.

What the paper leaves open is the same for all. Collection starts below `GC_THRESHOLD` of a plane's pages, so when
about the capacity has been written, and goes before the host's traffic. Host and collection write to the same active
block: only so does collection make the planes' write points part, which the paper shows in its Fig. 3c.
"""

BLOCKS = 2048
FEWEST_BLOCKS = 16

GC_THRESHOLD = 0.02
SPARE = 1 / 16
"""Of 256 GiB: the user has 240, so spare is 7 percent of those."""

COMMON = [
    "precondition=none",
    "host.queue_depth=32",
    "scheduler.policy=paq",
    "flash.multi_plane=[read,program,erase]",
    "ftl/gc=rga",
]


def device(blocks: int) -> list[str]:
    """Return the overrides of the paper's device with `blocks` a plane.

    Collection needs two free blocks to work with: of few blocks that is more than the paper's threshold, and the spare
    blocks have to be more than those.
    """
    threshold = max(GC_THRESHOLD, 2.001 / blocks)
    spare = max(SPARE, threshold + 2 / blocks)
    return [
        "hardware=tbm",
        f"hardware.blocks_per_plane={blocks}",
        f"hardware.over_provisioning={spare:.6f}",
        "ftl.active_blocks=shared",
        "ftl.gc.trigger=free_pages",
        f"ftl.gc.soft_threshold={threshold:.6f}",
        f"ftl.gc.hard_threshold={threshold:.6f}",
    ]


def _system(stack: str, allocation: str, bac: bool = False) -> list[str]:
    return [f"stack={stack}", f"ftl.plane_allocation={allocation}", f"ftl.bac={str(bac).lower()}"]


SYSTEMS = {
    "F": _system("baseline", "f"),
    "D": _system("baseline", "d"),
    "F+TBM": _system("tbm", "f"),
    "D+TBM": _system("tbm", "d"),
    "F2+TBM": _system("tbm", "f2"),
}
"""Those of Fig. 7."""

WITHOUT_TBM = {
    "F": SYSTEMS["F"],
    "D": SYSTEMS["D"],
    "F+BAC": _system("baseline", "f", bac=True),
    "D+BAC": _system("baseline", "d", bac=True),
}
"""Those of Fig. 2; F2 is left out, since the paper calls its results almost identical to F's."""

WITH_TBM = {
    "F+TBM": SYSTEMS["F+TBM"],
    "D+TBM": SYSTEMS["D+TBM"],
    "F+BAC+TBM": _system("tbm", "f", bac=True),
    "D+BAC+TBM": _system("tbm", "d", bac=True),
}
"""Those of Fig. 6."""

BASE = {"F+TBM": "F", "D+TBM": "D", "F2+TBM": "F"}
"""What each is held against; F2 against F, as the paper does."""
