"""When static wear leveling moves cold data, by counts of erases worked out by hand."""

import pytest

from ssdsim._core.blocks import Blocks
from ssdsim.ftl.reclaim.victims import WearLeveling


def wear(blocks, block):
    """Write and erase `block`, which has been taken, and take it again: it is the only free one."""
    blocks.program(blocks.append(block, 0))
    blocks.invalidate(block)
    blocks.collect(block)
    blocks.erase(block)
    assert blocks.take_free(0) == block


@pytest.mark.parametrize(("worn", "found"), [(0, [-1, -1, 0, 0]), (1, [-1, -1, -1, 0])])
def test_cold_data_is_moved_when_another_block_has_over_threshold_erases_more(worn, found):
    """Block 0 has been erased not at all or once and is full; block 1 is erased 1, 2, 3 and 4 times; 3 - 0, 4 - 1 > 2.

    With block 0 erased once, block 1 has 3 erases more than the 0 known before, but 2 more than what is found.
    """
    blocks = Blocks(1, 2, 1)
    leveling = WearLeveling(blocks, 2)
    cold, hot = blocks.take_free(0), blocks.take_free(0)
    for _ in range(worn):
        wear(blocks, cold)
        leveling.block_erased(cold)
    blocks.program(blocks.append(cold, 0))
    answers = []
    for _ in found:
        wear(blocks, hot)
        leveling.block_erased(hot)
        answers.append(leveling.cold_block(0))
    assert answers == found
    assert leveling.cold_block(0) == -1  # told once
