"""Free blocks by their addresses, and aligned blocks through erases that are cut short and being set aside."""

import numpy as np
import pytest

from ssdsim._core.blocks import STATES, Blocks
from ssdsim._core.rebuild import Rebuild, programmed_pages, take_cells
from ssdsim._core.recount import recount
from ssdsim._core.table import IndexTable
from ssdsim._core.victim_index import ValidCountBuckets
from ssdsim.errors import FlashError


def use_up(blocks, block):
    """Write a page of `block`, which has one, and erase it."""
    ppa = blocks.append(block, 0)
    blocks.program(ppa)
    blocks.invalidate(ppa)
    blocks.collect(block)
    blocks.erase(block)


def wear_out(blocks, times):
    """Use and erase `times` blocks, one after another, and return them."""
    used = []
    for _ in range(times):
        block = blocks.take_free(0)
        use_up(blocks, block)
        used.append(block)
    return used


def test_free_blocks_are_taken_round_their_addresses():
    """The first behind the one taken last, however long another has been free."""
    blocks = Blocks(2, 4, 1, by_address=True)
    first, second, third = (blocks.take_free(0) for _ in range(3))
    assert (first, second, third, blocks.take_free(1)) == (0, 1, 2, 4)
    for block in (second, first):
        use_up(blocks, block)
    assert [blocks.take_free(0) for _ in range(3)] == [3, first, second]
    use_up(blocks, third)
    assert wear_out(blocks, 3) == [third, third, third]


@pytest.mark.parametrize(("by_least", "expected"), [(False, 1), (True, 0)])
def test_ranking_by_the_least_valid_block_takes_its_twins_along_whatever_they_hold(by_least, expected):
    """Of aligned blocks with 0 and 4 valid pages, and with 1 and 1: TwinBlk chooses the first, SPD the second."""
    index = ValidCountBuckets(1, 2, 8)
    blocks = Blocks(2, 2, 4, index, span=2, by_least=by_least)
    for offset, kept in enumerate([(0, 4), (1, 1)]):
        blocks.take_free(0)
        for place, valid in enumerate(kept):
            for page in range(4):
                ppa = blocks.append(blocks.member(offset, place), page)
                blocks.program(ppa)
                if page >= valid:
                    blocks.invalidate(ppa)
    assert index.least_valid(0) == expected


@pytest.mark.parametrize(("rounds", "free"), [((1, 0, 0, 0), 2), ((0, 0, 255, 0), 2), ((0, 0, 0, 0), 1)])
def test_an_erase_that_a_loss_of_power_cut_short_is_finished(rounds, free):
    """Block 2 still holds a page, which a trim may have been about; if block 0 was erased, so is block 2."""
    blocks = Blocks(2, 2, 1, span=2)
    spare, mapping = IndexTable(4), IndexTable(1)
    spare.set(2, 0)
    programmed = np.zeros((4, 4), np.uint16)
    programmed[2, 0] = 1
    take_cells(
        blocks, spare, programmed, np.array([5, 0, 3, 0], np.int32), np.array(rounds, np.uint8), np.zeros(4, np.uint8)
    )
    held, nothing = np.array([0, 0, 1, 0]), np.zeros(0, np.int64)
    _, erased = Rebuild(blocks, mapping, held, held, nothing).run()
    assert erased == ([2] if free == 2 else [])
    assert (blocks.free_blocks(0), mapping.get(0)) == (free, -1 if free == 2 else 2)
    assert (blocks.erases(0), blocks.erases(2), blocks.wear(0)) == (5, 3 + (free == 2), 5)


def test_aligned_blocks_that_are_set_aside_are_erased_one_by_one_and_given_back_together():
    """Of two planes of two blocks of one page each."""
    blocks = Blocks(2, 2, 1, span=2)
    aside = blocks.set_aside(0)
    assert (aside, blocks.free_blocks(0), blocks.free_pages(0), blocks.free_of_type(0)) == (0, 1, 2, 2)
    blocks.program(blocks.hand_out(2, 0, -1))
    with pytest.raises(FlashError, match="not erased"):
        blocks.give_back(0)
    blocks.erase(2)
    assert [STATES[blocks.state(block)] for block in range(4)] == ["set aside", "free", "set aside", "free"]
    blocks.give_back(0)
    assert (blocks.free_blocks(0), blocks.free_pages(0), blocks.erases(0), blocks.erases(2)) == (2, 4, 0, 1)
    assert recount(blocks, IndexTable(1)) is None
    with pytest.raises(FlashError, match="not set aside"):
        blocks.give_back(0)


def test_blocks_that_were_set_aside_hold_data_after_a_loss_of_power_whatever_their_erases():
    """Block 1 was erased more often than block 0; both hold a page of data now."""
    blocks = Blocks(2, 1, 1, span=2)
    for _ in range(2):
        assert blocks.set_aside(0) == 0
        blocks.program(blocks.hand_out(1, 0, -1))
        blocks.erase(1)
        blocks.give_back(0)
    blocks.take_free(0)
    for lpa, block in enumerate((0, 1)):
        blocks.program(blocks.append(block, lpa))
    again = Blocks(2, 1, 1, span=2)
    take_cells(again, blocks.spare, *programmed_pages(blocks))
    versions = np.array([1, 1])
    mapping = IndexTable(2)
    _, erased = Rebuild(again, mapping, versions, versions, np.zeros(0, np.int64)).run()
    assert (erased, mapping.get(0), mapping.get(1)) == ([], 0, 1)
    assert (again.erases(0), again.erases(1)) == (0, 2)
