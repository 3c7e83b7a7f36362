"""One merge of FAST, and how urgent it is."""

from cython.cimports.ssdsim.ftl.reclaim.task import Task
from cython.cimports.ssdsim.ftl.reclaim.urgency import Urgency

NOTHING = -1
"""The kind of a merge that has no page to move: the log block just has to be erased."""
SWITCH = 0
PARTIAL = 1
FULL = 2
"""The others, as in `ssdsim.ftl.fast.mapping`."""


class UrgencyByRoom(Urgency):
    """Merges go before all of the host's work while its writes find no room, and else behind it."""

    def __init__(self, frontier):
        self.frontier = frontier

    def update(self, task):
        """Settle it by whether there is room now."""
        urgent = not self.frontier.has_room(task.plane)
        self.set(task, urgent, urgent)


class Merge(Task):
    """The merges of one unit, one logical block at a time."""

    def __init__(self, number, width):
        Task.__init__(self, number, width)
        self.kind = NOTHING
        self.logical = self.reached = self.filled = 0
        self.emptied = self.oldest = -1
        self.needed = self.merging = self.leisurely = False
        self.pages = {}
        self.dead = []
