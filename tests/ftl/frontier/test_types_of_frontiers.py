"""Frontiers that heed page types, page by page: PA-SSD's pools (Fig. 9 and 10), and those of flexFTL and rtfFTL."""

from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import ReturnToFastFrontier, TwoPhaseFrontier
from support.bound import SEPARATIONS
from support.typed_frontier import Frontier


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


def test_eight_blocks_that_return_to_fast_give_eight_fast_pages_in_a_row():
    """flexFTL, 5: of 8 active blocks a chip, 8 LSB pages in succession."""
    hardware, config = HardwareConfig(bits_used=2), FtlConfig(active_blocks="separate")
    assert ReturnToFastFrontier().active_blocks(hardware, config) == 8
    frontier = Frontier(12, 16, 2, "fps", made=ReturnToFastFrontier)
    frontier.asked("L" * 16)
    for _ in range(10):
        given_pages = frontier.asked("M" * 8) + frontier.asked("L" * 9)
        assert "".join(name.split()[1][0] for name in given_pages) == "M" * 8 + "L" * 8 + "M"
        frontier.asked("L")


def test_in_two_phases_a_fast_and_a_slow_block_are_active_at_once():
    frontier = Frontier(4, 3, 2, "rps", made=TwoPhaseFrontier)
    assert frontier.asked("LLLLL") == ["0 L0", "0 L1", "0 L2", "1 L0", "1 L1"]
    assert frontier.asked("MLMLM") == ["0 M0", "1 L2", "0 M1", "2 L0", "0 M2"]
    made = TwoPhaseFrontier()
    made.separation = SEPARATIONS["shared"]()
    assert made.active_blocks(HardwareConfig(bits_used=2), FtlConfig(active_blocks="shared")) == 2
