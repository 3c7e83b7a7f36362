"""The frontier of flexFTL: the life cycle of a block (Fig. 6), and the slow-block queue."""

import pytest

from ssdsim import ConfigError
from ssdsim._core.blocks import STATES
from ssdsim.assembly.parts import Parts
from ssdsim.assembly.rules import check_rules
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import TwoPhaseFrontier
from support.bound import SEPARATIONS
from support.typed_frontier import Frontier

FULL = STATES.index("full")


def mlc(blocks, wordlines=3, **more):
    """Return a two-phase frontier over blocks of two page types."""
    return Frontier(blocks, wordlines, types=2, rule="rps", made=TwoPhaseFrontier, **more)


@pytest.mark.parametrize("plane", [0, 1])
def test_a_block_is_free_fast_slow_full_and_free_again(plane):
    frontier = mlc(blocks=2, planes=2)
    blocks, block = frontier.blocks, 2 * plane
    assert frontier.asked("LLL", plane) == [f"{block} L{k}" for k in range(3)]
    assert frontier.candidates("M", plane) == frontier.made.open_blocks() == [block]
    assert frontier.asked("MMM", plane) == [f"{block} M{k}" for k in range(3)]
    assert frontier.made.open_blocks() == [] and blocks.state(block) == FULL
    blocks.collect(block)
    frontier.die(block, 6)
    blocks.erase(block)
    assert frontier.asked("LLLL", plane) == [f"{block + 1} L0", f"{block + 1} L1", f"{block + 1} L2", f"{block} L0"]


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


@pytest.mark.parametrize("rule", ["strict", "fps"])
def test_an_order_without_two_phases_is_refused(tiny, rule):
    text = rf"ftl\.page_order=two_phase: .* flash\.program_order={rule} forbids; set that to rps\."
    ftl = {"page_order": "two_phase", "page_type": ["uniform"]}
    changes = {"hardware": {"bits_per_cell": 2, "pages_per_block": 6}, "flash": {"program_order": rule}, "ftl": ftl}
    with pytest.raises(ConfigError, match=text):
        check_rules(Parts(tiny(changes)))


@pytest.mark.parametrize("rule", ["strict", "fps", "relaxed", "rps"])
def test_an_order_in_which_that_makes_no_difference_is_not(tiny, rule):
    ftl = {"page_order": "two_phase", "page_type": ["uniform"]}
    check_rules(Parts(tiny({"hardware": {"pages_per_block": 3}, "flash": {"program_order": rule}, "ftl": ftl})))
    assert Frontier(2, 3, types=1, rule=rule, made=TwoPhaseFrontier).asked("LL") == ["0 L0", "0 L1"]
    assert Frontier(1, 2, types=2, rule=rule, made=TwoPhaseFrontier).asked("MMMM") == ["0 L0", "0 L1", "0 M0", "0 M1"]
