"""Free blocks by wear, and the bitmap of valid pages at the borders of its words."""

import numpy as np
import pytest

from ssdsim._core.blocks import Blocks


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


@pytest.mark.parametrize("least_worn", [False, True])
def test_free_blocks_take_turns(least_worn):
    assert wear_out(Blocks(1, 3, 1, least_worn_first=least_worn), 7) == [0, 1, 2, 0, 1, 2, 0]


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


def test_the_least_worn_free_block_comes_first():
    blocks = Blocks(1, 3, 1, least_worn_first=True)
    kept = blocks.take_free(0)
    assert wear_out(blocks, 4) == [1, 2, 1, 2]
    use_up(blocks, kept)
    assert wear_out(blocks, 3) == [0, 1, 2]  # in order of release it would have come last


@pytest.mark.parametrize("pages", [1, 63, 64, 65, 256])
def test_the_last_page_of_a_block_is_found(pages):
    blocks = Blocks(1, 1, pages)
    block = blocks.take_free(0)
    for page in range(pages):
        blocks.append(block, page)
        blocks.program(page)
    for page in range(pages - 1):
        blocks.invalidate(page)
    assert blocks.next_valid(block, 0) == pages - 1
    assert blocks.next_valid(block, pages) == -1
    assert np.count_nonzero([blocks.is_valid(page) for page in range(pages)]) == 1
