"""Solutions of 06_losing_power."""

from functools import reduce
from typing import Any

import numpy as np

from ssdsim import preset, simulate

BUFFERED = {
    "hardware": "flexftl_small",
    "buffer.size_mib": 0.25,
    "workload": "synthetic",
    "workload.queue_depth": 16,
    "workload.read_share": 0,
}


def run(stack: str, **keys: Any) -> dict[str, Any]:
    """Return the summary of a run on the notebook's larger device."""
    return simulate(preset(stack, **{**BUFFERED, **keys})).summary


def restore(pages: list[np.ndarray | None], parity: np.ndarray) -> np.ndarray:
    """Return the one page that is None."""
    there = [page for page in pages if page is not None]
    assert len(there) == len(pages) - 1
    return reduce(np.bitwise_xor, there, parity)


def exercise_1() -> None:
    """81.92 ms; for the larger drive 2621 ms, and 20.48 ms if all chips read at the same time.

    The chips are independent, so the reads of different chips overlap; what is left is that their data shares buses.
    """
    assert round(16 * 2 * 64 * 0.040, 2) == 81.92
    assert round(128 * 2 * (512 // 2) * 0.040) == 2621
    assert round(2 * (512 // 2) * 0.040, 2) == 20.48


def exercise_2() -> None:
    """The missing page is the exclusive or of the parity and the others; of two, only their exclusive or is known.

    So any page could be the first of the two: with it, the second is determined, and the parity is right.
    """
    generator = np.random.default_rng(3)
    pages = [generator.integers(0, 256, 16, dtype=np.uint8) for _ in range(5)]
    parity = reduce(np.bitwise_xor, pages)
    for lost in range(5):
        assert (restore([None if at == lost else page for at, page in enumerate(pages)], parity) == pages[lost]).all()
    first, second = pages[0], pages[1]
    other = (first ^ 1, second ^ 1)
    assert (other[0] != first).all() and (other[1] != second).all()
    assert (other[0] ^ other[1] == first ^ second).all()


def exercise_3() -> None:
    """For parityFTL it is still one for four pages, for flexFTL one for 256 rather than for 128.

    The fixed sequence lets only two LSB pages share a parity page, however large the block is. The relaxed one lets
    all of them share it.
    """
    larger = {"hardware.pages_per_block": 256, "hardware.blocks_per_plane": 64, "workload.requests": 8000}
    for stack, by_hand in (("parity_ftl", 1 / 4), ("flex_ftl", 1 / 256)):
        summary = run(stack, **larger)
        written = summary["host_page_writes"] + summary["gc"]["page_moves"]
        assert abs(summary["backup"]["pages"] / written / by_hand - 1) < 0.2


def exercise_4() -> None:
    """It loses 256 pages, all that the buffer holds, and must be carried for about 33 ms.

    Each chip programs 64 of them, 510.44 us each with the transfer. The two chips of a channel take turns on
    the bus, which is hardly used. It must also begin with an LSB page free wherever one is wanted.
    """
    found = run("flex_ftl", **{"buffer.size_mib": 1, "workload.requests": 4000, "power_loss.after_programs": 1500})
    assert found["power_loss"]["lost_buffered"] == found["power_loss"]["lost_acknowledged"] == 2**20 // 2**12 == 256
    assert round(256 / 4 * (500 + 10.44) / 1000) == 33
