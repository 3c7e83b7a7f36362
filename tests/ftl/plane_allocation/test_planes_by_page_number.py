"""Planes that follow from the page number: static orders, DLOOP's, super pages, and a block a chip, against models."""

from itertools import permutations, product

from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import STATES, Blocks
from ssdsim.config import HardwareConfig
from ssdsim.ftl.plane_allocation.policies import ChipPlaneAllocation, StaticPlaneAllocation
from support.bound import HOST_DATA, MOVED_DATA, given_page, plane_allocation, sequential

FULL = STATES.index("full")
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


class Chips:
    """Chips as lists of planes; of each its free blocks, and the pages written of the one that is being filled."""

    def __init__(self, shape, blocks, pages):
        self.channels, self.chips = shape[:2]
        self.per_chip = shape[2] * shape[3]
        self.pages = pages
        self.free = [blocks] * (self.channels * self.chips * self.per_chip)
        self.begun = [0] * len(self.free)

    def has_room(self, plane):
        """The last free block is the collector's; a block begun may be gone on with while that is free."""
        return self.free[plane] > 1 or (self.free[plane] == 1 and self.begun[plane] > 0)

    def plane_for(self, lpa, stream):
        first = lpa % self.channels * self.chips + lpa // self.channels % self.chips
        for beyond in range(self.channels * self.chips):
            chip = (first + beyond) % (self.channels * self.chips)
            planes = range(chip * self.per_chip, (chip + 1) * self.per_chip)
            roomy = [plane for plane in planes if self.has_room(plane)]
            if roomy:  # max gives the first of equals
                return max(roomy, key=lambda plane: (self.begun[plane] > 0, self.begun[plane] or self.free[plane]))
        return -1

    def write(self, plane):
        if not self.begun[plane]:
            self.free[plane] -= 1
        self.begun[plane] = (self.begun[plane] + 1) % self.pages


@given(
    st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 2), st.integers(1, 3)),
    st.tuples(st.integers(2, 5), st.integers(1, 4)),
    st.lists(
        st.tuples(st.sampled_from(["write"] * 6 + ["move", "collect"]), st.integers(0, 99)), min_size=40, max_size=120
    ),
)
def test_a_chip_fills_one_block_and_then_one_of_its_plane_with_the_most_free_ones(shape, size, steps):
    """Until collection opens blocks of its own choice: of several the fullest is gone on with."""
    model = Chips(shape, *size)
    blocks = Blocks(len(model.free), *size)
    frontier = sequential(blocks)
    policy = plane_allocation(ChipPlaneAllocation, hardware_of(shape), frontier)
    for what, number in steps:
        if what == "write":
            plane = policy.plane_for(number, 0)
            assert plane == model.plane_for(number, 0)
        elif what == "move":
            plane = number % blocks.planes
        else:
            full = [block for block in range(blocks.count) if blocks.state(block) == FULL]
            if full:
                victim = full[number % len(full)]
                blocks.collect(victim)
                for page in range(size[1]):
                    blocks.invalidate(victim * size[1] + page)
                blocks.erase(victim)
                model.free[blocks.plane_of(victim)] += 1
            continue
        if plane >= 0 and (model.free[plane] or model.begun[plane]):
            blocks.program(given_page(frontier, plane, HOST_DATA if what == "write" else MOVED_DATA, number))
            model.write(plane)
