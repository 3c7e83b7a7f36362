# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine
from ssdsim.flash.controller import FlashController
from ssdsim.flash.die import Die
from ssdsim.flash.transaction import Transaction

IDLE: Final = 0
COMMAND: Final = 1
ARRAY: Final = 2
DATA_OUT: Final = 3

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


@final
class DieProcess(Routine):
    """Carries out, one after another, the transactions that are started on `die`.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. `idle` are told whenever the die is.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    idle: list[Any]  # whom to tell of an idle die (`ssdsim.flash.observer`)
    breaths: int  # events that are let pass before what ends in an instant is followed up
    breaths_left: int
    phase: int
    page: Transaction  # whose data is on the bus, behind the first of a program in several planes

    def __init__(
        self, env: Any, controller: FlashController, die: Die, idle: list[Any], arrivals_first: bool = False
    ) -> None:
        self.env = env
        self.controller = controller
        self.die = die
        self.idle = idle
        self.breaths = ARRIVAL_EVENTS if arrivals_first else 0
        self.breaths_left = self.breaths
        self.phase = IDLE
        self.page = None
        die.process = self

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if self.breaths:
            if self.breaths_left:
                self.breaths_left -= 1
                return 0
            self.breaths_left = self.breaths
        if self.phase == ARRAY:
            return self.array_done()
        if self.phase == COMMAND:
            return self.command_sent()
        if self.phase == DATA_OUT:
            return self.data_moved()
        return self.look_for_work(False)

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Ask for the bus if there is something to start, and give away the bus that it `holds`.

        A collection that holds the channel goes on at once.
        """
        die: Die = self.die
        if self.controller.holder is die:
            phase_ns = self.controller.collect_on(die)
            if phase_ns >= 0:
                self.phase = COMMAND
                return phase_ns
            holds_bus = True
        for tell in self.idle:
            tell(die)
        if die.waiting:
            self.controller.ask(die)
        else:
            die.idle = True
        if holds_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            self.controller.bus_taken = False
        self.controller.offer_bus()
        self.phase = COMMAND
        return PAUSE

    @cfunc
    def command_sent(self) -> int:
        """Let the array begin; first the data of the other planes follows where each is complete with its own."""
        page: Transaction = self.die.transaction if self.page is None else self.page
        if self.controller.write_done_after_transfer and page.op == PROGRAM and page.partner is not None:
            self.controller.transferred(page)
            self.page = page.partner
            return self.controller.timing.plane_busy_ns(PROGRAM) + self.controller.page_phase_ns(self.page)
        self.page = None
        if self.controller.holder is not self.die:
            self.controller.bus_taken = False
            self.controller.offer_bus()
        self.phase = ARRAY
        return self.controller.begin_array(self.die.transaction)

    def array_done(self) -> int:
        """Ask for the bus for the data of a read; anything else is finished."""
        transaction = self.die.transaction
        self.controller.array_done(transaction)
        if transaction.op == READ:
            self.phase = DATA_OUT
            if self.controller.holder is self.die:
                return self.controller.move_out(transaction)
            return self.ask_for_bus()
        self.controller.finish(self.die, transaction)
        return self.look_for_work(False)

    @cfunc
    def data_moved(self) -> int:
        """Go on with the data of the next plane, or finish a read."""
        transaction = self.die.transaction
        if transaction.partner is None:
            self.controller.finish(self.die, transaction)
            return self.look_for_work(True)
        self.die.transaction = transaction.partner
        self.controller.complete(transaction, now(self.env))
        if self.controller.moves_planes_together or self.controller.holder is self.die:
            return self.controller.move_out(self.die.transaction)
        self.controller.bus_taken = False
        return self.ask_for_bus()

    @cfunc
    def ask_for_bus(self) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
        self.controller.ask(self.die)
        self.controller.offer_bus()
        return PAUSE
