"""The recount of everything that blocks and their mapping keep count of."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from ssdsim._core.bits cimport lowest_bit
from ssdsim._core.blocks cimport ACTIVE, COLLECTING, FREE, FULL, Blocks
from ssdsim._core.program_order cimport MOST_TYPES
from ssdsim._core.table cimport IndexTable


def recount(Blocks blocks, IndexTable mapping) -> str | None:
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    cdef int64_t unit, block, aligned, lpa, ppa, mapped = 0, valid = 0, unwritten, dead, first
    cdef int64_t free, page, bits, page_type, written, programmed, place, word, state, of_type, done
    cdef uint64_t marked
    cdef int64_t[MOST_TYPES] by_type
    memset(by_type, 0, sizeof(by_type))
    for lpa in range(mapping.size):
        mapped += mapping.get(lpa) >= 0
    for unit in range(blocks.units):
        first = unit * blocks.blocks_per_plane
        free, unwritten, dead = 0, 0, 0
        full = {}
        for aligned in range(first, first + blocks.blocks_per_plane):
            for place in range(blocks.span):
                block = blocks.member(aligned, place)
                state = blocks._state[block]
                bits, written, programmed = 0, blocks.written(block), blocks.programmed(block)
                for word in range(blocks._words):
                    marked = blocks._bitmap[block * blocks._words + word]
                    while marked:
                        page = (word << 6) + lowest_bit(marked)
                        marked &= marked - 1
                        bits += 1
                        ppa = block * blocks.pages_per_block + page
                        lpa = blocks.spare.get(ppa) if page < blocks.pages_per_block else -1
                        page_type = blocks.order.type_at[page] if lpa >= 0 else 0
                        of_type = blocks._counts[MOST_TYPES * block + page_type]
                        if lpa < 0 or blocks.order.wordline_at[page] >= of_type or mapping.get(lpa) != ppa:
                            return (
                                f"page {page} of block {block} is marked valid for logical page {lpa}, which is not "
                                "mapped to it"
                            )
                valid += bits
                if bits != blocks.valid(block):
                    return f"block {block} counts {blocks.valid(block)} valid pages but its bitmap marks {bits}"
                if blocks.readers(block) < 0:
                    return f"block {block} has {blocks.readers(block)} readers"
                for page_type in range(blocks.page_types):
                    of_type = blocks._counts[MOST_TYPES * block + page_type]
                    done = blocks._counts[blocks._programmed + MOST_TYPES * block + page_type]
                    if done > of_type or of_type > blocks.order.wordlines:
                        return f"block {block} has programmed {done} of {of_type} pages of type {page_type} handed out"
                    if blocks._slc[block]:
                        if page_type and done != blocks.order.wordlines:
                            return f"block {block} is in SLC mode with pages of type {page_type}"
                    elif state == ACTIVE or state == FULL or blocks.all_in(aligned, FREE):
                        by_type[page_type] += blocks.order.wordlines - of_type
                        unwritten += blocks.order.wordlines - of_type
                if state == FREE and written:
                    return f"block {block} is free but {written} pages are written"
                if state == COLLECTING and programmed != written:
                    return f"block {block} is being collected with {written - programmed} programs on their way"
                if state == FULL and programmed != blocks.pages_per_block:
                    return f"block {block} is full with {programmed} pages programmed"
            free += blocks.all_in(aligned, FREE)
            if blocks.span > 1 and blocks._valid_if_full[aligned] != (
                blocks.valid_in(aligned) if blocks.all_in(aligned, FULL) else -1
            ):
                return f"aligned blocks {aligned} count {blocks._valid_if_full[aligned]} valid pages while all are full"
            if blocks.all_in(aligned, FULL):
                dead += blocks.span * blocks.pages_per_block - blocks.valid_in(aligned)
                full[aligned] = blocks.rank(aligned)
        listed = {blocks.free.blocks[first + i] for i in range(blocks.free.counts[unit])}
        if free != blocks.free.counts[unit] or len(listed) != free or not all(
            blocks.state(blocks.member(x, 0)) == FREE for x in listed
        ):
            return f"unit {unit} has {free} free blocks but lists {sorted(listed)}"
        if unwritten != blocks._unwritten[unit] or dead != blocks._dead[unit]:
            return (
                f"unit {unit} has {unwritten} unwritten and {dead} dead pages but counts {blocks._unwritten[unit]} "
                f"and {blocks._dead[unit]}"
            )
        held = blocks.index.holdings(unit)
        if held is not None and (
            {x for x, _ in held} != set(full) or any(n not in (-1, full[x]) for x, n in held)
        ):
            return f"unit {unit} has the full blocks {full} but its victim index holds {held}"
    for page_type in range(blocks.page_types):
        if by_type[page_type] != blocks._unwritten_by_type[page_type]:
            return (
                f"{by_type[page_type]} pages of type {page_type} can be handed out but "
                f"{blocks._unwritten_by_type[page_type]} are counted"
            )
    if mapped != valid:
        return f"{mapped} logical pages are mapped but {valid} physical pages are valid"
    return None
