# cython: infer_types=True
"""The process of a lane of a die that carries out several commands at a time."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die_process import (
    ARRAY,
    COMMAND,
    DATA_OUT,
    IDLE,
    LEAVING,
    ask_for_bus,
    ask_to_move_out,
    begin_array,
    finish_array,
    has_more_to_move_out,
    has_more_to_transfer,
    is_early,
    leave_bus,
    move_out_next,
    transfer_ns,
)
from ssdsim.flash.dies import Dies
from ssdsim.flash.lanes import CACHED, HELD, SENSED, Lanes
from ssdsim.flash.suspendable import SuspendableProcess
from ssdsim.flash.suspension import Suspension

WAITING: Final = LEAVING
CACHING: Final = LEAVING + 1


@final
class LaneProcess(SuspendableProcess):
    """Carries out the transactions that are started in a lane, whose number is its `die`, of `of_die`.

    What ends in it may be what others of the die have waited for. With a cache register, data that is sensed may be
    WAITING until the data before it has left, and then on its way between the registers (CACHING); and data to be
    programmed until the array is idle.
    """

    lanes: Lanes

    def __init__(
        self,
        env: Any,
        controller: FlashController,
        dies: Dies,
        lane: int,
        idle: list[Any],
        arrivals_first: bool,
        suspension: Suspension | None,
    ) -> None:
        SuspendableProcess.__init__(self, env, controller, dies, lane, idle, arrivals_first, suspension)
        self.lanes = dies.lanes

    def go_on(self) -> int:
        """Take the step after the phase that is over, or begin: the last lane has the die look for work."""
        if is_early(self):
            return 0
        if self.phase == ARRAY:
            return self.array_done()
        if self.phase == COMMAND:
            if not self.dies.transaction[self.die]:  # woken as nothing was to pass a suspended command after all
                return self.look_for_work(False)
            if has_more_to_transfer(self):
                return transfer_ns(self)
            leave_bus(self)
            return self.begin_array()
        if self.phase == DATA_OUT:
            if not has_more_to_move_out(self):
                return self.look_for_work(True)
            self.plane_emptied()
            return move_out_next(self)
        if self.phase == WAITING:
            return self.cache()
        if self.phase == CACHING and self.transactions.op[self.dies.transaction[self.die]] == PROGRAM:
            return self.program()
        if self.phase == CACHING:
            self.lanes.stages[self.die] = CACHED
            self.lanes.look(self.of_die)
            self.phase = DATA_OUT
            return ask_for_bus(self)
        if self.phase != IDLE:
            return self.go_on_suspended()
        self.phase = COMMAND
        if (self.die + 1) % self.lanes.per_die:
            return PAUSE
        self.lanes.asks[self.of_die] = False
        return self.look_for_work(False)

    @cfunc
    def array_done(self) -> int:
        """Ask for the bus for the data of a read, or move that to the cache register; anything else is finished."""
        transaction = self.dies.transaction[self.die]
        if self.lanes.cache_ns < 0 or self.transactions.op[transaction] != READ:
            return ask_to_move_out(self) if finish_array(self) else self.look_for_work(False)
        self.controller.array_done(transaction)
        self.lanes.stages[self.die] = SENSED
        if self.lanes.is_kept_back(self.die):
            self.lanes.stages[self.die] = HELD
            self.phase = WAITING
            self.controller.offer_bus()  # an arbiter may have waited for the end of this array
            return PAUSE
        if self.lanes.follows[self.die] or self.lanes.is_followed(self.die, self.controller.scheduler.policy):
            self.controller.offer_bus()
            return self.cache()
        self.phase = DATA_OUT
        return ask_for_bus(self)

    @cfunc
    def cache(self) -> int:
        """Begin to move data between the registers and return for how long that takes."""
        self.phase = CACHING
        is_read: bool = self.transactions.op[self.dies.transaction[self.die]] == READ
        return self.lanes.cache_ns if is_read else self.lanes.program_ns

    @cfunc
    def begin_array(self) -> int:
        """Let the array begin, once it is idle if data to be programmed waits in the cache register."""
        command = self.dies.transaction[self.die]
        if self.transactions.op[command] != PROGRAM or self.lanes.program_ns < 0:
            return begin_array(self) if self.suspension is None else self.begin_suspendable()
        page = command
        while page:
            self.transactions.cached_ns[page] = -now(self.env)
            page = self.transactions.partner[page]
        if self.dies.commands[self.of_die] == 1:
            return self.program()
        self.lanes.stages[self.die] = HELD
        self.phase = WAITING
        return PAUSE

    @cfunc
    def program(self) -> int:
        """Let the array begin with data that has been on the chip since then, and let the next program come."""
        page = self.dies.transaction[self.die]
        while page:
            self.transactions.cached_ns[page] += now(self.env)
            page = self.transactions.partner[page]
        array_ns = begin_array(self)
        self.lanes.look(self.of_die)
        self.controller.offer_bus()
        return array_ns

    @cfunc
    def plane_emptied(self) -> None:
        """Let reads go on that have waited for the plane or register whose data is out."""
        if self.lanes.cache_ns >= 0:
            self.lanes.release(self.of_die)
        self.lanes.look(self.of_die)

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Have a lane ask for the bus if there may be something to start, and give away the bus that it `holds`.

        A suspended command that nothing is to pass goes on in this lane.
        """
        phase_ns: int = PAUSE
        self.phase = COMMAND
        if not self.dies.is_executing(self.of_die):
            for tell in self.idle:
                tell(self.of_die)
        elif not self.dies.commands[self.of_die] and not self.suspension.scheduling.select(self.of_die):
            phase_ns = self.resume()
        self.lanes.look(self.of_die)
        if holds_bus:
            self.controller.bus_taken = False
        self.controller.offer_bus()
        return phase_ns
