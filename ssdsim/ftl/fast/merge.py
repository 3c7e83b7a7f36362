# cython: infer_types=True
"""One merge of FAST, and how urgent it is."""

from __future__ import annotations

from ssdsim.ftl.frontier.interface import WriteFrontier
from ssdsim.ftl.reclaim.task import Task
from ssdsim.ftl.reclaim.urgency import Urgency

NOTHING = -1
"""The kind of a merge that has no page to move: the log block just has to be erased."""
SWITCH = 0
PARTIAL = 1
FULL = 2
"""The others, as in `ssdsim.ftl.fast.mapping`."""


class UrgencyByRoom(Urgency):
    """Merges go before all of the host's work while its writes find no room, and else behind it."""

    def __init__(self, frontier: WriteFrontier) -> None:
        self.frontier = frontier

    def update(self, task: Task) -> None:
        """Settle it by whether there is room now."""
        urgent = not self.frontier.has_room(task.plane)
        if urgent != task.urgent:
            self.set(task, urgent, urgent)


class Merge(Task):
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

    def __init__(self, number: int, width: int) -> None:
        Task.__init__(self, number, width)
        self.kind = NOTHING
        self.logical = self.reached = self.filled = 0
        self.emptied = self.oldest = -1
        self.needed = self.merging = self.leisurely = False
        self.pages = {}
        self.dead = []
