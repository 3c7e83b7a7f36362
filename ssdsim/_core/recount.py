"""The recount of everything that blocks and their mapping keep count of."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ssdsim._core.blocks import ACTIVE, BLOCK, COLLECTING, FREE, FULL, Blocks
from ssdsim._core.table import IndexTable


def recount(blocks: Blocks, mapping: IndexTable) -> str | None:
    """Count everything anew and return a sentence on the first thing that is not as the books say, or None."""
    return next(_differences(blocks, mapping.to_numpy()), None)


def _differences(blocks: Blocks, mapping: np.ndarray) -> Iterator[str]:
    """Yield a sentence on each thing that differs; those further down take it that there is nothing above them."""
    arrays, order, pages, block = blocks.arrays, blocks.order, blocks.pages_per_block, blocks.arrays["block"]
    is_valid = np.unpackbits(arrays["bitmap"].view(np.uint8), axis=1, bitorder="little")
    ppas = np.flatnonzero(is_valid[:, :pages])
    lpas = blocks.spare.to_numpy().take(ppas)
    for at in np.flatnonzero((lpas < 0) | (mapping.take(lpas, mode="wrap") != ppas)):
        where = f"page {ppas[at] % pages} of block {ppas[at] // pages}"
        yield f"{where} is marked valid for logical page {lpas[at]}, which is not mapped to it"
    handed_out = block["written"][:, np.asarray(order.type_at)] > np.asarray(order.wordline_at)
    for ppa in np.flatnonzero(is_valid[:, :pages] & ~handed_out):
        yield f"page {ppa % pages} of block {ppa // pages} is marked valid and was not handed out"

    written, programmed = (block[name][:, : order.types].astype(int) for name in ("written", "programmed"))
    pending, state, slc = (written - programmed).sum(axis=1), block["state"], block["slc"] > 0
    checks: tuple[tuple[Any, str], ...] = (
        (is_valid.sum(axis=1) != block["valid"], "counts {valid} valid pages but its bitmap marks others"),
        (block["readers"] < 0, "has {readers} readers"),
        (
            ((programmed > written) | (written > order.wordlines)).any(axis=1),
            "has programmed {programmed} of {written} pages handed out, by type",
        ),
        (slc & (programmed[:, 1:] != order.wordlines).any(axis=1), "is in SLC mode with pages of more than one type"),
        ((state == FREE) & written.any(axis=1), "is free but {written} pages are written, by type"),
        ((state == COLLECTING) & (pending > 0), "is being collected with {programmed} of {written} pages programmed"),
        ((state == FULL) & (programmed.sum(axis=1) != pages), "is full with {programmed} pages programmed, by type"),
    )
    for differs, told in checks:
        for at in np.flatnonzero(differs):
            yield f"block {at} " + told.format_map({name: block[name][at] for name in BLOCK.names})

    members = blocks.members()
    is_full, is_free = ((state[members] == each).all(axis=1) for each in (FULL, FREE))
    valid = block["valid"][members]
    if blocks.span > 1:
        for at in np.flatnonzero(arrays["valid_if_full"] != np.where(is_full, valid.sum(axis=1), -1)):
            yield f"aligned blocks {at} count {arrays['valid_if_full'][at]} valid pages while all are full"
    rank = valid.min(axis=1) if blocks.by_least else valid.sum(axis=1)
    has_room = (state == ACTIVE) | (state == FULL)
    has_room[members[is_free]] = True
    room = np.where((has_room & ~slc)[:, np.newaxis], order.wordlines - written, 0)
    dead = np.where(is_full, blocks.span * pages - valid.sum(axis=1), 0)
    counted = {"unwritten": room.sum(axis=1), "dead": dead}
    for name, counts in counted.items():
        for at in np.flatnonzero(counts.reshape(blocks.units, -1).sum(axis=1) != arrays[name]):
            yield f"unit {at} counts {arrays[name][at]} {name} pages and has others"
    per_unit, units = blocks.blocks_per_plane, np.arange(blocks.units)
    heaps, lengths = blocks.free.heaps["block"], np.asarray(blocks.free.counts)
    is_listed = np.arange(heaps.shape[1]) < lengths[:, np.newaxis]
    listed, lister = heaps[is_listed], np.repeat(units, lengths)
    in_order = np.lexsort((listed, lister))
    free = np.flatnonzero(is_free)
    if not (np.array_equal(listed[in_order], free) and np.array_equal(lister[in_order], free // per_unit)):
        yield f"the free blocks are {free.tolist()} but {listed.tolist()} are listed, of units {lister.tolist()}"
    full = np.flatnonzero(is_full)
    ends, blocks_full, ranks = np.searchsorted(full, units * per_unit + per_unit), full.tolist(), rank[full].tolist()
    first = 0
    for unit, end in enumerate(ends.tolist()):
        held, wanted = blocks.index.holdings(unit), dict(zip(blocks_full[first:end], ranks[first:end], strict=True))
        first = end
        if held is not None and wanted != {each: wanted.get(each) if count < 0 else count for each, count in held}:
            yield f"unit {unit} has the full blocks {wanted} but its victim index holds {held}"
    counts, by_type = room.sum(axis=0), arrays["unwritten_by_type"][: order.types]
    if (counts != by_type).any():
        yield f"{counts} pages can be handed out, by type, but {by_type} are counted"
    if (mapped := np.count_nonzero(mapping >= 0)) != len(ppas):
        yield f"{mapped} logical pages are mapped but {len(ppas)} physical pages are valid"
