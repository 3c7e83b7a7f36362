"""Preconditioning at memory speed, and the recount of everything that a run keeps count of."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from ssdsim._core.blocks cimport ACTIVE, COLLECTING, FREE, FULL, Block, Blocks
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
    cdef int page
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
        b.written = b.programmed = blocks.pages_per_block
        b.state = FULL
        blocks.unwritten[plane] -= blocks.pages_per_block
        blocks.dead[plane] += blocks.pages_per_block - b.valid
        blocks.index.filled(block, plane, b.valid)


def recount(Blocks blocks, IndexTable mapping):
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    cdef int64_t plane, block, lpa, ppa, mapped = 0, valid = 0, unwritten, dead
    cdef int free, page, bits
    cdef Block* b
    for lpa in range(mapping.size):
        mapped += mapping.get(lpa) >= 0
    for plane in range(blocks.planes):
        free, unwritten, dead = 0, 0, 0
        full = {}
        for block in range(plane * blocks.blocks_per_plane, (plane + 1) * blocks.blocks_per_plane):
            b = &blocks.block[block]
            bits = 0
            for page in range(blocks.pages_per_block):
                if not blocks.bitmap[block * blocks.words + (page >> 6)] >> (page & 63) & 1:
                    continue
                bits += 1
                ppa = block * blocks.pages_per_block + page
                lpa = blocks.spare.get(ppa)
                if page >= b.written or lpa < 0 or mapping.get(lpa) != ppa:
                    return f"page {page} of block {block} is marked valid for logical page {lpa}, which is not mapped to it"
            valid += bits
            if bits != b.valid:
                return f"block {block} counts {b.valid} valid pages but its bitmap marks {bits}"
            if b.programmed > b.written or b.written > blocks.pages_per_block or b.readers < 0:
                return f"block {block} has programmed {b.programmed} of {b.written} written pages, {b.readers} readers"
            if b.state == FREE:
                free += 1
                if b.written:
                    return f"block {block} is free but {b.written} pages are written"
            elif b.state != ACTIVE and b.programmed != blocks.pages_per_block:
                return f"block {block} is full or being collected with {b.programmed} pages programmed"
            elif b.state == FULL:
                dead += blocks.pages_per_block - bits
                full[block] = bits
            unwritten += blocks.pages_per_block - b.written
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
    if mapped != valid:
        return f"{mapped} logical pages are mapped but {valid} physical pages are valid"
    return None
