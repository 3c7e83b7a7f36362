# cython: infer_types=True
"""The backups that are needed, and what they cover."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.program_order import ProgramOrder
from ssdsim.flash.port import Contents
from ssdsim.ftl.backup.base import Backup


@final
class Coverage:
    """Finds the pages that a backup covers, and computes what it holds: the XOR of these."""

    order: ProgramOrder
    contents: Contents | None  # what pages hold, where that is known

    def __init__(self, blocks: Blocks, contents: Contents | None) -> None:
        self.blocks = blocks
        self.order = blocks.order
        self.contents = contents

    @cfunc
    def first_covered(self, backup: Backup) -> int:
        """Return the first physical page that `backup` covers."""
        return backup.block * self.blocks.pages_per_block + self.order.page_of(backup.first, backup.page_type)

    def covered(self, backup: Backup) -> list[int]:
        """Return the physical pages that `backup` covers."""
        first = backup.block * self.blocks.pages_per_block
        wordlines = range(backup.first, backup.first + backup.count)
        return [first + self.order.page_of(wordline, backup.page_type) for wordline in wordlines]

    def compute(self, backup: Backup) -> None:
        """Give `backup` its content: the XOR of all that it covers, spare areas included."""
        lpa = version = word = 0
        backup.without = frozenset([ppa for ppa in self.covered(backup) if self.contents.get(ppa) < 0])
        for ppa in self.covered(backup):
            if ppa in backup.without:
                continue
            lpa ^= self.blocks.spare.get(ppa)
            version ^= self.contents.get(ppa)
            word ^= self.contents.word_of(ppa)
        backup.lpa = lpa
        self.contents.put_backup(backup.ppa, backup, version, word)

    def data_of(self, backup: Backup) -> Any:
        """Return the data of `backup`, the XOR of all pages that it covers, or None where integrity is not checked."""
        if self.contents is None or self.contents.data is None:
            return None
        covered = [ppa for ppa in self.covered(backup) if ppa not in backup.without]
        return self.contents.data.parity([self.contents.data.at(ppa) for ppa in covered])


@final
class MovedPages:
    """Remembers the blocks that lower pages were moved from: as long as they are not erased, these are backups."""

    last_type: int
    moved: dict[int, tuple[int, int]]  # by PPA of a lower page that was moved: block it was moved from, its erases

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.last_type = blocks.page_types - 1
        self.moved = {}

    @cfunc
    def note(self, ppa: int, before: int) -> None:
        """Remember the block that the data of a lower page is moved from, and the erases of that until then.

        `before` is the page that the data of `ppa` is moved from, or -1.
        """
        if before < 0:
            self.moved.pop(ppa, None)
        elif self.blocks.type_of(ppa) < self.last_type:
            block = self.blocks.block_of(before)
            self.moved[ppa] = block, self.blocks.erases(block)

    @cfunc
    def source_of(self, ppa: int) -> int:
        """Return the block that page `ppa` was moved from, if it is not on its way to be erased, or -1; ask but once.

        While there are valid pages left in it, it is not.
        """
        erases: int
        block: int
        block, erases = self.moved.pop(ppa, (-1, 0))
        return block if block >= 0 and self.blocks.erases(block) == erases and self.blocks.valid(block) else -1


@final
class NeededBackups:
    """Knows the backups that are needed, and how far those let pages be programmed that they cover or lie below."""

    order: ProgramOrder
    last_type: int
    of_block: list[list[Backup] | None]  # by block of data: its backups that are needed
    at: dict[int, Backup]  # by PPA: the backup there that is needed or not written yet

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.order = blocks.order
        self.last_type = blocks.page_types - 1
        self.of_block = [None] * blocks.count
        self.at = {}

    def has(self, block: int, page_type: int, first: int) -> bool:
        """Return whether there is a backup of pages of a type of a block from wordline `first` on."""
        backups: list[Backup] = self.of_block[block]
        if backups is not None:
            each: Backup
            for each in backups:
                if each.page_type == page_type and each.first == first:
                    return True
        return False

    def keep(self, backup: Backup) -> None:
        """Remember `backup` as needed."""
        backups: list[Backup] = self.of_block[backup.block]
        if backups is None:
            backups = self.of_block[backup.block] = []
        backups.append(backup)

    @cfunc
    def let_program(self, backup: Backup) -> None:
        """Let the pages that waited for `backup`, which is written now, be programmed, as far as all before is."""
        covered = 0
        missing = self.order.wordlines  # two backup blocks need not keep the order
        backups: list[Backup] = self.of_block[backup.block]
        each: Backup
        for each in backups:
            if each.page_type == backup.page_type:
                covered = max(covered, each.first + each.count)
                if not each.written:
                    missing = min(missing, each.first)
        self.blocks.back_up(backup.block, backup.page_type, min(covered, missing))

    def open_next(self, block: int) -> None:
        """Let the upper pages of a backup block be programmed as far as those below them are not needed any more."""
        first = block * self.blocks.pages_per_block
        for page_type in range(self.last_type):
            wordline = self.blocks.wordlines_backed_up(block, page_type)
            while wordline < self.order.wordlines:
                ppa = first + self.order.page_of(wordline, page_type)
                if ppa in self.at or not self.blocks.is_programmed(ppa):
                    break
                wordline += 1
            self.blocks.back_up(block, page_type, wordline)
