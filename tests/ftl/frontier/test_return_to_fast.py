"""The frontier of rtfFTL: several blocks filled in a fixed order, of which one may be at a fast page."""

from ssdsim.config import FtlConfig, HardwareConfig
from ssdsim.ftl.frontier import ReturnToFastFrontier
from support.typed_frontier import Frontier


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
