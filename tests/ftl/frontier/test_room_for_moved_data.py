"""All frontiers: whatever the host does and whatever types are asked for, a victim's valid pages find room."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim.config import FtlConfig
from ssdsim.ftl.frontier.interface import RESERVED_BLOCKS
from ssdsim.ftl.frontier.page_type import PageTypeFrontier, ReturnToFastFrontier, TwoPhaseFrontier
from ssdsim.ftl.frontier.sequential import SequentialFrontier
from support.bound import HOST_DATA, MOVED_DATA, bound

FULL = STATES.index("full")
ACTIVE_BLOCKS = ["shared", "separate", "hot_cold"]


class Bench:
    """One plane or die that is written and collected through a frontier, with no time and no transactions."""

    def __init__(self, frontier, active, span, count, wordlines, types=1, chance=None, whole=False):
        order = ProgramOrder(wordlines, types, "rps")
        self.blocks = Blocks(span, count, wordlines * types, span=span, order=order)
        self.chance = chance or random.Random()
        unit = "die" if whole else "twin"
        config = FtlConfig(active_blocks=active, return_to_fast_blocks=self.chance.randint(1, 5), unit=unit)
        self.row = span if whole else 1
        self.frontier = bound(frontier, self.blocks, config)
        self.mapping = IndexTable(self.blocks.pages)
        self.types = types

    def write(self, lpas, purpose):
        """Write pages, as a row that is padded where rows are whole; -1 is padding."""
        given = []
        kind = self.chance.choice(self.frontier.hosts if purpose == HOST_DATA else self.frontier.moved)
        for lpa in [*lpas, *[-1] * (-len(lpas) % self.row)]:
            before = self.mapping.get(lpa) if lpa >= 0 else -1
            given.append(self.frontier.allocate(0, kind, lpa, self.chance.randrange(self.types)))
            self.blocks.program(given[-1])
            if lpa >= 0:
                self.mapping.set(lpa, given[-1])
            else:
                self.blocks.invalidate(given[-1])
            if before >= 0:
                self.blocks.invalidate(before)
        if self.row > 1:
            pages = self.blocks.pages_per_block
            assert len({(self.blocks.aligned_of(ppa // pages), ppa % pages) for ppa in given}) == 1
            assert [ppa // pages // self.blocks.blocks_per_plane for ppa in given] == list(range(self.row))

    def write_for_the_host(self, lpa):
        if self.frontier.has_room(0):
            free = self.blocks.free_blocks(0)
            self.write([lpa], HOST_DATA)
            assert self.blocks.free_blocks(0) >= min(free, RESERVED_BLOCKS)

    def collect(self, lpas):
        """Collect any full (aligned) block, whatever it holds, while the host writes on."""
        blocks, chance = self.blocks, self.chance
        states = blocks.column("state").reshape(blocks.span, -1)
        full = [aligned for aligned in range(blocks.blocks_per_plane) if (states[:, aligned] == FULL).all()]
        if not full:
            return
        aligned = chance.choice(full)
        members = [blocks.member(aligned, place) for place in range(blocks.span)]
        blocks.collect(aligned)
        pages = [(page, block) for page in range(blocks.pages_per_block) for block in members]
        moved = []
        for number, (page, block) in enumerate(pages):
            ppa = block * blocks.pages_per_block + page
            if blocks.is_valid(ppa):
                moved.append(ppa)
            if moved and (len(moved) == self.row or number + 1 == len(pages)):
                current = [blocks.spare.get(each) for each in moved if blocks.is_valid(each)]
                if current:
                    self.write(current, MOVED_DATA)
                moved = []
            if chance.random() < 0.3:
                self.write_for_the_host(chance.randrange(lpas))
        left = [blocks.spare.get(each) for each in moved if blocks.is_valid(each)]
        if left:
            self.write(left, MOVED_DATA)
        for block in members:
            blocks.erase(block)
        assert recount(blocks, self.mapping) is None


@pytest.mark.parametrize("active", [*ACTIVE_BLOCKS, "tests.SixKinds"])
@pytest.mark.parametrize("frontier", [SequentialFrontier, PageTypeFrontier, TwoPhaseFrontier, ReturnToFastFrontier])
@given(
    span=st.integers(1, 4),
    count=st.integers(4, 8),
    wordlines=st.integers(1, 4),
    types=st.integers(1, 3),
    whole=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_a_victims_valid_pages_always_find_room(frontier, active, span, count, wordlines, types, whole, seed):
    """In units of any span, page by page or by whole rows, whatever the order of pages."""
    chance = random.Random(seed)
    bench = Bench(frontier, active, span, count, wordlines, types, chance, whole)
    pages = wordlines * types * span
    lpas = max((count - 3) * pages, 1)
    for _ in range(12):
        for _ in range(chance.randrange(2 * pages)):
            bench.write_for_the_host(chance.randrange(lpas))
        bench.collect(lpas)
