"""Plane allocation, victims, the write frontier and wear leveling, each against what it promises."""

import numpy as np
import pytest

from ssdsim import HardwareConfig
from ssdsim._core.blocks import Blocks
from ssdsim.assembly.device import Device
from ssdsim.ftl.plane_allocation.policies import RoundRobinPlaneAllocation
from ssdsim.ftl.reclaim.victims import Greedy, GreedyInOrder
from ssdsim.host.request import Request
from support.bound import plane_allocation, sequential


def test_round_robin_goes_on_where_it_stopped_and_skips_full_planes():
    hardware = HardwareConfig(
        channels=2, chips_per_channel=1, dies_per_chip=1, planes_per_die=2, blocks_per_plane=4, pages_per_block=3
    )
    blocks = Blocks(4, 4, 3)
    frontier = sequential(blocks, shared=False)
    policy = plane_allocation(RoundRobinPlaneAllocation, hardware, frontier)
    assert [policy.plane_for(7, 0) for _ in range(5)] == [0, 2, 1, 3, 0]  # the channel first, then the plane
    for _ in range(4):
        blocks.take_free(2)
    assert [policy.plane_for(7, 0) for _ in range(3)] == [1, 3, 0]
    for plane in (0, 1, 3):
        for _ in range(4):
            blocks.take_free(plane)
    assert policy.plane_for(7, 0) == -1


def full_blocks(policy, valid_counts, seed=1):
    """Return a plane whose blocks are full with so many valid pages."""
    pages = max(valid_counts)
    blocks = Blocks(1, len(valid_counts), pages, policy.make_index(1, len(valid_counts), pages, seed))
    for block, valid in enumerate(valid_counts):
        blocks.take_free(0)
        for page in range(pages):
            ppa = blocks.append(block, page)
            blocks.program(ppa)
            if page >= valid:
                blocks.invalidate(ppa)
    return blocks


@pytest.mark.parametrize(("policy", "then"), [(Greedy, 2), (GreedyInOrder, 1)])
def test_greedy_takes_the_least_valid_and_of_equals_the_longest_untouched_or_the_first(policy, then):
    policy = policy()
    blocks = full_blocks(policy, [8, 3, 2, 5, 2])
    assert policy.select(0) == 2
    blocks.invalidate(1 * 8)
    assert policy.select(0) == then
    blocks.invalidate(1 * 8 + 1)
    assert policy.select(0) == 1


def spread_of_wear(tiny, **wear_leveling):
    """Return the erase counts after many writes of a few hot pages over much cold data."""
    changes = {
        "hardware": {"blocks_per_plane": 32, "pages_per_block": 8, "over_provisioning": 0.3},
        "ftl": {"wear_leveling": wear_leveling},
        "check": "off",
    }
    device = Device(tiny(changes))
    for lpa in range(170):
        device.layer.writes.write_now(Request(), lpa)
    for lpa in np.random.default_rng(1).integers(0, 16, 20_000).tolist():
        device.layer.writes.write_now(Request(), lpa)
    device.check()
    return device.blocks.column("erases")


def test_static_and_dynamic_wear_leveling_keep_all_blocks_within_about_the_threshold(tiny):
    worn = spread_of_wear(tiny, static=True, static_threshold=8, dynamic=True)
    assert worn.max() - worn.min() <= 2 * 8
