# cython: infer_types=True
"""What a reclaimer has under way in one unit of blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssdsim._core.kernel import call_later

if TYPE_CHECKING:
    from ssdsim.flash.port import Dies


class Task:
    """What is done in unit `number` to win back space there: one collection or merge at a time, or nothing.

    First pages are moved, then blocks erased; `moving` counts what of that is under way. What makes it `urgent` or
    `critical` is up to `ssdsim.ftl.reclaim.urgency`.
    """

    number: int  # of the unit
    index: int  # among the tasks of its reclaimer: its transactions know it by that
    idle: bool  # nothing is under way
    background: bool  # the present one is done only while the host is quiet
    erasing: bool  # all moves are done
    urgent: bool  # it has the turns of the host's writes
    moving: int  # moves, and later erases, under way
    critical: bool  # urgent, and it has those of the host's reads
    paused: bool  # by its pace (`ssdsim.ftl.reclaim.pace`)
    called: bool  # it is to begin at the end of this instant
    invited: bool  # to go along with another one
    width: int  # planes that it takes blocks of
    plane: int  # the first of them
    dies: Dies  # of which those from `first_die` to `end_die` are the unit's; none before flash has timing
    first_die: int
    end_die: int
    env: Any
    begin: Callable[[Any], None]

    def __init__(self, number: int, width: int) -> None:
        self.number = self.index = number
        self.width = width
        self.plane = number * width
        self.idle = True
        self.called = self.invited = self.background = self.erasing = self.paused = False
        self.urgent = self.critical = False
        self.moving = 0
        self.env = self.begin = self.dies = None
        self.first_die = self.end_die = 0

    def bind(self, env: Any, dies: Dies, planes_per_unit: int, begin: Callable[[Any], None]) -> None:
        """Receive the clock, the dies, and what begins a task: it is called with this one."""
        self.env = env
        self.dies = dies
        self.first_die = self.plane // planes_per_unit
        self.end_die = (self.plane + self.width - 1) // planes_per_unit + 1
        self.begin = begin

    def call(self) -> None:
        """Have it begin at the end of this instant."""
        if not self.called:
            self.called = True
            call_later(self.env, 0, self.answer)

    def answer(self, event: Any) -> None:
        """Begin the task that was called for."""
        self.called = False
        self.begin(self)

    def may_be_called(self) -> bool:
        """Return whether nothing is under way, nor about to be."""
        return self.idle and not self.called
