"""Shares of fast, medium and slow writes against the closed forms of PA-SSD, section 3 and Fig. 6.

Conventionally, a page is of each type with probability 1/3, whatever the other pages of its request are given. That
asks for planes that are not written in step: requests start at any page, so that neighbours have different histories,
which preconditioning by writes lets grow. There is no collection, or the host would miss the first pages of blocks.
"""

import pytest

from ssdsim import (
    FlashConfig,
    FtlConfig,
    HardwareConfig,
    PreconditionConfig,
    SimulationConfig,
    SyntheticConfig,
    simulate,
)

PAGE_KIB = 4
CLASSES = ("fast", "medium", "slow")


def conventional(n):
    """Return the probabilities of a fast, a medium and a slow write of `n` pages, each of them of any type."""
    return [(1 / 3) ** n, (2 / 3) ** n - (1 / 3) ** n, 1 - (2 / 3) ** n]


def uniform_writes(n, requests, ftl, **changes):
    """Return 64 planes, of whose 200 blocks 20 hold data, under writes of `n` pages at any page, one at a time."""
    hardware = HardwareConfig(
        channels=8,
        chips_per_channel=2,
        dies_per_chip=2,
        planes_per_die=2,
        blocks_per_plane=200,
        pages_per_block=96,
        page_kib=PAGE_KIB,
        bits_per_cell=3,
        over_provisioning=0.9,
    )
    workload = SyntheticConfig(
        requests=requests, read_share=0, size_kib=n * PAGE_KIB, align_kib=PAGE_KIB, arrival="constant", rate_iops=100.0
    )
    precondition = PreconditionConfig(mode="writes", max_windows=1)
    return SimulationConfig(hardware=hardware, ftl=ftl, precondition=precondition, workload=workload, **changes)


def within(found, expected, requests):
    """Assert that shares of so many requests lie within 3.5 standard deviations of their probabilities."""
    for share, probability in zip(found, expected, strict=True):
        assert abs(share - probability) <= 3.5 * (probability * (1 - probability) / requests) ** 0.5


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_the_conventional_device(n):
    requests = 80_000
    summary = simulate(uniform_writes(n, requests, FtlConfig(active_blocks="shared"), timing="off")).summary
    assert summary["gc"]["collections"] == 0
    within([summary["page_types"][name] for name in CLASSES], conventional(n), requests)


@pytest.mark.parametrize("n", [1, 8])
def test_with_types_specified_at_random_a_third_each_whatever_the_size(n):
    """PA-SSD, 4.2: sU makes fast, medium and slow writes alike, as all pages of a request inherit its type."""
    requests = 20_000
    options = {"uniform": {"order": "random"}}
    ftl = FtlConfig(page_order="page_type", active_blocks="shared", page_type=["uniform"], page_type_options=options)
    relaxed = FlashConfig(program_order="relaxed")
    summary = simulate(uniform_writes(n, requests, ftl, flash=relaxed, timing="off")).summary
    assert summary["page_types"]["success_rate"] > 0.98
    within([summary["page_types"][name] for name in CLASSES], [1 / 3] * 3, requests)
