"""The bytes that recent writes and trims have replaced, so that those are taken back that a loss of power undoes."""

from collections.abc import Callable

import attrs

from .data import Data, sectors
from .protocol import SECTOR

Survivor = Callable[[int], int | None]
"""Tells of a sector of the drive the number of the write that it holds; None if it holds nothing."""


@attrs.define(eq=False)
class Change:
    """A write or trim of the drive: its number in the order of coming, its place, and the bytes that were there.

    Those of `damaged` sectors could not be read.
    """

    number: int
    offset: int
    before: bytearray
    is_trim: bool
    damaged: set[int]

    def part(self, offset: int) -> slice:
        """Return the part of `before` that was in the sector at `offset`."""
        return slice(offset - self.offset, offset - self.offset + SECTOR)


class Journal:
    """The changes of `data` that a loss of power may undo: all since the last flush.

    Changes are noted before they are made, and numbered as they come to the drive.
    """

    def __init__(self, data: Data):
        self.data = data
        self.changes: list[Change] = []

    def note(self, number: int, offset: int, size: int, is_trim: bool) -> None:
        """Note a change that is about to be made."""
        damaged = self.data.damaged.intersection(sectors(offset, size))
        self.changes.append(Change(number, offset, bytearray(self.data.content(offset, size)), is_trim, damaged))

    def flushed(self, number: int) -> None:
        """Forget the changes before the flush of this number, which is complete: no loss of power undoes them."""
        self.changes = [change for change in self.changes if change.number > number]

    def power_lost(self, survivor: Survivor, last: int) -> int:
        """Take back changes that the drive has lost, of those up to number `last`; return how many sectors changed.

        The others are still to come to the drive, and stay. Forget those that it has kept or lost.
        """
        by_sector: dict[int, list[Change]] = {}
        for change in self.changes:
            for offset in range(change.offset, change.offset + len(change.before), SECTOR):
                by_sector.setdefault(offset, []).append(change)
        restored = sum(self.restore(offset, changes, survivor(offset), last) for offset, changes in by_sector.items())
        self.changes = [change for change in self.changes if change.number > last]
        return restored

    def restore(self, offset: int, changes: list[Change], number: int | None, last: int) -> bool:
        """Restore a sector to the change that survived, and return whether that is another one."""
        done = [change for change in changes if change.number <= last]
        if number is None:  # nothing: as the newest trim left it, or as it was before all of them
            number = max((change.number for change in done if change.is_trim), default=-1)
        undone = next((change for change in done if change.number > number), None)
        if undone is None:
            return False
        held = bytes(undone.before[undone.part(offset)])  # as the change before it had left the sector
        is_damaged = not undone.damaged.isdisjoint(sectors(offset, SECTOR))
        if len(done) < len(changes):
            pending = changes[len(done)]
            pending.before[pending.part(offset)] = held
            if is_damaged:
                pending.damaged.update(sectors(offset, SECTOR))
        else:
            self.data.write(offset, held)
            if is_damaged:
                self.data.damage(offset, SECTOR)
        return True
