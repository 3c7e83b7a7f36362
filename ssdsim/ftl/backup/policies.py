# cython: infer_types=True
"""The backups of flexFTL, parityFTL and rtfFTL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ssdsim.ftl.backup.base import PairedPageBackup

if TYPE_CHECKING:
    from ssdsim.config import HardwareConfig
    from ssdsim.ftl.backup.base import Due


class BlockParity(PairedPageBackup):
    """flexFTL's: one page of parity for all pages of a type of a block, when the last of them is written (3.3).

    With all pages of a type before the first of the next, one backup serves until the block is full. Backups
    are fast pages. Blocks fill up in the order in which their backups were written, so that with two page types the
    two backup blocks of a plane suffice; with more, there is room for the backups of all blocks of a plane.
    """

    fast_pages = True
    needs_frontier = "two_phase"

    def blocks_needed(self, hardware: HardwareConfig) -> int:
        """Return 2, or as many as hold all backups of a plane and one page more."""
        if hardware.page_types < 3:
            return 2
        backups = (hardware.page_types - 1) * hardware.physical_blocks
        return -(-backups // hardware.wordlines) + 1

    def wanted(self, page_type: int, wordline: int) -> Sequence[Due]:
        """Return a backup of all pages of a type with the last of them."""
        if page_type == self.last_type or wordline + 1 < self.order.wordlines:
            return ()
        return ((page_type, 0, self.order.wordlines, self.order.pages - 1),)

    def pages_to_check(self, unfinished: Sequence[int]) -> list[int]:
        """Return the pages over which parity is computed anew: those written of a plane's active blocks.

        These are the lower pages of the block that gets slow pages, or will next, and the fast pages of the one that
        gets those.
        """
        found = []
        for plane in range(self.blocks.planes):
            of_plane = [block for block in unfinished if self.blocks.plane_of(block) == plane]
            slow = [block for block in of_plane if self.blocks.unwritten_of(block, 0) == 0]
            begun = [block for block in slow if self.blocks.unwritten_of(block, 1) < self.order.wordlines]
            for block in begun or slow[:1]:
                lower = [each for each in range(self.last_type) if self.blocks.unwritten_of(block, each) == 0]
                found += [page for page_type in lower for page in self.pages_of(block, page_type)]
            found += [page for block in of_plane if block not in slow for page in self.pages_of(block, 0)]
        return found

    def pages_of(self, block: int, page_type: int) -> list[int]:
        """Return the pages of a type of a block that have been written, and can be read unless they were lost."""
        written = self.order.wordlines - self.blocks.unwritten_of(block, page_type)
        first = block * self.blocks.pages_per_block
        return [first + self.order.page_of(wordline, page_type) for wordline in range(written)]


class PairParity(PairedPageBackup):
    """parityFTL's: one page of parity for two pages, before the first of their paired pages (flexFTL, 4.1, footnote 4).

    In the fixed order of the pages of a block, no more than two fast pages come before the slow one of the first. The
    paper has the parity written "while taking into account of the inter-channel parallelism", and not where: in the
    plane, or on the next channel (`ftl.backup_place`).
    """

    beforehand = True
    needs_frontier = "sequential"
    most_types = 2

    def wanted(self, page_type: int, wordline: int) -> Sequence[Due]:
        """Return a backup of two pages with the second of them, or of one that is the last."""
        last = self.order.wordlines - 1
        if page_type == self.last_type or (wordline % 2 == 0 and wordline < last):
            return ()
        first = wordline - wordline % 2
        return ((page_type, first, wordline - first + 1, self.order.page_of(wordline, self.last_type)),)


class PageCopy(PairedPageBackup):
    """rtfFTL's: a copy of the paired page just before its slow page is programmed (flexFTL, 4.1)."""

    beforehand = True
    copies = True
    most_types = 2

    def wanted(self, page_type: int, wordline: int) -> Sequence[Due]:
        """Return a backup of the one lower page."""
        if page_type == 0:
            return ()
        return ((0, wordline, 1, self.order.page_of(wordline, page_type)),)
