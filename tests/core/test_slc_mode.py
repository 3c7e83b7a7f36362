"""Blocks that store one bit a cell for a while: what is room, what is dead, and what a loss of power leaves of them."""

import numpy as np
import pytest

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim._core.rebuild import Rebuild, programmed_pages, take_cells
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim.errors import FlashError


def fresh(span=1):
    """Return two blocks in each of `span` planes, of two wordlines of three pages: L0, L1, C0, C1, M0, M1."""
    return Blocks(span, 2, 6, order=ProgramOrder(2, 3), span=span)


def write(blocks, aligned, lpa, mapping):
    """Write `lpa` to the next page in SLC mode and return its number in the block."""
    block = blocks.next_member(aligned, 0)
    page = blocks.candidate(block, 0)
    ppa = blocks.hand_out(block, page, lpa)
    mapping.set(lpa, ppa)
    blocks.program(ppa)
    return page


@pytest.mark.parametrize("kept", [True, False])
def test_a_block_has_a_page_a_wordline_until_it_is_erased(kept):
    """None of its pages is room; a kept one has no dead pages to be won, and is in no index of victims."""
    blocks, mapping = fresh(), IndexTable(2)
    taken = blocks.take_free(0)
    blocks.open_slc(taken, kept)
    assert (blocks.free_pages(0), [blocks.free_of_type(each) for each in range(3)]) == (6, [2, 2, 2])
    assert [write(blocks, taken, lpa, mapping) for lpa in (0, 1)] == [0, 1]
    assert blocks.candidate(taken, 0) == -1 and blocks.type_of(taken * 6) == -1
    assert [blocks.column(name)[taken] for name in ("written", "programmed", "valid")] == [2, 2, 2]
    assert (STATES[blocks.state(taken)], blocks.dead_pages(0)) == (("cached", 0) if kept else ("full", 4))
    assert recount(blocks, mapping) is None
    blocks.collect(taken)
    for lpa in (0, 1):
        blocks.invalidate(mapping.get(lpa))
        mapping.set(lpa, -1)
    blocks.erase(taken)
    assert (blocks.slc(taken), blocks.free_pages(0), blocks.type_of(taken * 6 + 2)) == (0, 12, 1)
    assert recount(blocks, mapping) is None
    blocks.append(blocks.take_free(0), 0)
    with pytest.raises(FlashError, match="out of order"):
        blocks.program(6 * 1 + 1)  # the strict rule is back


def test_the_mode_outlasts_a_loss_of_power_unless_nothing_was_written():
    """Aligned blocks are in one mode together, though the second of them holds nothing yet."""
    blocks, mapping = fresh(span=2), IndexTable(1)
    first, second = blocks.take_free(0), blocks.take_free(0)
    blocks.open_slc(first, True)
    blocks.open_slc(second, True)
    write(blocks, first, 0, mapping)
    cells = programmed_pages(blocks)
    assert cells[0].sum() == 1
    again, versions = fresh(span=2), np.zeros(24, np.int64)
    versions[0] = 1
    take_cells(again, blocks.spare, *cells)
    rebuilt = IndexTable(1)
    unfinished, erased = Rebuild(again, rebuilt, versions, versions, np.zeros(0, np.int64)).run()
    assert (unfinished, erased, rebuilt.get(0)) == ([first], [], 0)
    assert [again.slc(again.member(first, place)) for place in (0, 1)] == [2, 2]
    assert (again.slc(second), again.free_blocks(0), again.free_pages(0)) == (0, 1, 12)
    assert recount(again, rebuilt) is None
    assert write(again, first, 0, IndexTable(1)) == 0 and again.next_member(first, 0) == first
