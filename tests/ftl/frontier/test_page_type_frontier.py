"""The frontier of PA-SSD: its pools and active blocks (Fig. 9), its alternates (Fig. 10), and no way to get stuck."""

import pytest

from ssdsim.ftl.frontier.page_type import preferences
from support.typed_frontier import LETTERS, Frontier


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
