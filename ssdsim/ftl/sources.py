# cython: infer_types=True
"""Where the data of a page of flash can be read at any time."""

from __future__ import annotations

from typing import final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import inline


@final
class PageSources:
    """Says where a page is read before it is programmed: where its data is copied from, or in controller memory.

    `copies` are those under way, by page: copy-backs of the collector, and pages of which the rest is being read. Their
    data is nowhere else until they are programmed.
    """

    blocks: Blocks
    copies: dict[int, int]  # by PPA of copies under way: the page that is copied
    reads_unprogrammed: bool

    def __init__(self, blocks: Blocks, copies: dict[int, int], reads_unprogrammed: bool) -> None:
        self.blocks = blocks
        self.copies = copies
        self.reads_unprogrammed = reads_unprogrammed

    @inline
    def source_of(self, ppa: int) -> int:
        """Return where in flash the data of page `ppa` can be read now, or -1 if only controller memory has it."""
        if self.copies and ppa in self.copies:
            return self.copies[ppa]
        return ppa if self.reads_unprogrammed or self.blocks.is_programmed(ppa) else -1
