"""The frontier of rtfFTL: several blocks filled in a fixed order, of which one may be at a fast page."""

import pytest

from ssdsim import SimulationError
from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import ReturnToFastFrontier
from support.bound import MOVED_DATA
from support.typed_frontier import Frontier


def mlc(blocks, active, wordlines=3, **more):
    """Return a frontier with so many active blocks of two page types, whose order is L0 L1 M0 L2 M1 M2."""
    return Frontier(
        blocks, wordlines, 2, "fps", made=ReturnToFastFrontier, return_to_fast_blocks=active, reserved=1, **more
    )


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


def test_the_last_free_block_is_the_collectors_and_taken_last():
    frontier = mlc(blocks=3, active=3)
    assert frontier.made.heeds_page_types
    assert frontier.asked("LLLLL") == ["0 L0", "0 L1", "1 L0", "1 L1", "0 M0"]
    assert frontier.asked("L", purpose=MOVED_DATA) == ["0 L2"]
    assert frontier.asked("L", purpose=MOVED_DATA) == ["0 M1"]
    for _ in range(5):
        assert frontier.made.has_room(0)
        frontier.asked("L")
    assert frontier.blocks.free_pages(0) == 6 and frontier.blocks.free_blocks(0) == 1
    assert not frontier.made.has_room(0)
    frontier.asked("M" * 6, purpose=MOVED_DATA)
    with pytest.raises(SimulationError, match="plane 0 has no page left to hand out"):
        frontier.ask(0, purpose=MOVED_DATA)
