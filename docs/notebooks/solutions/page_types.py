"""Solutions of 04_page_types."""

from itertools import accumulate, permutations
from typing import Any

import numpy as np
from attrs import evolve

from ssdsim import (
    FlashConfig,
    FtlConfig,
    HardwareConfig,
    HostConfig,
    PreconditionConfig,
    Result,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)

PROGRAM_US = [500, 2000, 5500]


def device(blocks: int = 64, over_provisioning: float = 0.7) -> HardwareConfig:
    """Return the notebook's device."""
    return HardwareConfig(
        channels=4,
        chips_per_channel=2,
        dies_per_chip=2,
        planes_per_die=1,
        blocks_per_plane=blocks,
        pages_per_block=96,
        bits_per_cell=3,
        program_us=PROGRAM_US,
        over_provisioning=over_provisioning,
    )


def run(hardware: HardwareConfig, scheme: str = "", precondition: str = "writes", **given: Any) -> Result:
    """Return the result of random writes on a conventional device, or on one with a page-type scheme."""
    ftl = FtlConfig(active_blocks="shared")
    if scheme:
        ftl = evolve(ftl, page_order="page_type", page_type=[scheme])
    whole = {key: given.pop(key) for key in ("timing", "record") if key in given}
    config = SimulationConfig(
        hardware=hardware,
        ftl=ftl,
        flash=FlashConfig(program_order="relaxed" if scheme else "strict"),
        host=HostConfig(queue_depth=100_000),
        precondition=PreconditionConfig(mode=precondition, fill_share=1 if precondition == "writes" else None),
        workload=SyntheticConfig(read_share=0, align_kib=4, **given),
        **whole,
    )
    return simulate(config)


def exercise_1() -> None:
    """5495 us against 2667 us. The gain grows with the size up to 5500 / 2667 = 2.06 and never beyond.

    With 16 pages, only (2/3)^16 = 0.15 percent of the requests have no MSB page. One type for all gives every size the
    mean of the three times.
    """
    fast, no_slow = (1 / 3) ** 16, (2 / 3) ** 16
    any_types = np.dot([fast, no_slow - fast, 1 - no_slow], PROGRAM_US)
    one_type = np.mean(PROGRAM_US)
    assert np.allclose([any_types, one_type, PROGRAM_US[2] / one_type], [5494.7, 2666.7, 2.0625], rtol=1e-4)
    light = {"requests": 900, "size_kib": 64, "arrival": "constant", "rate_iops": 50}
    for scheme, expected in (("", any_types), ("uniform", one_type)):
        summary = run(device(), scheme, **light).summary
        assert np.isclose(summary["requests"]["write"]["response_us"]["array"], expected, rtol=0.02)


def mean_response(order: tuple[int, ...]) -> float:
    """Return the mean response time of programs that one die executes in this order."""
    return float(np.mean(list(accumulate(order))))


def exercise_2() -> None:
    """From 3667 us (quickest first) to 7000 us (slowest first).

    Swap two neighbours of which the slower goes first: the quicker one now ends earlier by the time of the slower one,
    the slower one ends later by the time of the quicker one, which is less, and nobody else notices. So every such swap
    makes the mean smaller, and what is left when there is nothing to swap is quickest first.
    """
    means = {order: mean_response(order) for order in permutations(PROGRAM_US)}
    assert min(means, key=means.get) == (500, 2000, 5500)
    assert [round(mean) for mean in sorted(means.values())] == [3667, 4167, 4833, 5833, 6500, 7000]
    longer = (900, 300, 700, 300, 1200, 100)
    assert min(map(mean_response, permutations(longer))) == mean_response(tuple(sorted(longer)))


def exercise_3() -> None:
    """11,776 programs of 12,288 LSB pages, which are a third of 16 x 24 x 96.

    The last free block of a plane is for collection alone, so 23 blocks of each of the 16 planes are there for the
    host: 16 x 23 x 32.
    """
    small = device(blocks=24, over_provisioning=0.5)
    result = run(small, "lsb_first", "none", requests=20_000, rate_iops=1500, record=["commands"])
    assert result.summary["gc"]["collections"] == 0
    assert np.sum(result.commands["page_type"].to_numpy() == 0) == 16 * 23 * 32 == 11_776


def exercise_4() -> None:
    """A write takes 0.5 ms in place of 2.7 ms, but 7 to 8 times as many blocks are erased.

    Of the same flash a third of the pages is left, so the host's data fills three quarters of it in place of one: the
    write amplification A is about 2.5 in place of 1.02. And an erase gives back 32 pages in place of 96. Both make
    wear: 1000 pages of the host take 1000 A / 96 = 10.6 erases on the TLC device, and 1000 A / 32 = 78 in SLC mode.
    """
    tlc = device(over_provisioning=0.75)
    slc = evolve(device(over_provisioning=0.25), bits_used=1)
    assert tlc.logical_pages == slc.logical_pages
    found = []
    for hardware in (tlc, slc):
        light = run(hardware, precondition="none", requests=1500, rate_iops=100).summary
        steady = run(hardware, timing="off", requests=1_000_000, queue_depth=4).summary
        amplification, erases = steady["write_amplification"], steady["flash"]["erases"]["gc"] / 1000
        assert np.isclose(erases, 1000 * amplification / hardware.block_pages, rtol=0.06)
        found.append((light["requests"]["write"]["response_us"]["mean"], amplification, erases))
    (of_tlc, once, few), (of_slc, more, many) = found
    assert np.isclose(of_tlc, np.mean(PROGRAM_US), rtol=0.02) and np.isclose(of_slc, PROGRAM_US[0], rtol=0.03)
    assert 1 <= once < 1.1 and 2 < more < 3
    assert 7 < many / few < 8.5
