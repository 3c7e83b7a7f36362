"""The recount of everything that blocks and their mapping keep count of."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from ssdsim._core.blocks cimport ACTIVE, COLLECTING, FREE, FULL, Block, Blocks, __builtin_ctzll
from ssdsim._core.program_order cimport MOST_TYPES
from ssdsim._core.table cimport IndexTable, look_up


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
                blocks.valid_in(aligned) if blocks.all_in(aligned, FULL) else -1
            ):
                return f"aligned blocks {aligned} count {blocks.valid_if_full[aligned]} valid pages while all are full"
            if blocks.all_in(aligned, FULL):
                dead += blocks.span * blocks.pages_per_block - blocks.valid_in(aligned)
                full[aligned] = blocks.rank(aligned)
        listed = {blocks.free.heap[first + i].block for i in range(blocks.free.count[unit])}
        if free != blocks.free.count[unit] or len(listed) != free or not all(
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
