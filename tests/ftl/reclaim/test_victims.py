"""Which block a policy takes, and below which level: worked out by hand from what the blocks hold."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim.config import FtlConfig, GarbageCollectionConfig, HardwareConfig
from ssdsim.ftl.frontier import SequentialFrontier
from ssdsim.ftl.reclaim.unit import CollectionUnit
from ssdsim.ftl.reclaim.victims import CostBenefit, Greedy, RandomizedGreedy, WearLeveling
from support.bound import HOST_DATA, bound, given_page

PAGES = 4


def full_blocks(policy, dead, spare=2):
    """Return blocks of a plane, as many full ones as `dead` says how many dead pages each has, and some free ones."""
    count = len(dead) + spare
    blocks = Blocks(1, count, PAGES, policy.make_index(1, count, PAGES, 1))
    frontier = bound(SequentialFrontier, blocks, FtlConfig(active_blocks="shared"))
    for lpa in range(PAGES * len(dead)):
        blocks.program(given_page(frontier, 0, HOST_DATA, lpa))
    for block, pages in enumerate(dead):
        for page in range(pages):
            blocks.invalidate(block * PAGES + page)
    return blocks, frontier


@pytest.mark.parametrize("choices", [1, 2, 3, 5])
def test_so_many_draws_are_made_and_the_first_of_the_least_valid_is_taken(choices):
    """The same draws, made here by a generator of the same seed and purpose."""
    policy, dead = RandomizedGreedy(choices), [0, 1, 1, 2, 2, 3]
    full_blocks(policy, dead)
    draws = RandomStream(1, "victim selection")
    for _ in range(50):
        drawn = [policy.full.at(0, draws.below(len(dead))) for _ in range(choices)]
        assert policy.select(0) == max(drawn, key=lambda block: dead[block])


@pytest.mark.parametrize(("threshold", "blocks_free"), [(1.5, 2), (2.0, 2), (2.5, 3)])
def test_a_threshold_between_two_counts_is_the_higher_one(threshold, blocks_free):
    policy = Greedy()
    blocks, frontier = full_blocks(policy, [1, 0])
    gc = GarbageCollectionConfig(soft_threshold=threshold, hard_threshold=threshold)
    unit = CollectionUnit(blocks, frontier, policy, WearLeveling(), gc, HardwareConfig(planes_per_die=1))
    assert (unit.soft, unit.hard) == (blocks_free, blocks_free)
    assert unit.next_victim(0, unit.soft) == (0 if threshold > 2 else -1)  # two blocks are free


@pytest.mark.parametrize(
    ("dead", "first", "second"),
    [([2, 3, 1], 4 * 2 / (2 * 2), 1 * 3 / (2 * 1)), ([2, 3, 2], 5 * 2 / (2 * 2), 2 * 3 / (2 * 1))],
)
def test_what_is_gained_is_weighed_against_the_valid_pages_to_be_moved(dead, first, second):
    """Age times dead pages over twice the valid ones; the third block, whose pages died last, has no age."""
    policy = CostBenefit()
    full_blocks(policy, dead)
    assert policy.select(0) == (0 if first > second else 1)


@pytest.mark.parametrize(("dead", "hard", "victim"), [(1, 2, -1), (2, 2, 0), (1, 3, 0)])
def test_above_the_hard_threshold_a_victim_gains_at_least_so_much(dead, hard, victim):
    """Two blocks are free; two pages of four are half a block."""
    policy = Greedy()
    blocks, frontier = full_blocks(policy, [dead, 0])
    gc = GarbageCollectionConfig(soft_threshold=3, hard_threshold=hard, min_gain=0.5)
    unit = CollectionUnit(blocks, frontier, policy, WearLeveling(), gc, HardwareConfig(planes_per_die=1))
    assert unit.next_victim(0, unit.soft) == victim
