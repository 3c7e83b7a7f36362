"""The frontier of PA-SSD: its pools and active blocks (Fig. 9), its alternates (Fig. 10), and no way to get stuck."""

import pytest

from ssdsim import SimulationError
from ssdsim._core.blocks import STATES
from ssdsim.ftl.frontier.page_type import preferences
from support.bound import HOST_DATA, MOVED_DATA
from support.typed_frontier import LETTERS, Frontier

FULL = STATES.index("full")


@pytest.mark.parametrize("plane", [0, 1])
def test_a_block_goes_from_pool_to_pool(plane):
    frontier = Frontier(blocks=2, wordlines=2, planes=2)
    block = 2 * plane
    for letter, following in (("L", "C"), ("C", "M")):
        assert frontier.asked(letter, plane) == [f"{block} {letter}0"]
        assert frontier.candidates(following, plane) == []
        assert frontier.made.open_blocks() == [block]
        assert frontier.asked(letter, plane) == [f"{block} {letter}1"]
        assert frontier.candidates(following, plane) == frontier.made.open_blocks() == [block]
    assert frontier.asked("MM", plane) == [f"{block} M0", f"{block} M1"]
    assert frontier.made.open_blocks() == []
    assert frontier.blocks.state(block) == FULL
    assert [frontier.blocks.free_blocks(each) for each in (plane, 1 - plane)] == [1, 2]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (1, {"L": "L"}),
        (2, {"L": "LC", "C": "CL"}),
        (3, {"L": "LCM", "C": "CLM", "M": "MCL"}),
        (4, {"L": "LCMT", "C": "CLMT", "M": "MCLT", "T": "TMCL"}),
    ],
)
def test_the_alternates_of_figure_10(types, expected):
    found = ["".join(LETTERS[each] for each in preferences(wanted, types)) for wanted in range(types)]
    assert found == list(expected.values())


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("L", ["L0", "L1", "L2", "C0", "C1", "C2", "M0", "M1", "M2"]),
        ("C", ["L0", "L1", "C0", "L2", "C1", "C2", "M0", "M1", "M2"]),
        ("M", ["L0", "L1", "C0", "L2", "C1", "M0", "C2", "M1", "M2"]),
    ],
)
def test_asked_for_one_type_a_lone_block_gives_the_nearest_alternate(wanted, given):
    """Three wordlines, relaxed. M after L1: no CSB 1 before LSB 2, so LSB is what is left."""
    frontier = Frontier(blocks=1, wordlines=3)
    assert frontier.asked(wanted * 9) == [f"0 {name}" for name in given]


def test_the_last_free_block_is_the_collectors_and_taken_last():
    frontier = Frontier(blocks=3, wordlines=2, reserved=1)
    assert frontier.made.heeds_page_types
    for left in range(17, 5, -1):
        assert frontier.made.has_room(0)
        frontier.asked("L", purpose=[HOST_DATA, MOVED_DATA][left % 2])
        assert frontier.made.free_pages(0) == left
    assert frontier.blocks.free_blocks(0) == 1
    assert not frontier.made.has_room(0)
    for _ in range(6):
        frontier.ask(0, purpose=MOVED_DATA)
    with pytest.raises(SimulationError, match="plane 0 has no page left to hand out"):
        frontier.ask(0, purpose=MOVED_DATA)


def pooled():
    """Return a frontier with block 0 in the MSB pool, 1 and 2 in the CSB pool, and 3 serving LSB."""
    frontier = Frontier(blocks=5, wordlines=3)
    frontier.asked("LLLLLLCCCLLLLL")
    assert (frontier.candidates("C"), frontier.candidates("M")) == ([1, 2], [0])
    return frontier


def test_the_last_resort_is_the_candidate_with_most_dead_pages():
    frontier = pooled()
    assert frontier.made.best_candidate(0) == -1
    frontier.die(2, 1)
    assert frontier.made.best_candidate(0) == 2
    frontier.die(0, 2)
    assert frontier.made.best_candidate(0) == 0
    frontier.die(1, 3)
    assert frontier.made.best_candidate(0) == 1


def test_the_last_resort_is_no_active_block():
    frontier = pooled()
    frontier.die(3, 2)
    assert frontier.made.best_candidate(0) == -1
    frontier.asked("C")
    frontier.die(1, 3)
    assert frontier.made.best_candidate(0) == -1
    frontier.asked("CC")
    assert frontier.made.best_candidate(0) == 1


def test_the_last_resort_has_no_program_on_its_way():
    frontier = Frontier(blocks=3, wordlines=2)
    frontier.asked("LL")
    ppas = [frontier.ask(1), frontier.ask(1)]
    frontier.die(0, 2)
    assert frontier.candidates("M") == [0]
    for ppa in ppas:
        assert frontier.made.best_candidate(0) == -1
        frontier.blocks.program(ppa)
    assert frontier.made.best_candidate(0) == 0


@pytest.mark.parametrize(("block", "letter", "wasted"), [(1, "C", 6), (0, "M", 3)])
def test_a_block_withdrawn_serves_no_more(block, letter, wasted):
    frontier = pooled()
    frontier.die(block, frontier.blocks.valid(block))
    frontier.made.withdraw(0, block)
    frontier.blocks.reclaim(block)
    assert frontier.blocks.wasted == wasted
    assert block not in frontier.candidates(letter)
    assert block not in frontier.made.open_blocks()
    assert block not in {int(name.split()[0]) for name in frontier.asked(letter * 3)}
    frontier.blocks.erase(block)
    assert [frontier.blocks.unwritten_of(block, page_type) for page_type in range(3)] == [3, 3, 3]
