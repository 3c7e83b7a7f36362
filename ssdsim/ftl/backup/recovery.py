"""What backups of paired pages are good for after a loss of power: restoring, from the flash alone."""

from collections.abc import Collection
from typing import Any, NamedTuple

from ssdsim._core.random import content_word
from ssdsim.errors import SimulationError
from ssdsim.ftl.backup import Backups
from ssdsim.ftl.backup.blocks import BLOCKS


class Restored(NamedTuple):
    """What an unreadable page held: `version` of logical page `lpa`, and its data where integrity is checked."""

    ppa: int
    lpa: int
    version: int
    data: Any


def restore(backup: Backups, lost: list[int]) -> tuple[list[Restored], list[int]]:
    """Return the data of unreadable pages `lost`, as far as it can be restored, and the pages that are read for it.

    The page lost is the XOR of its backup and of all other pages that the backup covers (flexFTL, Fig. 7(b)). Of these,
    too, one may have to be restored first, from a newer backup: if power failed again before what was restored then had
    been written again.
    """
    notes: dict[tuple[int, int], list[int]] = {}
    for ppa, note in backup.contents.notes.items():
        if backup.blocks.is_programmed(ppa):
            notes.setdefault((note.block, note.page_type), []).append(ppa)
    known: dict[int, Restored] = {}
    read: list[int] = []
    found = True
    while found:
        found = False
        for page in lost:
            for ppa in notes.get((backup.blocks.block_of(page), backup.blocks.type_of(page)), ()):
                note = backup.contents.notes[ppa]
                covered = [each for each in backup.covered(note) if each not in note.without]
                others = [each for each in covered if each != page]
                if page in known or page not in covered or not _is_of_now(backup, ppa, covered):
                    continue
                if _is_good(backup, [each for each in others if each not in known]):
                    known[page] = _left_over(backup, page, ppa, others, known)
                    read += [*(each for each in others if each not in known), ppa]
                    found = True
    return [each for each in known.values() if each.lpa >= 0], read


def _is_of_now(backup: Backups, ppa: int, covered: list[int]) -> bool:
    """Return whether the backup in page `ppa` is of what `covered` pages hold, not of what they held once."""
    stamp_of = backup.contents.stamp_of
    return all(stamp_of(each) < stamp_of(ppa) for each in covered)


def _is_good(backup: Backups, ppas: list[int]) -> bool:
    """Return whether all of some pages have been written, are in flash and can be read."""
    blocks, contents = backup.blocks, backup.contents
    return all(blocks.is_programmed(ppa) and contents.stamp_of(ppa) and contents.get(ppa) >= 0 for ppa in ppas)


def _left_over(backup: Backups, page: int, ppa: int, others: list[int], known: dict[int, Restored]) -> Restored:
    """Return the restored `page`: the XOR of the backup in page `ppa` and of `others`, which it covers.

    Those of them that are `known` have been restored; the others are read.
    """
    contents, data = backup.contents, backup.contents.data
    lpa, version, word = contents.notes[ppa].lpa, contents.get(ppa), contents.word_of(ppa)
    images = [] if data is None else [data.cells[ppa]]
    for each in others:
        if each in known:
            _, its_lpa, its_version, image = known[each]
            its_word = content_word(its_lpa, its_version) if its_lpa >= 0 else 0
        else:
            its_lpa, its_version, its_word = backup.blocks.spare.get(each), contents.get(each), contents.word_of(each)
            image = None if data is None else data.cells[each]
        lpa ^= its_lpa
        version ^= its_version
        word ^= its_word
        images.append(image)
    if lpa >= 0 and word != content_word(lpa, version):
        raise SimulationError(f"recovery: the backup in page {ppa} does not give back the data of logical page {lpa}.")
    return Restored(page, lpa, version, None if data is None else data.parity(images))


def take_blocks(backup: Backups) -> None:
    """Take over the blocks that hold backups, in the order of their first write, and set aside what is missing."""
    contents, blocks, places = backup.contents, backup.blocks, backup.places
    held: dict[int, None] = {}  # (aligned) blocks, in that order
    for ppa in sorted(contents.notes, key=contents.stamp_of):
        places.in_use[blocks.block_of(ppa)] = 0
        held[blocks.aligned_of(blocks.block_of(ppa))] = None
    for aligned in held:
        for place in range(blocks.span):
            block = blocks.member(aligned, place)
            if not blocks.written(block):
                places.ready[places.plane_served(block)].append(block)
            elif block not in places.in_use:  # all that it holds was being programmed
                places.in_use[block] = 0
    units = [aligned // blocks.blocks_per_plane for aligned in held]
    for unit in range(blocks.units):
        for _ in range(BLOCKS - units.count(unit)):
            places.set_aside(unit)


def start_over(backup: Backups, sources: Collection[int]) -> None:
    """Erase the blocks of backups: no block of data is written on, so that none of them is needed any more.

    `sources`, pages which others have been restored from, are neither erased nor endangered until these have been
    written again (`forget`).
    """
    blocks, places = backup.blocks, backup.places
    places.sources, places.kept = frozenset(sources), frozenset(map(blocks.block_of, sources))
    for block in list(places.in_use):
        plane = places.plane_served(block)
        if block not in places.kept:
            backup.erase(block)
            continue
        # one may have overtaken another that is lost
        in_order = places.lsb_only or all(_is_programmed(blocks, block, page) for page in range(blocks.written(block)))
        if places.current[plane] < 0 and places.has_room(block) and in_order:
            places.current[plane] = block
        if not places.lsb_only:
            backup.open_next(block)


def forget(backup: Backups) -> None:
    """Erase the blocks kept for recovery, of no use any more, now that all restored data has been written again."""
    places = backup.places
    kept, places.sources, places.kept = places.kept, frozenset(), frozenset()
    for block in sorted(kept):
        if places.in_use.get(block) == 0 and places.current[places.plane_served(block)] != block:
            backup.erase(block)


def _is_programmed(blocks: Any, block: int, page: int) -> bool:
    programmed: bool = blocks.is_programmed(block * blocks.pages_per_block + page)
    return programmed
