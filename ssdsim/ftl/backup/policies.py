# cython: infer_types=True
"""Policies of backups: while a page is programmed, a loss of power would destroy the lower pages of its wordline.

The lower pages of a page are those of its wordline of faster types. Before it is programmed they are in a backup block,
as copies or in a page of parity, until it has been programmed; `Cells.may_program` holds it back so long.
"""

from __future__ import annotations

from collections.abc import Sequence

from ssdsim._core.blocks import Blocks
from ssdsim._core.program_order import ProgramOrder
from ssdsim.device_view import Policy

Due = tuple[int, int, int] | tuple[()]
"""The backup that is due with a page: first wordline, count, until (`Backup`); or nothing."""


class Backup:
    """A page that backs up `count` fast pages of a block, from wordline `first` on.

    It is needed until page `until` of the block has been programmed. `ppa` is where it is, -1 while it waits for a
    page. Where contents are known, `pages` are the physical pages that could be read when it was written, and `lpa` the
    XOR of their logical pages. All that stands in its spare area. Instead of being written it may be `source`, the
    block that its page was moved from and that still holds it; that is -1 else.
    """

    def __init__(self, block: int, first: int, count: int, until: int) -> None:
        self.block = block
        self.first = first
        self.count = count
        self.until = until
        self.ppa = self.source = -1
        self.written = self.dropped = False
        self.lpa = 0
        self.pages: frozenset[int] = frozenset()


class PairedPageBackup(Policy):
    """A policy of backups on MLC: which are due with a page; how they are written is for `Backups`."""

    # Given by the device, once it has them:
    blocks: Blocks
    order: ProgramOrder

    owed = ("wanted(page_type, wordline) -> a list or tuple",)
    fast_pages = False  # whatever `ftl.backup_pages` says
    beforehand = False  # backups may be written at the same time as the last of the pages that they cover
    copies = False  # of single pages, made when these are endangered, and again if that is put off by a loss of power

    def wanted(self, page_type: int, wordline: int) -> Due:
        """Return the backup of fast pages that is due with this page: (first wordline, count, until), or ().

        Asked once for each page of a block, whatever block that is.
        """
        raise NotImplementedError

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


class PairParity(PairedPageBackup):
    """parityFTL's: one page of parity for two pages, before the first of their paired pages (flexFTL, 4.1, footnote 4).

    In the fixed order of the pages of a block, no more than two fast pages come before the slow one of the first.
    Whether parity goes to the plane or to the next channel (`ftl.backup_place`) the paper leaves open.
    """

    beforehand = True
    pages_covered = 2  # by a page of parity

    def wanted(self, page_type: int, wordline: int) -> Due:
        """Return a backup of the pages covered with the last of them, or of fewer that are the last of the block."""
        place: int = wordline % self.pages_covered
        is_last: bool = place + 1 == self.pages_covered or wordline + 1 == self.order.wordlines
        if not is_last or page_type + 1 == self.order.types:
            return ()
        return wordline - place, place + 1, self.order.page_of(wordline, self.order.types - 1)


class BlockParity(PairParity):
    """flexFTL's: one page of parity for all fast pages of a block, when the last of them is written (3.3).

    With all fast pages before the first slow one, one backup serves until the block is full. Backups are fast pages.
    Blocks fill up in the order in which their backups were written, so that the two backup blocks of a plane suffice.
    """

    fast_pages = True
    beforehand = False
    pages_covered = 1 << 30  # all of a block

    def pages_to_check(self, unfinished: Sequence[int]) -> list[int]:
        """Return the pages over which parity is computed anew: those written of a plane's active blocks.

        These are the fast pages of the block that gets slow pages, or will next, and of the one that gets those.
        """
        found = []
        for plane in range(self.blocks.planes):
            of_plane = [block for block in unfinished if self.blocks.plane_of(block) == plane]
            slow = [block for block in of_plane if self.blocks.unwritten_of(block, 0) == 0]
            begun = [block for block in slow if self.blocks.unwritten_of(block, 1) < self.order.wordlines]
            for block in (begun or slow[:1]) + [block for block in of_plane if block not in slow]:
                written = self.order.wordlines - self.blocks.unwritten_of(block, 0)
                first = block * self.blocks.pages_per_block
                found += [first + self.order.page_of(wordline, 0) for wordline in range(written)]
        return found


class PageCopy(PairedPageBackup):
    """rtfFTL's: a copy of the paired page just before its slow page is programmed (flexFTL, 4.1)."""

    beforehand = True
    copies = True

    def wanted(self, page_type: int, wordline: int) -> Due:
        """Return a backup of the one lower page."""
        if page_type == 0:
            return ()
        return wordline, 1, self.order.page_of(wordline, page_type)
