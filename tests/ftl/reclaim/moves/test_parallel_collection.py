"""ParaGC: which planes are collected together, and that their write points are brought into line, step by step."""

import numpy as np
import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.config import FtlConfig, GarbageCollectionConfig, HardwareConfig
from ssdsim.ftl.frontier import SequentialFrontier
from ssdsim.ftl.reclaim.units import ParallelPlanes
from ssdsim.ftl.reclaim.victims import Greedy, WearLeveling
from support.bound import bound

PAGES, COUNT = 8, 6


def unit_of(dead, gain=0.5):
    """Return a die, each plane of which has full blocks with so many dead pages from its first on; the rest is free."""
    policy, planes = Greedy(), len(dead)
    blocks = Blocks(planes, COUNT, PAGES, policy.make_index(planes, COUNT, PAGES, 1))
    for plane, counts in enumerate(dead):
        for count in counts:
            block = blocks.take_free(plane)
            for page in range(PAGES):
                ppa = blocks.append(block, page)
                blocks.program(ppa)
                if page < count:
                    blocks.invalidate(ppa)
    frontier = bound(SequentialFrontier, blocks, FtlConfig())
    gc = GarbageCollectionConfig(moves="parallel", partner_gain=gain, soft_threshold=3, hard_threshold=2)
    return ParallelPlanes(blocks, frontier, policy, WearLeveling(blocks), gc, HardwareConfig(planes_per_die=planes))


def chosen(unit, threshold=3):
    """Return the victims as (plane, offset, dead pages)."""
    victims = np.full(unit.width, -1, np.int64)
    count = unit.choose(0, threshold, victims)
    return [(int(block) // COUNT, int(block) % COUNT, PAGES - unit.blocks.valid(block)) for block in victims[:count]]


@pytest.mark.parametrize(
    ("partner", "expected"),
    [
        ([0, 6, 3, 0], [(0, 2, 6), (1, 2, 3)]),  # half of the victim's six at the same offset
        ([0, 6, 2, 0], [(0, 2, 6), (1, 1, 6)]),  # its own victim instead
        ([0, 2, 2, 0], [(0, 2, 6)]),  # neither is worth it
        ([0, 6, 6], [(0, 2, 6)]),  # enough space
        ([8, 8, 8, 8, 0], [(1, 0, 8), (0, 2, 6)]),  # the one with the least space comes first
    ],
)
def test_another_plane_joins_if_it_is_short_of_space_and_has_enough_to_gain(partner, expected):
    assert chosen(unit_of([[0, 0, 6, 0], partner])) == expected
