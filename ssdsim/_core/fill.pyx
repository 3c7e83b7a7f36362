"""Preconditioning at memory speed, and the recount of everything that a run keeps count of."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

import numpy as np

from ssdsim._core.blocks cimport ACTIVE, COLLECTING, FREE, FULL, Block, Blocks, __builtin_ctzll
from ssdsim._core.program_order cimport MOST_TYPES
from ssdsim._core.random cimport RandomStream, drawn_below
from ssdsim._core.table cimport IndexTable, __builtin_prefetch, call_in, look_up, put


cdef int AHEAD = 16    # how many steps before it is used an entry is called into the cache


def shuffled(int64_t count, RandomStream random) -> IndexTable:
    """Return the numbers below `count` in an order drawn at random."""
    cdef IndexTable order = IndexTable(count, count)
    cdef int64_t[::1] drawn = np.empty(AHEAD, np.int64)
    cdef int64_t i, j, ahead = count - 1
    for i in range(count):
        order.set(i, i)
    for i in range(count - 1 + AHEAD, 0, -1):  # Fisher-Yates, whose partners are drawn well before they are swapped
        if i < count:
            j = drawn[i % AHEAD]
            order.set(i, order.swap(j, order.get(i)))
        if ahead > 0:
            j = <int64_t>random.below(ahead + 1)
            order.prefetch(j)
            drawn[ahead % AHEAD] = j
            ahead -= 1
    return order


def sort_by_place(IndexTable numbers, IndexTable place, int64_t places):
    """Make `numbers` the positions in `place`, by what stands there and then by themselves; each place is there as often."""
    cdef int64_t[::1] next_of = np.arange(places, dtype=np.int64) * (place.size // places)
    cdef int64_t number, at
    for number in range(place.size):
        at = place.get(number)
        numbers.set(next_of[at], number)
        next_of[at] += 1


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
    cdef int64_t[::1] drawn = np.empty(AHEAD, np.int64)
    cdef int64_t first = 0, i, j, ahead, block, lpa, ppa, slots = len(taken) * blocks.pages_per_block
    cdef int64_t left = valid_pages, offset
    cdef int page, each
    if wanted is not None:
        for i in range(logical_pages):
            if wanted[numbers[i]]:
                numbers[i], numbers[first] = numbers[first], numbers[i]
                first += 1
    for i in range(first - AHEAD, valid_pages):  # partners are drawn well before they are swapped
        if i >= first:
            j = drawn[i % AHEAD]
            numbers[i], numbers[j] = numbers[j], numbers[i]
        ahead = i + AHEAD
        if ahead < valid_pages:
            j = ahead + <int64_t>drawn_below(random, logical_pages - ahead)
            __builtin_prefetch(&numbers[j])
            drawn[ahead % AHEAD] = j
    for i in range(valid_pages - 1 if first else 0, 0, -1):
        j = <int64_t>random.below(i + 1)
        numbers[i], numbers[j] = numbers[j], numbers[i]
    for offset in taken:
        for page in range(blocks.pages_per_block):
            if left and <int64_t>drawn_below(random, slots) < left:
                left -= 1
                if left >= AHEAD:
                    call_in(mapping, numbers[left - AHEAD] * together)
                for each in range(together):
                    block = (plane + each) * blocks.blocks_per_plane + offset
                    lpa = numbers[left] * together + each
                    ppa = block * blocks.pages_per_block + page
                    put(mapping, lpa, ppa)
                    put(blocks.spare, ppa, lpa)
                    blocks.bitmap[block * blocks.words + (page >> 6)] |= <uint64_t>1 << (page & 63)
                    blocks.block[block].valid += 1
            slots -= 1
        for each in range(together):
            mark_full(blocks, (plane + each) * blocks.blocks_per_plane + offset)


def fill_in_place(Blocks blocks, int64_t aligned, const int64_t[::1] lpas):
    """Fill (aligned) block `aligned`, which has been taken, with the logical pages `lpas`; where one is -1 with nothing.

    They are those of its pages in the order in which rows are filled. The mapping is left to the caller.
    """
    cdef int64_t offset, block, ppa
    cdef int page
    for offset in range(len(lpas)):
        block = blocks.member(aligned, <int>(offset % blocks.span))
        page = <int>(offset // blocks.span)
        ppa = block * blocks.pages_per_block + page
        blocks.spare.set(ppa, lpas[offset])
        if lpas[offset] >= 0:
            blocks.bitmap[block * blocks.words + (page >> 6)] |= <uint64_t>1 << (page & 63)
            blocks.block[block].valid += 1
    for offset in range(blocks.span):
        mark_full(blocks, blocks.member(aligned, <int>offset))


cdef void mark_full(Blocks blocks, int64_t block) noexcept:
    """Count every page of `block`, which has been taken, as written and programmed."""
    cdef Block* b = &blocks.block[block]
    cdef int page_type
    for page_type in range(blocks.page_types):
        b.written[page_type] = b.programmed[page_type] = <uint16_t>blocks.order.wordlines
        blocks.unwritten_by_type[page_type] -= blocks.order.wordlines
    b.state = FULL
    blocks.unwritten[blocks.unit_of(block)] -= blocks.pages_per_block
    blocks.filled(block)


def recount(Blocks blocks, IndexTable mapping) -> str | None:
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    cdef int64_t unit, block, aligned, lpa, ppa, mapped = 0, valid = 0, unwritten, dead, first
    cdef int free, page, bits, page_type, written, programmed, place, word
    cdef uint64_t marked
    cdef int64_t[MOST_TYPES] by_type
    cdef Block* b
    memset(by_type, 0, sizeof(by_type))
    for lpa in range(mapping.size):
        mapped += look_up(mapping, lpa) >= 0
    for unit in range(blocks.units):
        first = unit * blocks.blocks_per_plane
        free, unwritten, dead = 0, 0, 0
        full = {}
        for aligned in range(first, first + blocks.blocks_per_plane):
            for place in range(blocks.span):
                block = blocks.member(aligned, place)
                b = &blocks.block[block]
                bits, written, programmed = 0, blocks.written(block), blocks.programmed(block)
                for word in range(blocks.words):
                    marked = blocks.bitmap[block * blocks.words + word]
                    while marked:
                        page = (word << 6) + __builtin_ctzll(marked)
                        marked &= marked - 1
                        bits += 1
                        ppa = block * blocks.pages_per_block + page
                        lpa = look_up(blocks.spare, ppa) if page < blocks.pages_per_block else -1
                        page_type = blocks.order.type_at[page] if lpa >= 0 else 0
                        if lpa < 0 or blocks.order.wordline_at[page] >= b.written[page_type] or look_up(mapping, lpa) != ppa:
                            return (
                                f"page {page} of block {block} is marked valid for logical page {lpa}, which is not "
                                "mapped to it"
                            )
                valid += bits
                if bits != b.valid:
                    return f"block {block} counts {b.valid} valid pages but its bitmap marks {bits}"
                if b.readers < 0:
                    return f"block {block} has {b.readers} readers"
                for page_type in range(blocks.page_types):
                    if b.programmed[page_type] > b.written[page_type] or b.written[page_type] > blocks.order.wordlines:
                        return (
                            f"block {block} has programmed {b.programmed[page_type]} of {b.written[page_type]} pages of "
                            f"type {page_type} handed out"
                        )
                    if b.slc:
                        if page_type and b.programmed[page_type] != blocks.order.wordlines:
                            return f"block {block} is in SLC mode with pages of type {page_type}"
                    elif b.state == ACTIVE or b.state == FULL or blocks.all_in(aligned, FREE):
                        by_type[page_type] += blocks.order.wordlines - b.written[page_type]
                        unwritten += blocks.order.wordlines - b.written[page_type]
                if b.state == FREE and written:
                    return f"block {block} is free but {written} pages are written"
                if b.state == COLLECTING and programmed != written:
                    return f"block {block} is being collected with {written - programmed} programs on their way"
                if b.state == FULL and programmed != blocks.pages_per_block:
                    return f"block {block} is full with {programmed} pages programmed"
            free += blocks.all_in(aligned, FREE)
            if blocks.span > 1 and blocks.valid_if_full[aligned] != (
                blocks.total_valid(aligned) if blocks.all_in(aligned, FULL) else -1
            ):
                return f"aligned blocks {aligned} count {blocks.valid_if_full[aligned]} valid pages while all are full"
            if blocks.all_in(aligned, FULL):
                dead += blocks.span * blocks.pages_per_block - blocks.total_valid(aligned)
                full[aligned] = blocks.rank(aligned)
        listed = {blocks.heap[first + i].block for i in range(blocks.free_count[unit])}
        if free != blocks.free_count[unit] or len(listed) != free or not all(
            blocks.state(blocks.member(x, 0)) == FREE for x in listed
        ):
            return f"unit {unit} has {free} free blocks but lists {sorted(listed)}"
        if unwritten != blocks.unwritten[unit] or dead != blocks.dead[unit]:
            return (
                f"unit {unit} has {unwritten} unwritten and {dead} dead pages but counts {blocks.unwritten[unit]} "
                f"and {blocks.dead[unit]}"
            )
        held = blocks.index.holdings(unit)
        if held is not None and (
            {x for x, _ in held} != set(full) or any(n not in (-1, full[x]) for x, n in held)
        ):
            return f"unit {unit} has the full blocks {full} but its victim index holds {held}"
    for page_type in range(blocks.page_types):
        if by_type[page_type] != blocks.unwritten_by_type[page_type]:
            return (
                f"{by_type[page_type]} pages of type {page_type} can be handed out but "
                f"{blocks.unwritten_by_type[page_type]} are counted"
            )
    if mapped != valid:
        return f"{mapped} logical pages are mapped but {valid} physical pages are valid"
    return None
