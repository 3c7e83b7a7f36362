"""ParaGC: which planes are collected together, and that their write points are brought into line, step by step."""

from types import SimpleNamespace

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.config import FtlConfig, GarbageCollectionConfig, HardwareConfig
from ssdsim.ftl.frontier.sequential import SequentialFrontier
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
    blocks = unit.choose(0, threshold)
    return [(block // COUNT, block % COUNT, PAGES - unit.blocks.valid(block)) for block in blocks]


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


class Die:
    """A die whose planes stand at some pages, and have room for so many more beside their reserve."""

    def __init__(self, modules, points, room):
        self.points, self.room = list(points), list(room)
        self.placed = []
        moves = self.moves = object.__new__(modules["ssdsim.ftl.reclaim.row_moves"].ParallelMoves)
        moves.blocks = SimpleNamespace(pages_per_block=PAGES, plane_of=lambda block: block)
        moves.collector = SimpleNamespace(kinds=1)
        moves.frontier = SimpleNamespace(
            reached=lambda plane, kind: self.points[plane], has_room_beside=lambda plane, kind: self.room[plane] > 0
        )
        moves.held, moves.victims = [[]], list(range(len(points)))
        moves.hold = lambda page: moves.held[0].append(page) or 0
        moves.transactions = SimpleNamespace(plane=[page % len(points) for page in range(PAGES)])
        moves.current = list
        moves.place = self.place

    def place(self, page, plane, kind):
        self.placed.append((page, plane))
        self.points[plane] = (self.points[plane] + 1) % PAGES
        assert (
            self.room[plane] > 0 or page % len(self.points) == plane
        )  # the reserve is for the pages of its plane's own victim
        self.room[plane] = max(self.room[plane] - 1, 0)

    def collect(self, count):
        """Have so many pages arrive, one after another, and none after that; return the planes they went to."""
        for page in range(count):
            self.moves.arrived(page)
        self.moves.no_more()
        assert sorted(page for page, _ in self.placed) == list(range(count))
        return [plane for _, plane in self.placed]


def test_planes_that_lag_behind_come_first_and_then_all_by_the_row(interpreted):
    assert Die(interpreted, [1, 3], [64, 64]).collect(7) == [0, 0, 0, 1, 0, 1, 0]
    assert Die(interpreted, [7, 1], [64, 64]).collect(4) == [0, 0, 0, 1]  # 7 is two behind 1, round the block
    assert Die(interpreted, [2, 2, 0], [64, 64, 64]).collect(5) == [2, 2, 0, 1, 2]
