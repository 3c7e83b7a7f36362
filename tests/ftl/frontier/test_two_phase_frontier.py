"""The frontier of flexFTL: the life cycle of a block (Fig. 6), and the slow-block queue."""

from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import TwoPhaseFrontier
from support.bound import SEPARATIONS
from support.typed_frontier import Frontier


def mlc(blocks, wordlines=3, **more):
    """Return a two-phase frontier over blocks of two page types."""
    return Frontier(blocks, wordlines, types=2, rule="rps", made=TwoPhaseFrontier, **more)


def test_a_fast_and_a_slow_block_are_active_at_once():
    frontier = mlc(blocks=4)
    assert frontier.asked("LLLLL") == ["0 L0", "0 L1", "0 L2", "1 L0", "1 L1"]
    assert frontier.asked("MLMLM") == ["0 M0", "1 L2", "0 M1", "2 L0", "0 M2"]
    made = TwoPhaseFrontier()
    made.separation = SEPARATIONS["shared"]()
    assert made.active_blocks(HardwareConfig(bits_used=2), FtlConfig(active_blocks="shared")) == 2


def test_without_a_slow_block_an_lsb_page_is_given():
    """Footnote 1. The frontier of PA-SSD would have its fast block give MSB pages."""
    frontier = mlc(blocks=2)
    assert frontier.asked("MMMM") == ["0 L0", "0 L1", "0 L2", "0 M0"]
    assert frontier.asked("MMM") == ["0 M1", "0 M2", "1 L0"]
    assert Frontier(2, 3, types=2, rule="rps").asked("MMM") == ["0 L0", "0 L1", "0 M0"]
