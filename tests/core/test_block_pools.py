"""Pools of blocks against plain lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.block_pools import BlockPools

PLANES, BLOCKS, POOLS = 2, 5, 3
ALL = PLANES * POOLS


def agree(pools, lists):
    for pool, expected in enumerate(lists):
        assert pools.listed(pool) == expected
        assert pools.head(pool) == (expected or [-1])[0]
        for block, following in zip(expected, [*expected[1:], -1], strict=False):
            assert pools.following(block) == following


@given(st.lists(st.tuples(st.sampled_from(["push", "pop", "remove"]), st.integers(0, ALL - 1), st.integers(0, 9))))
def test_pools_are_queues_from_which_any_block_can_be_taken(steps):
    """A block pushed is one that is in no pool, and one removed stands where it is said to."""
    pools, lists = BlockPools(PLANES, BLOCKS, POOLS), [[] for _ in range(ALL)]
    for what, pool, block in steps:
        if what == "push" and not any(block in each for each in lists):
            pools.push(pool, block)
            lists[pool].append(block)
        elif what == "pop":
            assert pools.pop(pool) == (lists[pool].pop(0) if lists[pool] else -1)
        elif what == "remove" and lists[pool]:
            chosen = lists[pool][block % len(lists[pool])]
            pools.remove(pool, chosen)
            lists[pool].remove(chosen)
        agree(pools, lists)


@pytest.mark.parametrize("taken", [7, 2, 4], ids=["first", "middle", "last"])
def test_the_others_keep_their_order(taken):
    pools = BlockPools(PLANES, BLOCKS, POOLS)
    for block in (7, 2, 4):
        pools.push(5, block)
    pools.remove(5, taken)
    assert pools.listed(5) == [block for block in (7, 2, 4) if block != taken]
    pools.push(5, 9)
    pools.push(0, taken)
    assert [pools.pop(5) for _ in range(4)] == [*(block for block in (7, 2, 4) if block != taken), 9, -1]
    assert pools.listed(0) == [taken]
