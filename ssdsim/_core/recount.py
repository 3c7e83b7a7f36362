"""The recount of everything that blocks and their mapping keep count of."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim._core.blocks import ACTIVE, COLLECTING, FREE, FULL, Blocks
from ssdsim._core.table import IndexTable


def recount(blocks: Blocks, mapping: IndexTable) -> str | None:
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    for is_wrong, sentence, *columns in differences(blocks, mapping):
        if np.any(is_wrong):
            place = int(np.argmax(is_wrong))
            return sentence.format(place, *(column[place] for column in columns))
    return None


def differences(blocks: Blocks, mapping: IndexTable) -> Iterator[tuple[Any, ...]]:
    """Yield marks of what is not as the books say, and a sentence on it with its place and what columns have there."""
    books, order, members, pages = blocks.arrays, blocks.order, blocks.members(), blocks.pages_per_block
    state, valid, is_slc, lines = books["state"], books["valid"], books["slc"] > 0, order.wordlines
    written, programmed = (books[each][:, : blocks.page_types].astype(np.int64) for each in ("written", "programmed"))
    unused, on_their_way = pages - written.sum(axis=1), (written - programmed).sum(axis=1)

    entries = np.asarray(mapping.entries)  # one more than the number of a page, 0 for none
    for plane in range(blocks.planes):  # not all at once, as pages may be many
        of_plane = slice(plane * blocks.blocks_per_plane, (plane + 1) * blocks.blocks_per_plane)
        bits = np.unpackbits(books["bitmap"][of_plane].view(np.uint8), axis=1, bitorder="little")
        marked = bits.sum(axis=1)
        told = f"block {{}} of plane {plane} counts {{}} valid pages, not {{}}"
        yield marked != valid[of_plane], told, valid[of_plane], marked
        block, page = np.nonzero(bits[:, :pages])
        is_unwritten = np.asarray(order.wordline_at)[page] >= written[of_plane][block, np.asarray(order.type_at)[page]]
        lpas = blocks.spare.to_numpy(of_plane.start * pages, of_plane.stop * pages)[block * pages + page]
        ppas = (of_plane.start + block) * pages + page
        is_wrong = (lpas < 0) | is_unwritten | (entries[lpas] != ppas + 1)
        yield is_wrong, "page {1} is marked valid for logical page {2}, which is not mapped to it", ppas, lpas
    mapped = np.count_nonzero(entries[: mapping.size])
    yield mapped != valid.sum(), f"{mapped} logical pages are mapped but {valid.sum()} physical pages are valid"

    yield books["readers"] < 0, "block {} has {} readers", books["readers"]
    is_wrong = ((programmed > written) | (written > lines)).any(axis=1)
    yield is_wrong, "block {} has programmed {} of {} pages handed out, by type", programmed, written
    yield is_slc & (programmed[:, 1:] != lines).any(axis=1), "block {} is in SLC mode with pages of other types"
    yield (state == FREE) & (unused < pages), "block {} is free but {} pages are unused", unused
    is_wrong = (state == COLLECTING) & (on_their_way != 0)
    yield is_wrong, "block {} is being collected with {} programs on their way", on_their_way
    yield (state == FULL) & (programmed.sum(axis=1) < pages), "block {} is full and not programmed"

    is_free, is_full = ((state[members] == each).all(axis=1) for each in (FREE, FULL))
    is_listed = np.arange(blocks.blocks_per_plane) < np.asarray(blocks.free.counts)[:, np.newaxis]
    listed = np.bincount(np.asarray(blocks.free.blocks).reshape(is_listed.shape)[is_listed], minlength=len(members))
    yield listed != is_free, "(aligned) block {} is in the lists of free ones {} times, but free: {}", listed, is_free
    ranks = np.where(is_full, (np.min if blocks.by_least else np.sum)(valid[members], axis=1), -1)
    yield books["rank"] != ranks, "(aligned) block {} is ranked by {} valid pages, not {}", books["rank"], ranks
    dead = np.where(is_full, blocks.span * pages - valid[members].sum(axis=1), 0).reshape(blocks.units, -1).sum(axis=1)
    yield books["dead"] != dead, "unit {} counts {} dead pages but has {}", books["dead"], dead
    has_room = (state == ACTIVE) | (state == FULL)
    has_room[members[is_free]] = True
    room = np.where((has_room & ~is_slc)[:, np.newaxis], lines - written, 0)
    unwritten, by_type = room.reshape(blocks.units, -1).sum(axis=1), room.sum(axis=0)
    yield books["unwritten"] != unwritten, "unit {} counts {} unwritten pages but has {}", books["unwritten"], unwritten
    kept = books["unwritten_by_type"][: blocks.page_types]
    yield kept != by_type, "of type {} {} pages are counted as unwritten but {} are", kept, by_type
