"""Which block a policy takes, and below which level: worked out by hand from what the blocks hold."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim._core.random import RandomStream
from ssdsim.config import FtlConfig
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from ssdsim.ftl.reclaim.victims import CostBenefit, RandomizedGreedy
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


@pytest.mark.parametrize(
    ("dead", "first", "second"),
    [([2, 3, 1], 4 * 2 / (2 * 2), 1 * 3 / (2 * 1)), ([2, 3, 2], 5 * 2 / (2 * 2), 2 * 3 / (2 * 1))],
)
def test_what_is_gained_is_weighed_against_the_valid_pages_to_be_moved(dead, first, second):
    """Age times dead pages over twice the valid ones; the third block, whose pages died last, has no age."""
    policy = CostBenefit()
    full_blocks(policy, dead)
    assert policy.select(0) == (0 if first > second else 1)
