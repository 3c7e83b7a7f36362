# cython: infer_types=True
"""The process of a lane of a die that carries out several reads at a time."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.kernel import PAUSE
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die_process import COMMAND, DieProcess
from ssdsim.flash.dies import Dies
from ssdsim.flash.lanes import Lanes


@final
class LaneProcess(DieProcess):
    """Carries out the transactions that are started in a lane, whose number is its `die`, of `of_die`.

    What ends in it may be what others of the die have waited for.
    """

    lanes: Lanes
    of_die: int

    def __init__(
        self, env: Any, controller: FlashController, dies: Dies, lane: int, idle: list[Any], arrivals_first: bool
    ) -> None:
        DieProcess.__init__(self, env, controller, dies, lane, idle, arrivals_first)
        self.lanes = dies.lanes
        self.of_die = lane // dies.lanes.per_die

    @cfunc
    def other_step(self) -> int:
        """Begin; the last lane of a die to do so has the die look for work."""
        self.phase = COMMAND
        if (self.die + 1) % self.lanes.per_die:
            return PAUSE
        self.lanes.asks[self.of_die] = False
        return self.look_for_work(False)

    @cfunc
    def plane_emptied(self) -> None:
        """Have a read of the plane whose data is out ask for the bus."""
        self.lanes.look(self.of_die)

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Have a lane ask for the bus if there may be something to start, and give away the bus that it `holds`."""
        if not self.dies.commands[self.of_die]:
            for tell in self.idle:
                tell(self.of_die)
        self.lanes.look(self.of_die)
        if holds_bus:
            self.controller.bus_taken = False
        self.controller.offer_bus()
        self.phase = COMMAND
        return PAUSE
