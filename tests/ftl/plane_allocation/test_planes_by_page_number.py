"""Planes that follow from the page number: static orders, DLOOP's, super pages, and a block a chip."""

from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import Blocks
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation.policies import ChipPlaneAllocation, StaticPlaneAllocation
from support.bound import HOST_DATA, given_page, plane_allocation, sequential

LEVELS = ["channels", "chips_per_channel", "dies_per_chip", "planes_per_die"]
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4))


def hardware_of(shape):
    return HardwareConfig(**dict(zip(LEVELS, shape, strict=True)))


@given(st.sampled_from(["".join(order) for order in permutations("CWDP")]), SHAPES, st.booleans())
def test_pages_count_through_the_levels_and_super_pages_through_those_of_dies(order, shape, together):
    """The first letter changes with every page; pages of a super page have its first plane, and its order no P."""
    sizes = dict(zip("CWDP", shape, strict=True))
    width = sizes["P"] if together else 1
    if together:
        sizes["P"] = 1
    counted = product(*(range(sizes[level]) for level in reversed(order)))
    places = [dict(zip(reversed(order), place, strict=True)) for place in counted]
    policy = plane_allocation(StaticPlaneAllocation, hardware_of(shape), order=order, super_page=width)
    _, chips, dies, planes = shape
    expected = [
        ((at["C"] * chips + at["W"]) * dies + at["D"]) * planes + at["P"] for at in places for _ in range(width)
    ]
    assert [policy.plane_for(lpa, 0) for lpa in range(2 * len(expected))] == expected * 2


def test_a_chip_fills_one_block_and_then_one_of_its_plane_with_the_most_free_ones():
    """Two chips of two planes of four blocks of three pages, one of which is the collector's; shared active blocks."""
    frontier = sequential(Blocks(4, 4, 3))
    policy = plane_allocation(ChipPlaneAllocation, hardware_of((2, 1, 1, 2)), frontier)

    def planes_written(lpa, count):
        planes = []
        for _ in range(count):
            planes.append(policy.plane_for(lpa, 0))
            given_page(frontier, planes[-1], HOST_DATA, lpa)
        return planes

    assert planes_written(0, 9) == [0] * 3 + [1] * 3 + [0] * 3
    assert planes_written(1, 1) == [2]
    assert planes_written(0, 9) == [1] * 3 + [0] * 3 + [1] * 3
    assert planes_written(0, 3) == [2, 2, 3]  # as the chip has no room, the block begun on the other, and its next
