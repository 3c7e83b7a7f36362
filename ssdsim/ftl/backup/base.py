# cython: infer_types=True
"""Backups of paired pages: while a page is programmed, a loss of power would destroy the lower pages of its wordline.

The lower pages of a page are those of its wordline of faster types. Before it is programmed they are in a backup block,
as copies or in a page of parity, until it has been programmed; `Blocks.may_program` holds it back so long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.device_view import Policy

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig


Due = tuple[int, int, int, int]
"""A backup that is due with a page: page type, first wordline, count, until (`Backup`)."""


class Backup:
    """A page that backs up `count` pages of one type of a block, from wordline `first` on.

    It is needed until page `until` of the block has been programmed. `ppa` is where it is, -1 while it waits for a
    page. `lpa` is the XOR of the logical pages that it covers, where contents are known, `without` those physical pages
    that cannot be read any more. All that stands in its spare area. Instead of being written it may be `source`, the
    block that its page was moved from and that still holds it; that is -1 else.
    """

    block: int
    page_type: int
    first: int
    count: int
    until: int
    without: frozenset[int]

    def __init__(self, block: int, page_type: int, first: int, count: int, until: int) -> None:
        self.block, self.page_type, self.first, self.count, self.until = block, page_type, first, count, until
        self.ppa = self.source = -1
        self.written = self.dropped = False
        self.lpa = 0
        self.without = frozenset()


class PairedPageBackup(Policy):
    """A policy of backups of paired pages: which are due with a page; how they are written is for `Backups`."""

    blocks: Blocks
    order: ProgramOrder
    last_type: int
    due: list[tuple[Due, ...] | None]  # by page of a block: the backups due with it, once that was asked

    owed = ("wanted(page_type, wordline) -> a list or tuple",)
    fast_pages = False  # whatever `ftl.backup_pages` says
    beforehand = False  # backups may be written at the same time as the last of the pages that they cover
    copies = False  # of single pages, made when these are endangered, and again if that is put off by a loss of power
    needs_frontier = ""
    most_types = 4

    def __init__(self) -> None:
        """Take no options; without this a compiled class would take and ignore any."""

    def blocks_needed(self, hardware: HardwareConfig) -> int:
        """Return how many blocks of a plane its backups have; with them, some can always be written."""
        return 2

    def bind(self, blocks: Blocks) -> None:
        """Receive the blocks, once, before anything else is asked."""
        self.blocks = blocks
        self.order = blocks.order
        self.last_type = blocks.page_types - 1
        self.due = [None] * self.order.pages

    def wanted(self, page_type: int, wordline: int) -> Sequence[Due]:
        """Return the backups that are due with this page: (page type, first wordline, count, until).

        Asked once for each page of a block, whatever block that is.
        """
        raise NotImplementedError

    def due_with(self, page: int) -> tuple[Due, ...]:
        """Return the backups that are due with `page` of a block, as `wanted` answered when that was first asked."""
        found: tuple[Due, ...] = self.due[page]
        if found is None:
            found = self.due[page] = tuple(self.wanted(self.order.type_of(page), self.order.wordline_of(page)))
        return found

    def pages_to_check(self, unfinished: Sequence[int]) -> list[int]:
        """Return the pages that are read after a loss of power to see whether one has been lost.

        `unfinished` are the blocks that were being filled, in the order of their first write.
        """
        return last_paired_pages(self.blocks, unfinished)


def last_paired_pages(blocks: Blocks, unfinished: Sequence[int]) -> list[int]:
    """Return the pages that a program cut short may have destroyed: those below the last of each type of a block."""
    order = blocks.order
    found = []
    for block in unfinished:
        for page_type in range(1, order.types):
            wordline = order.wordlines - blocks.unwritten_of(block, page_type) - 1
            first = block * blocks.pages_per_block
            if wordline >= 0:
                found += [first + order.page_of(wordline, lower) for lower in range(page_type)]
    return found
