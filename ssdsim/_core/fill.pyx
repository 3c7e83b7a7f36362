"""Preconditioning at memory speed."""

from libc.stdint cimport int64_t, uint8_t

import numpy as np

from ssdsim._core.blocks cimport Blocks
from ssdsim._core.random cimport RandomStream
from ssdsim._core.table cimport IndexTable


def shuffled(int64_t count, RandomStream random) -> IndexTable:
    """Return the numbers below `count` in an order drawn at random."""
    cdef IndexTable order = IndexTable(count)
    cdef int64_t i
    for i in range(count):
        order.set(i, i)
    for i in range(count - 1, 0, -1):  # Fisher-Yates
        order.set(i, order.swap(<int64_t>random.below(i + 1), order.get(i)))
    return order


def fill_planes(
    Blocks blocks,
    IndexTable mapping,
    int64_t plane,
    int64_t together,
    int64_t[::1] numbers,
    const int64_t[::1] taken,
    int64_t valid_pages,
    RandomStream random,
    const uint8_t[::1] wanted=None,
):
    """Fill the blocks at the offsets `taken` of a plane, and make `valid_pages` of their pages valid, at random places.

    The blocks have been taken from the free ones. The logical pages that may lie in the plane are `numbers`. Which of
    them hold data is drawn at random, but those marked in `wanted` come first; which page holds which is random too. The
    other pages count as written and invalid.

    With `together` of more than one, as many planes from `plane` on are filled, and `numbers` are those of super pages
    of so many logical pages, which lie at the same position in each of these planes. `numbers` are shuffled on the way.
    """
    cdef int64_t logical_pages = len(numbers)
    cdef int64_t first = 0, i, j, block, lpa, slots = len(taken) * blocks.pages_per_block
    cdef int64_t left = valid_pages, offset
    cdef int page, each
    if wanted is not None:
        for i in range(logical_pages):
            if wanted[numbers[i]]:
                numbers[i], numbers[first] = numbers[first], numbers[i]
                first += 1
    for i in range(first, valid_pages):
        j = i + <int64_t>random.below(logical_pages - i)
        numbers[i], numbers[j] = numbers[j], numbers[i]
    for i in range(valid_pages - 1 if first else 0, 0, -1):
        j = <int64_t>random.below(i + 1)
        numbers[i], numbers[j] = numbers[j], numbers[i]
    for offset in taken:
        for page in range(blocks.pages_per_block):
            if left and <int64_t>random.below(slots) < left:
                left -= 1
                if left >= 16:   # called into the cache well before it is written to
                    mapping.prefetch(numbers[left - 16] * together)
                for each in range(together):
                    block = (plane + each) * blocks.blocks_per_plane + offset
                    lpa = numbers[left] * together + each
                    mapping.set(lpa, block * blocks.pages_per_block + page)
                    blocks.mark_valid(block, page, lpa)
            slots -= 1
        for each in range(together):
            blocks.fill_rest((plane + each) * blocks.blocks_per_plane + offset)


def fill_in_place(Blocks blocks, IndexTable mapping, int64_t aligned, const int64_t[::1] lpas):
    """Fill (aligned) block `aligned`, which has been taken, with the logical pages `lpas`; where one is -1 with nothing.

    They are those of its pages in the order in which rows are filled.
    """
    cdef int64_t offset, block, page
    for offset in range(len(lpas)):
        block, page = blocks.member(aligned, offset % blocks.span), offset // blocks.span
        if lpas[offset] >= 0:
            blocks.mark_valid(block, page, lpas[offset])
            mapping.set(lpas[offset], block * blocks.pages_per_block + page)
        else:
            blocks.spare.set(block * blocks.pages_per_block + page, -1)
    for offset in range(blocks.span):
        blocks.fill_rest(blocks.member(aligned, offset))
