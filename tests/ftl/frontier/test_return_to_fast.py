"""The frontier of rtfFTL: several blocks filled in a fixed order, of which one may be at a fast page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdsim import SimulationError
from ssdsim._core.program_order import diagonal_order
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import ReturnToFastFrontier
from support.bound import HOST_DATA, MOVED_DATA
from support.typed_frontier import Frontier


def mlc(blocks, active, wordlines=3, **more):
    """Return a frontier with so many active blocks of two page types, whose order is L0 L1 M0 L2 M1 M2."""
    return Frontier(
        blocks, wordlines, 2, "fps", made=ReturnToFastFrontier, return_to_fast_blocks=active, reserved=1, **more
    )


def test_lsb_pages_come_one_after_another_from_several_blocks():
    frontier = mlc(blocks=5, active=3)
    assert frontier.asked("LLLLLL") == ["0 L0", "0 L1", "1 L0", "1 L1", "2 L0", "2 L1"]
    assert frontier.made.open_blocks() == [0, 1, 2]


def test_when_all_blocks_are_at_slow_pages_the_first_one_gives_its():
    frontier = mlc(blocks=5, active=2)
    frontier.asked("LLLL")
    assert frontier.asked("LLLL") == ["0 M0", "0 L2", "0 M1", "0 M2"]
    assert frontier.asked("LL") == ["2 L0", "2 L1"]


def test_slow_pages_taken_return_blocks_to_fast_ones():
    """What moving data in idle times is good for."""
    frontier = mlc(blocks=5, active=3)
    frontier.asked("LLLLLL")
    assert frontier.asked("MM", purpose=MOVED_DATA) == ["0 M0", "1 M0"]
    assert frontier.asked("LL") == ["0 L2", "1 L2"]
    assert frontier.asked("MMM", purpose=MOVED_DATA) == ["0 M1", "0 M2", "1 M1"]


def test_eight_blocks_a_plane_give_eight_fast_pages_in_a_row():
    """flexFTL, 5: of 8 active blocks a chip, 8 LSB pages in succession."""
    hardware, config = HardwareConfig(bits_used=2), FtlConfig(active_blocks="separate")
    assert ReturnToFastFrontier().active_blocks(hardware, config) == 8
    frontier = Frontier(12, 16, 2, "fps", made=ReturnToFastFrontier)
    frontier.asked("L" * 16)
    for _ in range(10):
        given_pages = frontier.asked("M" * 8) + frontier.asked("L" * 9)
        assert "".join(name.split()[1][0] for name in given_pages) == "M" * 8 + "L" * 8 + "M"
        frontier.asked("L")


def test_without_a_slow_page_next_any_is_given_and_no_block_is_opened_for_it():
    frontier = mlc(blocks=5, active=3)
    assert frontier.asked("MMMMMM") == ["0 L0", "0 L1", "0 M0", "0 L2", "0 M1", "0 M2"]
    frontier.asked("LLL")
    assert frontier.asked("MMM") == ["1 M0", "1 L2", "1 M1"]


def test_the_block_that_has_been_active_for_longest_comes_first():
    frontier = mlc(blocks=6, active=3)
    frontier.asked("LLLLLL")
    assert frontier.asked("MMMM") == ["0 M0", "1 M0", "2 M0", "0 L2"]
    assert frontier.asked("MML") == ["0 M1", "0 M2", "1 L2"]
    assert frontier.asked("LL") == ["2 L2", "3 L0"]
    assert frontier.made.open_blocks() == [1, 2, 3]


@pytest.mark.parametrize("active", ["shared", "separate", "hot_cold"])
def test_host_and_collector_share_the_blocks(active):
    frontier = mlc(blocks=5, active=3, active_blocks=active)
    assert frontier.asked("L") + frontier.asked("L", purpose=MOVED_DATA) == ["0 L0", "0 L1"]


def test_planes_have_blocks_of_their_own():
    frontier = mlc(blocks=3, active=2, planes=2)
    assert frontier.asked("LLL", plane=1) == ["3 L0", "3 L1", "4 L0"]
    assert frontier.asked("LLL", plane=0) == ["0 L0", "0 L1", "1 L0"]
    assert frontier.made.open_blocks() == [0, 1, 3, 4]


def test_the_last_free_block_is_the_collectors_and_taken_last():
    frontier = mlc(blocks=3, active=3)
    assert frontier.made.heeds_page_types
    assert frontier.asked("LLLLL") == ["0 L0", "0 L1", "1 L0", "1 L1", "0 M0"]
    assert frontier.asked("L", purpose=MOVED_DATA) == ["0 L2"]
    assert frontier.asked("L", purpose=MOVED_DATA) == ["0 M1"]
    for _ in range(5):
        assert frontier.made.has_room(0)
        frontier.asked("L")
    assert frontier.blocks.free_pages(0) == 6 and frontier.made.free_blocks(0) == 1
    assert not frontier.made.has_room(0)
    frontier.asked("M" * 6, purpose=MOVED_DATA)
    with pytest.raises(SimulationError, match="plane 0 has no page left to hand out"):
        frontier.ask(0, purpose=MOVED_DATA)


class Listed:
    """The frontier on lists: active blocks in the order in which they became that, with the pages given of each."""

    def __init__(self, blocks, wordlines, types, most):
        self.types = [page_type for _, page_type in diagonal_order(wordlines, types)]
        self.most = most
        self.free = list(range(blocks))
        self.active = {}
        self.full = []

    def hand_out(self, wanted):
        """Return the block and the number of the page in it that a write is given."""
        block = next((each for each, given in self.active.items() if self.types[given] == wanted), None)
        may_open = wanted == 0 and len(self.free) > 1 and len(self.active) < self.most
        if block is None and (may_open or not self.active):
            block = self.free.pop(0)
            self.active[block] = 0
        elif block is None:
            block = next(iter(self.active))
        page = self.active[block]
        self.active[block] += 1
        if page + 1 == len(self.types):
            del self.active[block]
            self.full.append(block)
        return block, page


@given(
    shape=st.tuples(st.integers(1, 8), st.integers(1, 5), st.integers(1, 4)),
    most=st.integers(1, 6),
    rule=st.sampled_from(["strict", "relaxed", "fps"]),
    steps=st.lists(st.tuples(st.sampled_from(["write"] * 6 + ["collect"]), st.integers(0, 99)), max_size=150),
)
def test_pages_are_those_of_the_list(shape, most, rule, steps):
    """As long as a page is unused, for whomever asks."""
    types = shape[2]
    frontier = Frontier(*shape, rule, made=ReturnToFastFrontier, reserved=1, return_to_fast_blocks=most)
    listed = Listed(*shape, most)
    for what, number in steps:
        if what == "collect" and listed.full:
            block = listed.full.pop(number % len(listed.full))
            frontier.blocks.collect(block)
            frontier.die(block, frontier.blocks.valid(block))
            frontier.blocks.erase(block)
            listed.free.append(block)
        elif what == "write" and frontier.blocks.free_pages(0):
            wanted, purpose = number % types, [HOST_DATA, MOVED_DATA][number // types % 2]
            ppa = frontier.ask(wanted, purpose=purpose)
            frontier.blocks.program(ppa)
            assert divmod(ppa, frontier.blocks.pages_per_block) == listed.hand_out(wanted)
        unused = frontier.blocks.free_pages(0)
        assert frontier.made.has_room(0) == (len(listed.free) > 0 and unused > frontier.blocks.pages_per_block)
        assert frontier.made.free_blocks(0) == len(listed.free)
        assert frontier.made.open_blocks() == list(listed.active)
        assert len(listed.active) <= most
