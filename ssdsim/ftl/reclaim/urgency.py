# cython: infer_types=True
"""How urgent it is to win back space in a unit of blocks, and that its dies know."""

from __future__ import annotations

from ssdsim._core.calls import cfunc
from ssdsim.ftl.reclaim.task import Task
from ssdsim.ftl.reclaim.unit import CollectionUnit


class Urgency:
    """Whether a task has the turns of the host's writes on its die, or those of its reads, too.

    What that depends on is up to the subclass; a die counts the tasks that are urgent or critical.
    """

    def update(self, task: Task) -> None:
        """Settle anew how urgent `task` is; asked whenever space has been taken or won."""
        raise NotImplementedError

    def set(self, task: Task, urgent: bool, critical: bool) -> None:
        """Let the dies know what has changed."""
        for die in range(task.first_die, task.end_die):
            task.dies.urgent_planes[die] += int(urgent) - task.urgent
            task.dies.critical_planes[die] += int(critical) - task.critical
        task.urgent = urgent
        task.critical = critical

    def began(self, task: Task, sequence: int) -> None:
        """Let the dies know that `task` begins, before the transaction of that number."""
        for die in range(task.first_die, task.end_die):
            task.dies.collection_began[die] = sequence


class UrgencyByLevel(Urgency):
    """Urgent below the hard threshold; critical where it yields to no reads, or the host's writes find no room.

    If it `lasts`, a task that is under way stays urgent to its end, and none else is.
    """

    def __init__(self, unit: CollectionUnit, yields_to_reads: bool, lasts: bool = False) -> None:
        self.unit = unit
        self.yields_to_reads = yields_to_reads
        self.lasts = lasts

    def update(self, task: Task) -> None:
        """Settle it by the present level."""
        self.hold_against(task, self.unit.level(task.number))

    @cfunc
    def hold_against(self, task: Task, level: int) -> None:
        """Settle it by `level`, the present one."""
        urgent: bool = level < self.unit.hard
        if self.lasts:
            urgent = not task.idle and (urgent or task.urgent)
        if urgent or task.urgent:
            critical: bool = urgent and not (self.yields_to_reads and self.unit.has_room(task.number))
            if urgent != task.urgent or critical != task.critical:
                self.set(task, urgent, critical)
