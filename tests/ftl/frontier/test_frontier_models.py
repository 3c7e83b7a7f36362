"""Every write frontier, on planes and on aligned blocks, page by page and row by row, against a model on lists."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdsim import SimulationError
from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.config import FtlConfig
from ssdsim.ftl.frontier.page_type import PageTypeFrontier, ReturnToFastFrontier, TwoPhaseFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from support.bound import HOST_DATA, MOVED_DATA, bound, given_page
from support.frontier_models import Pools, ReturnToFast, Sequential, TwoPhases, Unit

STEPS = st.lists(st.tuples(st.sampled_from(["write"] * 9 + ["erase"]), st.integers(0, 999)), min_size=20, max_size=120)
SHAPES = st.tuples(*map(st.sampled_from, [(2, 3, 4, 5), (1, 2, 3), (2, 1, 3), (2, 1, 3)]))
"""Blocks, wordlines, page types and planes of a unit."""


class Twins:
    """A frontier over two units, and its model."""

    def __init__(self, made, model, shape, rule, active, by_rows, most):
        self.count, wordlines, types, self.span = shape
        by_rows = by_rows and self.span > 1
        self.order = ProgramOrder(wordlines, types, rule)
        self.blocks = Blocks(2 * self.span, self.count, self.order.pages, order=self.order, span=self.span)
        unit = "block" if self.span == 1 else "die" if by_rows else "twin"
        config = FtlConfig(active_blocks=active, unit=unit, return_to_fast_blocks=most)
        self.frontier = bound(made, self.blocks, config)
        self.units = [Unit(*shape, rule, by_rows) for _ in range(2)]
        self.models = [model(unit, kinds=1 if active == "shared" else 2, most=most) for unit in self.units]

    def place_of(self, ppa):
        """Return where a page is: the unit, and the block's offset, the place in the die, the wordline and the type."""
        block, page = divmod(ppa, self.blocks.pages_per_block)
        plane, offset = divmod(block, self.count)
        unit, place = divmod(plane, self.span)
        return unit, (offset, place, self.order.wordline_of(page), self.order.type_of(page))

    def write(self, number):
        """Have a page written by the host, where it has room, or moved, where there is any."""
        unit, wanted, plane = number % 2, number // 2 % self.order.types, number // 8 % self.span
        purpose = [HOST_DATA, MOVED_DATA][number // 32 % 2]
        model = self.models[unit]
        assert self.frontier.has_room(unit * self.span + plane) == model.has_room()
        if purpose == HOST_DATA and not model.has_room():
            return
        expected = model.write(min(purpose, self.frontier.kinds - 1), wanted)
        if expected is None:
            with pytest.raises(SimulationError, match="the reserve was spent"):
                given_page(self.frontier, unit * self.span + plane, purpose, 0, wanted)
            return
        ppa = given_page(self.frontier, unit * self.span + plane, purpose, 0, wanted)
        assert self.place_of(ppa) == (unit, expected)
        self.blocks.program(ppa)
        self.blocks.invalidate(ppa)

    def erase(self, number):
        """Erase a used-up block, if there is one."""
        unit = self.units[number % 2]
        if unit.full:
            offset = unit.full[number // 2 % len(unit.full)]
            aligned = number % 2 * self.count + offset
            self.blocks.collect(aligned)
            for place in range(self.span):
                self.blocks.erase(self.blocks.member(aligned, place))
            unit.erase(offset)


@pytest.mark.parametrize(
    ("made", "model", "rules"),
    [
        (SequentialFrontier, Sequential, ["strict", "relaxed", "fps", "rps", "free"]),
        (PageTypeFrontier, Pools, ["strict", "relaxed", "fps", "rps", "free"]),
        (TwoPhaseFrontier, TwoPhases, ["rps"]),
        (ReturnToFastFrontier, ReturnToFast, ["strict", "relaxed", "fps"]),
    ],
    ids=["sequential", "page_type", "two_phase", "return_to_fast"],
)
@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.data(), SHAPES, st.sampled_from(["shared", "separate"]), st.booleans(), st.integers(1, 4), STEPS)
def test_a_write_is_given_the_page_of_the_model(made, model, rules, data, shape, active, by_rows, most, steps):
    twins = Twins(made, model, shape, data.draw(st.sampled_from(rules)), active, by_rows, most)
    for what, number in steps:
        getattr(twins, what)(number)
