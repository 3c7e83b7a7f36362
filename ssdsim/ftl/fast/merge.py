# cython: infer_types=True
"""The merges of FAST in one unit of blocks."""

from __future__ import annotations

from typing import Final

from ssdsim._core.blocks import Blocks
from ssdsim.ftl.reclaim.interface import Collection

NOTHING: Final = -1
"""The kind of a merge that has no page to move: the log block just has to be erased."""
SWITCH_MERGE: Final = 0
PARTIAL_MERGE: Final = 1
FULL_MERGE: Final = 2
"""The others, as in `ssdsim.ftl.fast.mapping`."""


class Merge(Collection):
    """The merges of one unit, one logical block at a time."""

    kind: int
    logical: int  # the logical block that is merged
    emptied: int  # the log block that is to be emptied, or -1
    oldest: int  # the random log block whose logical blocks are being merged, or -1
    leisurely: bool  # which is done in idle time
    reached: int  # pages of the logical block that have been seen to, in rows
    filled: int  # pages of the target that have been handed out, in rows
    needed: bool  # a write has found no random log block with room
    merging: bool  # merges are under way, one after another
    pages: dict[int, int]  # by offset, pages that have been read, or 0 while that is under way
    dead: list[int]  # (aligned) blocks being erased

    def __init__(self, number: int, width: int, blocks: Blocks) -> None:
        Collection.__init__(self, number, width, blocks, 0)
        self.kind = NOTHING
        self.logical = self.reached = self.filled = 0
        self.emptied = self.oldest = -1
        self.needed = self.merging = self.leisurely = False
        self.pages = {}
        self.dead = []
