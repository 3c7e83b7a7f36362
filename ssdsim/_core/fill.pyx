"""Preconditioning at memory speed, and the recount of everything that a run keeps count of."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

import numpy as np

from ssdsim._core.blocks cimport COLLECTING, FREE, FULL, Block, Blocks
from ssdsim._core.program_order cimport MOST_TYPES
from ssdsim._core.random cimport RandomStream
from ssdsim._core.table cimport IndexTable


def fill_plane(
    Blocks blocks,
    IndexTable mapping,
    int64_t plane,
    int64_t place,
    int64_t logical_pages,
    int64_t filled_blocks,
    int64_t valid_pages,
    RandomStream random,
    const uint8_t[::1] wanted=None,
):
    """Fill `filled_blocks` free blocks of `plane` and make `valid_pages` of their pages valid, at random places.

    The plane's logical pages are those at `place` in the stripe over all planes: k * planes + place for k below
    `logical_pages`. Which of them hold data is drawn at random, but those marked in `wanted` (by LPA) come first;
    which page holds which is random too. The other pages count as written and invalid.
    """
    cdef int32_t[::1] order = np.arange(logical_pages, dtype=np.int32)
    cdef int64_t first = 0, i, j, block, lpa, ppa, slots = filled_blocks * blocks.pages_per_block
    cdef int64_t left = valid_pages
    cdef int32_t k
    cdef int page, page_type
    cdef Block* b
    if wanted is not None:
        for i in range(logical_pages):
            if wanted[i * blocks.planes + place]:
                order[i], order[first] = order[first], order[i]
                first += 1
    for i in range(first, valid_pages):
        j = i + <int64_t>random.below(logical_pages - i)
        k, order[i] = order[i], order[j]
        order[j] = k
    for i in range(valid_pages - 1 if first else 0, 0, -1):
        j = <int64_t>random.below(i + 1)
        k, order[i] = order[i], order[j]
        order[j] = k
    for _ in range(filled_blocks):
        block = blocks.take_free(plane)
        b = &blocks.block[block]
        for page in range(blocks.pages_per_block):
            if left and <int64_t>random.below(slots) < left:
                left -= 1
                lpa = <int64_t>order[left] * blocks.planes + place
                ppa = block * blocks.pages_per_block + page
                mapping.set(lpa, ppa)
                blocks.spare.set(ppa, lpa)
                blocks.bitmap[block * blocks.words + (page >> 6)] |= <uint64_t>1 << (page & 63)
                b.valid += 1
            slots -= 1
        for page_type in range(blocks.page_types):
            b.written[page_type] = b.programmed[page_type] = <uint16_t>blocks.order.wordlines
            blocks.unwritten_by_type[page_type] -= blocks.order.wordlines
        b.state = FULL
        blocks.unwritten[plane] -= blocks.pages_per_block
        blocks.dead[plane] += blocks.pages_per_block - b.valid
        blocks.index.filled(block, plane, b.valid)


def recount(Blocks blocks, IndexTable mapping):
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    cdef int64_t plane, block, lpa, ppa, mapped = 0, valid = 0, unwritten, dead
    cdef int free, page, bits, page_type, written, programmed
    cdef int64_t[MOST_TYPES] by_type
    cdef Block* b
    memset(by_type, 0, sizeof(by_type))
    for lpa in range(mapping.size):
        mapped += mapping.get(lpa) >= 0
    for plane in range(blocks.planes):
        free, unwritten, dead = 0, 0, 0
        full = {}
        for block in range(plane * blocks.blocks_per_plane, (plane + 1) * blocks.blocks_per_plane):
            b = &blocks.block[block]
            bits, written, programmed = 0, blocks.written(block), blocks.programmed(block)
            for page in range(blocks.pages_per_block):
                if not blocks.bitmap[block * blocks.words + (page >> 6)] >> (page & 63) & 1:
                    continue
                bits += 1
                ppa = block * blocks.pages_per_block + page
                lpa = blocks.spare.get(ppa)
                page_type = blocks.order.type_at[page]
                if blocks.order.wordline_at[page] >= b.written[page_type] or lpa < 0 or mapping.get(lpa) != ppa:
                    return f"page {page} of block {block} is marked valid for logical page {lpa}, which is not mapped to it"
            valid += bits
            if bits != b.valid:
                return f"block {block} counts {b.valid} valid pages but its bitmap marks {bits}"
            if b.readers < 0:
                return f"block {block} has {b.readers} readers"
            for page_type in range(blocks.page_types):
                if b.programmed[page_type] > b.written[page_type] or b.written[page_type] > blocks.order.wordlines:
                    return (
                        f"block {block} has programmed {b.programmed[page_type]} of {b.written[page_type]} pages of type "
                        f"{page_type} handed out"
                    )
                if b.state != COLLECTING:
                    by_type[page_type] += blocks.order.wordlines - b.written[page_type]
                    unwritten += blocks.order.wordlines - b.written[page_type]
            if b.state == FREE:
                free += 1
                if written:
                    return f"block {block} is free but {written} pages are written"
            elif b.state == COLLECTING and programmed != written:
                return f"block {block} is being collected with {written - programmed} programs on their way"
            elif b.state == FULL and programmed != blocks.pages_per_block:
                return f"block {block} is full with {programmed} pages programmed"
            elif b.state == FULL:
                dead += blocks.pages_per_block - bits
                full[block] = bits
        listed = {blocks.heap[plane * blocks.blocks_per_plane + i].block for i in range(blocks.free_count[plane])}
        if free != blocks.free_count[plane] or len(listed) != free or any(blocks.state(x) != FREE for x in listed):
            return f"plane {plane} has {free} free blocks but lists {sorted(listed)}"
        if unwritten != blocks.unwritten[plane] or dead != blocks.dead[plane]:
            return (
                f"plane {plane} has {unwritten} unwritten and {dead} dead pages but counts {blocks.unwritten[plane]} "
                f"and {blocks.dead[plane]}"
            )
        held = blocks.index.holdings(plane)
        if held is not None and (
            {x for x, _ in held} != set(full) or any(n not in (-1, full[x]) for x, n in held)
        ):
            return f"plane {plane} has the full blocks {full} but its victim index holds {held}"
    for page_type in range(blocks.page_types):
        if by_type[page_type] != blocks.unwritten_by_type[page_type]:
            return (
                f"{by_type[page_type]} pages of type {page_type} can be handed out but "
                f"{blocks.unwritten_by_type[page_type]} are counted"
            )
    if mapped != valid:
        return f"{mapped} logical pages are mapped but {valid} physical pages are valid"
    return None
