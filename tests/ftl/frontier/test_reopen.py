"""Frontiers after a loss of power: which blocks that were being filled are gone on with, and where."""

import random

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SimulationError
from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim.config import FtlConfig
from ssdsim.ftl.frontier import (
    PageTypeFrontier,
    ReturnToFastFrontier,
    SequentialFrontier,
    TwoPhaseFrontier,
)
from support.bound import HOST_DATA, MOVED_DATA, bound, given_page
from support.program_rules import RuleBook


@attrs.define
class Shape:
    """The blocks of a device, and the rule that their pages are programmed by."""

    count: int
    wordlines: int
    types: int = 2
    rule: str = "rps"
    planes: int = 1
    span: int = 1

    def blocks(self):
        """Return the blocks, erased."""
        order = ProgramOrder(self.wordlines, self.types, self.rule)
        return Blocks(self.planes, self.count, order.pages, order=order, span=self.span)


class Reopened:
    """A frontier after power came back to blocks of which so many pages of each type are programmed, all of them dead.

    `found` has them by block, in the order of their first write. What is left over is filled up.
    """

    def __init__(self, made, shape, found, **config):
        self.shape = shape
        self.blocks = shape.blocks()
        self.mapping = IndexTable(self.blocks.pages)
        for unit in range(self.blocks.units):
            while self.blocks.free_blocks(unit):
                self.blocks.take_free(unit)
        for block, counts in found.items():
            self.program(block, counts)
        used = [self.blocks.aligned_of(block) for block in found]
        self.unfinished = [aligned for aligned in dict.fromkeys(used) if not self.is_full(aligned)]
        for aligned in range(self.blocks.units * self.blocks.blocks_per_plane):
            if aligned not in used:
                self.blocks.reclaim(aligned)
                for block in self.members(aligned):
                    self.blocks.erase(block)
        self.frontier = bound(made, self.blocks, FtlConfig(**{"active_blocks": "shared"} | config))
        self.left = self.frontier.reopen(self.unfinished, self.unfinished)
        for aligned in self.left:
            for block in self.members(aligned):
                self.program(block, [shape.wordlines] * shape.types)

    def program(self, block, counts):
        """Program the pages of `block` up to so many of each type; none holds anything."""
        order = self.blocks.order
        for page in range(order.pages):
            ppa = block * order.pages + page
            if order.wordline_of(page) < counts[order.type_of(page)] and not self.blocks.is_programmed(ppa):
                self.blocks.program(self.blocks.hand_out(block, page, 0))
                self.blocks.invalidate(ppa)

    def is_full(self, aligned):
        return all(self.blocks.written(block) == self.blocks.pages_per_block for block in self.members(aligned))

    def members(self, aligned):
        return [self.blocks.member(aligned, place) for place in range(self.shape.span)]

    def write(self, wanted=0, purpose=HOST_DATA, plane=0):
        """Hand out a page and program it; return its block and, as `L1`, its type and wordline."""
        ppa = given_page(self.frontier, plane, purpose, 0, wanted)
        self.blocks.program(ppa)
        self.blocks.invalidate(ppa)
        block, page = divmod(ppa, self.blocks.pages_per_block)
        order = self.blocks.order
        return f"{block} {'LM'[order.type_of(page)]}{order.wordline_of(page)}"

    def written(self, letters, **more):
        return [self.write("LM".index(letter), **more) for letter in letters]


MLC = Shape(count=5, wordlines=3)
"""One plane whose blocks are L0 L1 M0 L2 M1 M2."""


def test_the_first_block_is_the_hosts_and_the_second_that_of_moved_data():
    made = Reopened(SequentialFrontier, MLC, {4: (2, 1), 2: (1, 0), 3: (2, 0)}, active_blocks="separate")
    assert (made.unfinished, made.left) == ([4, 2, 3], [3])
    assert made.frontier.open_blocks() == [4, 2]
    assert [made.write(), made.write(purpose=MOVED_DATA)] == ["4 L2", "2 L1"]


@pytest.mark.parametrize("made", [SequentialFrontier, ReturnToFastFrontier])
def test_a_block_whose_pages_are_not_the_first_ones_cannot_be_appended_to(made):
    """L2 was programmed, while M0, which is before it in page order, was on its way."""
    made = Reopened(made, MLC, {1: (3, 0), 2: (3, 1)})
    assert made.left == [1]
    assert made.written("M") == ["2 M1"]


def test_return_to_fast_takes_as_many_as_may_be_active():
    found = {4: (2, 0), 1: (2, 1), 3: (1, 0), 0: (3, 1)}
    made = Reopened(ReturnToFastFrontier, MLC, found, return_to_fast_blocks=3)
    assert made.left == [0]
    assert made.frontier.open_blocks() == [4, 1, 3]
    assert made.written("LMLLL") == ["1 L2", "4 M0", "4 L2", "3 L1", "4 M1"]


def test_two_phases_go_on_with_the_fast_block_and_the_slow_ones_in_their_order():
    made = Reopened(TwoPhaseFrontier, MLC, {3: (3, 1), 0: (3, 0), 1: (2, 0)})
    assert made.left == []
    assert made.written("LMMLM") == ["1 L2", "3 M1", "3 M2", "2 L0", "0 M0"]
    assert made.written("MMM") == ["0 M1", "0 M2", "1 M0"]


def test_a_second_block_with_lsb_pages_left_serves_them_before_a_free_one():
    """The last LSB page of block 3 was on its way, and block 0 had become the fast one."""
    made = Reopened(TwoPhaseFrontier, MLC, {3: (2, 0), 0: (1, 0)})
    assert made.written("LLLL") == ["3 L2", "0 L1", "0 L2", "1 L0"]
    assert made.written("MMMM") == ["3 M0", "3 M1", "3 M2", "0 M0"]


@pytest.mark.parametrize("made", [PageTypeFrontier, TwoPhaseFrontier])
def test_owners_of_blocks_take_turns(made):
    found = {3: (1, 0), 0: (2, 0), 1: (3, 1), 2: (3, 0), 4: (3, 2)}
    made = Reopened(made, MLC, found, active_blocks="separate")
    assert made.left == []
    assert made.written("LM") == ["3 L1", "1 M1"]
    assert made.written("LM", purpose=MOVED_DATA) == ["0 L2", "2 M0"]
    assert made.written("MM") == ["1 M2", "4 M2"]


DIE = Shape(count=4, wordlines=3, types=1, rule="strict", planes=3, span=3)
"""A die of three planes: aligned blocks 1 are blocks 1, 5 and 9."""


def rows(aligned, *pages):
    """Return what is programmed of aligned blocks of the die."""
    return {aligned + 4 * plane: (count,) for plane, count in enumerate(pages)}


def test_aligned_blocks_go_on_in_the_middle_of_a_row():
    made = Reopened(SequentialFrontier, DIE, rows(2, 2, 2, 1) | rows(1, 1, 0, 0), active_blocks="separate")
    assert (made.unfinished, made.left) == ([2, 1], [])
    assert [made.write() for _ in range(3)] == ["10 L1", "2 L2", "6 L2"]
    assert [made.write(purpose=MOVED_DATA) for _ in range(3)] == ["5 L0", "9 L0", "1 L1"]


@pytest.mark.parametrize(
    "pages", [(1, 2, 1), (1, 1, 2), (2, 1, 2), (3, 2, 1), (2, 0, 0), (0, 0, 1)], ids=lambda pages: str(pages)
)
def test_rows_with_a_gap_are_left(pages):
    made = Reopened(SequentialFrontier, DIE, rows(1, *pages) | rows(3, 1, 1, 1))
    assert made.left == [1]
    assert made.write() == "3 L1"


@pytest.mark.parametrize("unit", ["die", "super_page"])
def test_where_whole_rows_are_written_one_that_was_begun_is_left(unit):
    made = Reopened(SequentialFrontier, DIE, rows(1, 2, 2, 1) | rows(3, 1, 1, 1), unit=unit)
    assert made.left == [1]
    assert made.write() == "3 L1"


def programmed_pages(book, chance):
    """Return how many pages of each type of a block are programmed after some steps that the rule allows."""
    done = set()
    for _ in range(chance.choice([0, chance.randint(1, len(book.pages)), len(book.pages)])):
        done.add(chance.choice(book.allowed(done)))
    return tuple(sum(page_type == each for _, page_type in done) for each in range(book.types))


def in_order(book, counts):
    """Return whether so many pages of each type are the first ones of all."""
    return {page for page in book.pages if page[0] < counts[page[1]]} == set(book.pages[: sum(counts)])


@pytest.mark.parametrize(
    ("made", "rules"),
    [
        (SequentialFrontier, ["strict", "relaxed", "fps"]),
        (ReturnToFastFrontier, ["strict", "relaxed", "fps"]),
        (PageTypeFrontier, ["strict", "relaxed", "fps"]),
        (TwoPhaseFrontier, ["rps"]),
    ],
)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_all_that_is_unused_is_handed_out_by_the_rule_but_for_what_is_left(made, rules, data, seed):
    """Whatever was programmed."""
    chance = random.Random(seed)
    span = data.draw(st.sampled_from([1, 1, 2, 3]))
    unit = data.draw(st.sampled_from(["twin", "die"]))
    sizes = [data.draw(st.integers(1, most)) for most in (6, 4, 4)]
    shape = Shape(*sizes, data.draw(st.sampled_from(rules)), planes=span, span=span)
    book = RuleBook(shape.rule, shape.wordlines, shape.types)
    active, most = data.draw(st.sampled_from(["shared", "separate", "hot_cold"])), data.draw(st.integers(1, 4))
    numbers = chance.sample(range(shape.count * span), shape.count * span)
    found = {block: programmed_pages(book, chance) for block in numbers}
    found = {block: counts for block, counts in found.items() if sum(counts)}
    again = Reopened(made, shape, found, active_blocks=active, return_to_fast_blocks=most, unit=unit)
    blocks = again.blocks
    if span > 1:
        assert set(again.left) <= set(again.unfinished)
    elif made in (PageTypeFrontier, TwoPhaseFrontier):
        assert again.left == []
    else:
        able = [block for block in again.unfinished if in_order(book, found[block])]
        slots = most if made is ReturnToFastFrontier else 1 if active == "shared" else 2
        assert again.left == [block for block in again.unfinished if block not in able[:slots]]
    taken = [block for aligned in again.unfinished if aligned not in again.left for block in again.members(aligned)]
    unfilled = [block for block in taken if blocks.written(block) < blocks.pages_per_block]
    assert sorted(again.frontier.open_blocks()) == sorted(unfilled)
    done = {block: {page for page in book.pages if page[0] < counts[page[1]]} for block, counts in found.items()}
    for unused in range(blocks.free_pages(0), 0, -1):
        assert blocks.free_pages(0) == unused
        wanted, purposes = chance.randrange(shape.types), chance.sample([HOST_DATA, MOVED_DATA], 2)
        try:
            ppa = given_page(again.frontier, 0, purposes[0], 0, wanted)
        except SimulationError:
            ppa = given_page(again.frontier, 0, purposes[1], 0, wanted)
        block, number = divmod(ppa, blocks.pages_per_block)
        assert book.allows(done.setdefault(block, set()), book.pages[number])
        done[block].add(book.pages[number])
        blocks.program(ppa)
        blocks.invalidate(ppa)
        assert recount(blocks, again.mapping) is None
