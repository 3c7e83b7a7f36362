"""What outlasts a loss of power: the state of the cells, and the books that are made of it anew."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

import numpy as np

from ssdsim._core.blocks cimport ACTIVE, FREE, SET_ASIDE, Block, Blocks
from ssdsim._core.program_order cimport MOST_TYPES
from ssdsim._core.table cimport IndexTable

cdef extern from *:
    """
    static inline unsigned long long mix64(unsigned long long x) {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
        return x ^ (x >> 31);
    }
    """
    uint64_t mix64(uint64_t x) noexcept nogil


cpdef int64_t content_word(int64_t lpa, int64_t version) noexcept:
    """Return the word that stands for the data of `version` of logical page `lpa`: a hash of the two."""
    return <int64_t>mix64(mix64(<uint64_t>lpa + 0x9E3779B97F4A7C15) + <uint64_t>version)


def programmed_pages(
    Blocks blocks,
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return, as NumPy arrays, how many pages of each type the cells of each block hold, its erases, rounds and mode.

    The mode is that of `Blocks.slc`, which stands in the spare area of the pages: an empty block has none.
    """
    cdef uint16_t[:, ::1] programmed = np.empty((blocks.count, MOST_TYPES), np.uint16)
    cdef int32_t[::1] erases = np.empty(blocks.count, np.int32)
    cdef uint8_t[::1] rounds = np.empty(blocks.count, np.uint8)
    cdef uint8_t[::1] slc = np.empty(blocks.count, np.uint8)
    cdef int64_t block
    cdef int each
    for block in range(blocks.count):
        erases[block] = blocks.block[block].erases
        rounds[block] = blocks.block[block].round
        slc[block] = blocks.block[block].slc
        for each in range(MOST_TYPES):
            programmed[block, each] = 0 if slc[block] and each else blocks.block[block].programmed[each]
    return np.asarray(programmed), np.asarray(erases), np.asarray(rounds), np.asarray(slc)


def take_cells(
    Blocks blocks,
    IndexTable spare,
    const uint16_t[:, ::1] programmed,
    const int32_t[::1] erases,
    const uint8_t[::1] rounds,
    const uint8_t[::1] slc,
):
    """Have fresh `blocks` hold what the cells do: the arrays are those of `programmed_pages`."""
    cdef int64_t block
    cdef int each
    cdef Block* b
    blocks.spare = spare
    for block in range(blocks.count):
        b = &blocks.block[block]
        b.erases = erases[block]
        b.round = rounds[block]
        for each in range(MOST_TYPES):
            b.written[each] = b.programmed[each] = programmed[block, each]
        if slc[block] and in_use(blocks, programmed, block):
            b.slc = slc[block]
            blocks.fill_upper(block)


cdef bint in_use(Blocks blocks, const uint16_t[:, ::1] programmed, int64_t block) noexcept:
    """Return whether `block`, or one of those aligned with it, holds anything."""
    cdef int place
    for place in range(blocks.span):
        if programmed[blocks.member(blocks.aligned_of(block), place), 0]:
            return True
    return False


def rebuild(
    Blocks blocks,
    IndexTable mapping,
    const int64_t[::1] versions,
    const int64_t[::1] stamps,
    const int64_t[::1] set_aside,
    dict restorable,
) -> tuple[list[int], list[int]]:
    """Make `blocks`, after `take_cells`, and an empty `mapping` what the cells say.

    Return (aligned) blocks to go on with, and those erased. `versions` and `stamps` are by PPA: the version of the data
    of a page, negative where it cannot be read, and the place of the write in the order of all. Of several copies of a
    logical page the newest version counts, and of these the last one. Blocks in `set_aside` hold no logical pages, and
    are as many aligned ones.
    Partly programmed blocks are returned in the order of their first write, but blocks that hold only copies of what is
    elsewhere are erased, for an unfinished collection to have as much room as it began with. `restorable` has, by PPA,
    the versions of pages that cannot be read but will be restored from backups.
    """
    cdef int64_t block, ppa, lpa, held
    cdef int page
    cdef IndexTable other = IndexTable(mapping.size, blocks.pages)  # by logical page: another copy of equal version
    for block in set_aside:
        blocks.block[block].state = SET_ASIDE
    half_gone = finish_erases(blocks)
    for block in range(blocks.count):
        if blocks.block[block].state == SET_ASIDE or not blocks.written(block):
            continue
        for page in range(blocks.pages_per_block):
            ppa = block * blocks.pages_per_block + page
            if not blocks.is_programmed(ppa) or versions[ppa] < 0:
                continue
            lpa = blocks.spare.get(ppa)
            if lpa < 0:
                continue
            held = mapping.get(lpa)
            if held < 0 or versions[ppa] > versions[held]:
                mapping.set(lpa, ppa)
                other.set(lpa, -1)
            elif versions[ppa] == versions[held]:
                mapping.set(lpa, ppa if stamps[ppa] > stamps[held] else held)
                other.set(lpa, held if stamps[ppa] > stamps[held] else ppa)
    erased = half_gone + erase_copies(blocks, mapping, other, versions, restorable)
    for lpa in range(mapping.size):
        ppa = mapping.get(lpa)
        if ppa >= 0:
            block = blocks.block_of(ppa)
            page = <int>(ppa - block * blocks.pages_per_block)
            blocks.block[block].valid += 1
            blocks.bitmap[block * blocks.words + (page >> 6)] |= <uint64_t>1 << (page & 63)
    return put_in_use(blocks, stamps), erased


cdef list finish_erases(Blocks blocks):
    """Erase the rest of aligned blocks of which some have been erased, and return it: they are a round behind.

    Their erase begins when all that they held is programmed elsewhere, replaced or trimmed (`Blocks.may_erase`).
    """
    cdef int64_t aligned, block
    cdef uint8_t other
    cdef int place, each
    cdef bint behind
    erased = []
    for aligned in range(blocks.units * blocks.blocks_per_plane):
        if blocks.block[blocks.member(aligned, 0)].state == SET_ASIDE:
            continue
        if not blocks.written_in(aligned):  # may have been set aside, and erased one by one
            same_round(blocks, aligned)
            continue
        for place in range(blocks.span):
            block = blocks.member(aligned, place)
            behind = False
            for each in range(blocks.span):
                other = blocks.block[blocks.member(aligned, each)].round
                behind = behind or <uint8_t>(other - 1) == blocks.block[block].round
            if behind:
                empty(&blocks.block[block])
                erased.append(block)
        if not blocks.written_in(aligned):
            same_round(blocks, aligned)
    return erased


cdef void same_round(Blocks blocks, int64_t aligned) noexcept:
    """Have the blocks of `aligned`, all of them erased, begin to count together."""
    cdef int place
    for place in range(blocks.span):
        blocks.block[blocks.member(aligned, place)].round = 0


cdef void empty(Block* b) noexcept:
    """Erase a block."""
    memset(b.written, 0, sizeof(b.written))
    memset(b.programmed, 0, sizeof(b.programmed))
    b.erases += 1
    b.round += 1
    b.slc = 0


cdef list erase_copies(
    Blocks blocks, IndexTable mapping, IndexTable other, const int64_t[::1] versions, dict restorable
):
    """Erase the blocks of which every page is held elsewhere or of no use, as a collection had not come to it.

    A page that cannot be read is of use if it will be restored, and is newer than what is held elsewhere.
    """
    cdef int64_t aligned, block, lpa, ppa, held
    cdef int place, page
    cdef bint needed, holds
    erased = []
    for aligned in range(blocks.units * blocks.blocks_per_plane):
        needed = blocks.block[blocks.member(aligned, 0)].state == SET_ASIDE
        holds = False
        for place in range(blocks.span):
            for ppa in range(
                blocks.member(aligned, place) * blocks.pages_per_block,
                (blocks.member(aligned, place) + 1) * blocks.pages_per_block,
            ):
                if needed:
                    break
                if not blocks.is_programmed(ppa):
                    continue
                holds = True
                lpa = blocks.spare.get(ppa)
                if versions[ppa] < 0:
                    held = mapping.get(lpa) if lpa >= 0 else -1
                    needed = ppa in restorable and (held < 0 or versions[held] < restorable[ppa])
                elif lpa >= 0 and mapping.get(lpa) == ppa:
                    needed = other.get(lpa) < 0 or blocks.aligned_of(blocks.block_of(other.get(lpa))) == aligned
        if holds and not needed:
            for place in range(blocks.span):
                erase_copy(blocks, mapping, other, blocks.member(aligned, place))
                erased.append(blocks.member(aligned, place))
            same_round(blocks, aligned)
    return erased


cdef erase_copy(Blocks blocks, IndexTable mapping, IndexTable other, int64_t block):
    """Erase `block`; the other copies of its pages count from here on."""
    cdef int64_t lpa, ppa
    cdef Block* b = &blocks.block[block]
    for ppa in range(block * blocks.pages_per_block, (block + 1) * blocks.pages_per_block):
        lpa = blocks.spare.get(ppa)
        if not blocks.is_programmed(ppa) or lpa < 0:
            continue
        if mapping.get(lpa) == ppa:
            mapping.set(lpa, other.get(lpa))
            other.set(lpa, -1)
        elif other.get(lpa) == ppa:
            other.set(lpa, -1)
    empty(b)


cdef list put_in_use(Blocks blocks, const int64_t[::1] stamps):
    """Take the blocks that hold something from the free ones, and return those that have room left."""
    cdef int64_t unit, aligned, block, first
    cdef int place, each, pages
    cdef Block* b
    unfinished = []
    for unit in range(blocks.units):
        blocks.free_count[unit] = 0
        blocks.unwritten[unit] = 0
    for each in range(blocks.page_types):
        blocks.unwritten_by_type[each] = 0
    for aligned in range(blocks.units * blocks.blocks_per_plane):
        unit = aligned // blocks.blocks_per_plane
        if blocks.block[blocks.member(aligned, 0)].state == SET_ASIDE:
            continue
        pages = 0
        for place in range(blocks.span):
            pages += blocks.written(blocks.member(aligned, place))
        if pages == 0:
            blocks.release(aligned)
            continue
        for place in range(blocks.span):
            b = &blocks.block[blocks.member(aligned, place)]
            b.state = ACTIVE
            for each in range(0 if b.slc else blocks.page_types):
                blocks.unwritten[unit] += blocks.order.wordlines - b.written[each]
                blocks.unwritten_by_type[each] += blocks.order.wordlines - b.written[each]
        for place in range(blocks.span):
            block = blocks.member(aligned, place)
            if blocks.written(block) == blocks.pages_per_block:
                blocks.fill(block)
        if pages < blocks.span * blocks.pages_per_block:
            first = blocks.member(aligned, 0) * blocks.pages_per_block
            unfinished.append((stamps[first], aligned))
    return [aligned for _, aligned in sorted(unfinished)]
