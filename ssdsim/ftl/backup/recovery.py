"""What backups of paired pages are good for after a loss of power: restoring, from the flash alone."""

from typing import Any

from ssdsim._core.rebuild import content_word
from ssdsim.errors import SimulationError
from ssdsim.ftl.backup import Backup, PairedPageBackup


def restore(backup: PairedPageBackup, lost: list[int]) -> tuple[list[tuple[int, int, int, Any]], list[int]]:
    """Return (page, logical page, version, data) of what can be restored of unreadable `lost`, and the pages it takes.

    The page lost is the XOR of its backup and of all other pages that the backup covers (flexFTL, Fig. 7(b)).
    """
    notes: dict[tuple[int, int], list[int]] = {}
    for ppa, note in backup.contents.notes.items():
        if backup.blocks.is_programmed(ppa):
            notes.setdefault((note.block, note.page_type), []).append(ppa)
    restored, read = [], []
    for page in lost:
        for ppa in notes.get((backup.blocks.block_of(page), backup.blocks.type_of(page)), ()):
            note = backup.contents.notes[ppa]
            covered = [each for each in backup.covered(note) if each not in note.without]
            others = [each for each in covered if each != page]
            if page in covered and _is_good(backup, others) and _is_of_now(backup, ppa, covered):
                lpa, version = _left_over(backup, ppa, others)
                read += [*others, ppa]
                if lpa >= 0:
                    restored.append((page, lpa, version, _data_left_over(backup, ppa, others)))
    return restored, read


def _is_of_now(backup: PairedPageBackup, ppa: int, covered: list[int]) -> bool:
    """Return whether the backup in page `ppa` is of what `covered` pages hold, not of what they held once."""
    stamp_of = backup.contents.stamp_of
    return all(stamp_of(each) < stamp_of(ppa) for each in covered)


def _is_good(backup: PairedPageBackup, ppas: list[int]) -> bool:
    """Return whether all of some pages are in flash and can be read."""
    return all(backup.blocks.is_programmed(ppa) and backup.contents.get(ppa) >= 0 for ppa in ppas)


def _left_over(backup: PairedPageBackup, ppa: int, others: list[int]) -> tuple[int, int]:
    """Return the logical page and version that the backup in page `ppa` and `others`, which it covers, leave over."""
    contents = backup.contents
    lpa, version, word = contents.notes[ppa].lpa, contents.get(ppa), contents.word_of(ppa)
    for each in others:
        lpa ^= backup.blocks.spare.get(each)
        version ^= contents.get(each)
        word ^= contents.word_of(each)
    if lpa >= 0 and word != content_word(lpa, version):
        raise SimulationError(f"recovery: the backup in page {ppa} does not give back the data of logical page {lpa}.")
    return lpa, version


def _data_left_over(backup: PairedPageBackup, ppa: int, others: list[int]) -> Any:
    """Return the data that goes with that (`ssdsim.check.data`), where integrity is checked."""
    data = backup.contents.data
    return None if data is None else data.parity([data.cells.get(each) for each in [ppa, *others]])


def take_blocks(backup: PairedPageBackup) -> None:
    """Take over the blocks that hold backups, in the order of their first write, and set aside what is missing."""
    contents, blocks = backup.contents, backup.blocks
    writers: dict[int, int] = {}
    for ppa in sorted(contents.notes, key=contents.stamp_of):
        backup.in_use[blocks.block_of(ppa)] = 0
        writers[blocks.aligned_of(blocks.block_of(ppa))] = contents.notes[ppa].writer
    for aligned, writer in writers.items():
        for place in range(blocks.span):
            block = blocks.member(aligned, place)
            backup.lane[block] = backup.lane_in(block, writer)
            if not blocks.written(block):
                backup.ready[backup.lane[block]].append(block)
            elif block not in backup.in_use:  # all that it holds was being programmed
                backup.in_use[block] = 0
    held = [(aligned // blocks.blocks_per_plane, writer) for aligned, writer in writers.items()]
    for unit in range(blocks.units):
        for writer in range(backup.writers):
            for _ in range(backup.needed - held.count((unit, writer))):
                backup.set_aside(unit, writer)


def go_on(backup: PairedPageBackup, unfinished: list[int]) -> None:
    """Take over the backups that `unfinished` blocks need, and write those that are missing.

    A backup block is gone on with if its pages are in order: one may have overtaken another that is lost.
    """
    contents, blocks = backup.contents, backup.blocks
    ppas = sorted(contents.notes, key=contents.stamp_of)
    for ppa in [] if backup.copies else ppas:
        note, covered = contents.notes[ppa], backup.covered(contents.notes[ppa])
        needed = note.block in unfinished and not _is_programmed(blocks, note.block, note.until)
        good = _is_good(backup, [ppa, *(each for each in covered if each not in note.without)])
        if needed and good and _is_of_now(backup, ppa, covered):
            backup.take_over(note, ppa)
    for block in list(backup.in_use):
        lane = backup.lane[block]
        in_order = backup.lsb_only or all(_is_programmed(blocks, block, page) for page in range(blocks.written(block)))
        if backup.current[lane] < 0 and backup.has_room(block) and in_order:
            backup.current[lane] = block
        elif not backup.in_use[block]:
            backup.erase(block)
        if block in backup.in_use and not backup.lsb_only:
            backup.open_next(block)
    for block in unfinished:
        _write_missing(backup, block)


def _is_programmed(blocks: Any, block: int, page: int) -> bool:
    programmed: bool = blocks.is_programmed(block * blocks.pages_per_block + page)
    return programmed


def _write_missing(backup: PairedPageBackup, block: int) -> None:
    """Write the backups that are due for the programmed pages of `block` and are not in flash."""
    for page in range(backup.order.pages):
        if not _is_programmed(backup.blocks, block, page):
            continue
        for page_type, first, count, until in backup.due_with(page):
            if not backup.has(block, page_type, first) and not _is_programmed(backup.blocks, block, until):
                backup.back_up(Backup(block, page_type, first, count, until))
