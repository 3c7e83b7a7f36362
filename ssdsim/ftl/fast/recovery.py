"""FAST after a loss of power: which of the blocks in use are data blocks, and which are of the log."""

from typing import Any

from ssdsim.ftl.frontier.reopening import is_in_page_order


def sort_out(log: Any, mapping: Any, in_use: list[int]) -> None:
    """Tell data blocks from log blocks of all that are `in_use`, given in the order of their first write.

    The mapping has every page in its log table. A block of which each page lies at its own offset of one logical block
    may be its data block: the first one that is full is, or else the first. Others like it stand in as sequential log
    blocks that are retired, as many as there may be, and all that is left as random ones. There are never more than
    before power failed. Where both a merge's target and what it was filled from have survived, a source has not: the
    target holds copies alone until one of its sources is erased, and is then erased itself (`rebuild`); so there is a
    free block for the next merge, too.
    """
    for unit in range(log.blocks.units):
        here = [aligned for aligned in in_use if aligned // log.blocks.blocks_per_plane == unit]
        number = {aligned: logical_block(log, mapping, unit, aligned) for aligned in here}
        data: dict[int, int] = {}
        for aligned in sorted(here, key=lambda each: not log.is_full(each)):  # full ones first, and else as they came
            data.setdefault(number[aligned], aligned)
        for aligned in here:
            if number[aligned] < 0:
                log.random[unit].append(aligned)
            elif data[number[aligned]] == aligned:
                mapping.adopt(unit, number[aligned], aligned)
            elif len(log.retired[unit]) < log.sequential_blocks:
                log.retired[unit].append((aligned, number[aligned]))
            else:
                log.random[unit].append(aligned)


def logical_block(log: Any, mapping: Any, unit: int, aligned: int) -> int:
    """Return the logical block of which every page in (aligned) block `aligned` is at its own offset, or -1."""
    found = -1
    for offset in range(mapping.block_pages):
        ppa = mapping.page_at(aligned, offset)
        lpa = log.blocks.spare.get(ppa) if log.blocks.is_programmed(ppa) else -1
        if lpa < 0:
            continue
        index = mapping.index_of(lpa)
        number = index // mapping.block_pages
        if index % mapping.block_pages != offset or mapping.unit_of(lpa) != unit or found not in (-1, number):
            return -1
        found = number
    return found


def reopen(log: Any, unfinished: list[int]) -> list[int]:
    """Return the `unfinished` (aligned) blocks that are not filled on, and are to be closed.

    Retired sequential log blocks may be completed by a partial merge. Of random ones the last is filled on, where the
    pages of a row were not lost on their way.
    """
    left = []
    for aligned in unfinished:
        unit = aligned // log.blocks.blocks_per_plane
        if not is_in_page_order(log.blocks, aligned, log.by_rows):
            left.append(aligned)
        elif log.random[unit] and log.random[unit][-1] == aligned:
            log.newest[unit] = aligned
        elif not log.is_sequential(unit, aligned):
            left.append(aligned)
    return left
