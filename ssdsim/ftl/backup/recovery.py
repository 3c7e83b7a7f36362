"""What backups of paired pages are good for after a loss of power: restoring, from the flash alone."""

from typing import Any, NamedTuple

from ssdsim.ftl.backup.backups import Backups


class Restored(NamedTuple):
    """What an unreadable page held: `version` of logical page `lpa`, and its data where integrity is checked."""

    ppa: int
    lpa: int
    version: int
    data: Any


def restore(backup: Backups, lost: list[int]) -> tuple[list[Restored], list[int]]:
    """Return the data of unreadable pages `lost`, as far as it can be restored, and the pages that are read for it.

    The page lost is the XOR of its backup and of all other pages that the backup covers (flexFTL, Fig. 7(b)). The
    backup has to be of what these hold now, and they have to be in flash.
    """
    contents, missing = backup.contents, set(lost)
    restored, read = [], []
    for ppa, note in contents.notes.items():
        is_of_now = all(contents.stamp_of(each) < contents.stamp_of(ppa) for each in note.pages)
        if not is_of_now or not backup.blocks.is_programmed(ppa):
            continue
        for page in note.pages & missing:
            others = sorted(note.pages - {page})
            if all(_is_good(backup, each) for each in others):
                missing.remove(page)
                restored.append(_left_over(backup, page, ppa, others))
                read += [*others, ppa]
    return sorted(each for each in restored if each.lpa >= 0), read


def _is_good(backup: Backups, ppa: int) -> bool:
    """Return whether a page has been written, is in flash and can be read."""
    contents = backup.contents
    return backup.blocks.is_programmed(ppa) and contents.stamp_of(ppa) > 0 and contents.get(ppa) >= 0


def _left_over(backup: Backups, page: int, ppa: int, others: list[int]) -> Restored:
    """Return the restored `page`: the XOR of the backup in page `ppa` and of `others`, which it covers."""
    contents, data = backup.contents, backup.contents.data
    lpa, version = contents.notes[ppa].lpa, contents.get(ppa)
    for each in others:
        lpa ^= backup.blocks.spare.get(each)
        version ^= contents.get(each)
    return Restored(page, lpa, version, data and data.parity([data.cells[each] for each in (ppa, *others)]))
