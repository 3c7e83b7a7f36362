# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array."""

from __future__ import annotations

from typing import Any, Final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine
from ssdsim.flash.controller import FlashController
from ssdsim.flash.dies import Dies
from ssdsim.flash.transactions import Transactions

IDLE: Final = 0
COMMAND: Final = 1
ARRAY: Final = 2
DATA_OUT: Final = 3
LEAVING: Final = 8  # and above: between array and data-out; those below belong to arrays that can be suspended

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


class DieProcess(Routine):
    """Carries out, one after another, the transactions that are started on `die`.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. `idle` are told whenever the die is.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    dies: Dies
    transactions: Transactions
    idle: list[Any]  # whom to tell of an idle die (`ssdsim.flash.observer`)
    breaths: int  # events that are let pass before what ends in an instant is followed up
    breaths_left: int
    phase: int
    page: int  # whose data is on the bus, behind the first of a program in several planes, or 0

    def __init__(
        self,
        env: Any,
        controller: FlashController,
        dies: Dies,
        die: int,
        idle: list[Any],
        arrivals_first: bool = False,
    ) -> None:
        self.env = env
        self.controller = controller
        self.dies = dies
        self.transactions = dies.transactions
        self.die = die
        self.idle = idle
        self.breaths = ARRIVAL_EVENTS if arrivals_first else 0
        self.breaths_left = self.breaths
        self.phase = IDLE
        self.page = 0
        dies.processes[die] = self

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
        return self.other_step()

    @cfunc
    def other_step(self) -> int:
        """Look for work at first; a die whose commands can be suspended has more phases."""
        return self.look_for_work(False)

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Ask for the bus if there is something to start, and give away the bus that it `holds`.

        A collection that holds the channel goes on at once.
        """
        if self.controller.holder == self.die:
            phase_ns = self.controller.collect_on(self.die)
            if phase_ns >= 0:
                self.phase = COMMAND
                return phase_ns
            holds_bus = True
        for tell in self.idle:
            tell(self.die)
        if self.dies.waiting[self.die]:
            self.controller.ask(self.die)
        else:
            self.dies.idle[self.die] = True
        if holds_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            self.controller.bus_taken = False
        self.controller.offer_bus()
        self.phase = COMMAND
        return PAUSE

    @cfunc
    def command_sent(self) -> int:
        """Let the array begin; first the data of the other planes follows where each is complete with its own."""
        if self.controller.write_done_after_transfer and self.has_more_to_transfer():
            return self.controller.timing.plane_busy_ns(PROGRAM) + self.controller.page_phase_ns(self.page)
        self.page = 0
        if self.controller.holder != self.die:
            self.controller.bus_taken = False
            self.controller.offer_bus()
        return self.begin_array()

    @cfunc
    def begin_array(self) -> int:
        """Let the array begin and return for how long it works."""
        self.phase = ARRAY
        return self.controller.begin_array(self.dies.transaction[self.die])

    @cfunc
    def has_more_to_transfer(self) -> bool:
        """Tell that the data of a program's page is on the chip, and go on to that of the next plane, if there is one.

        The last page is told of when the array begins.
        """
        page = self.page if self.page else self.dies.transaction[self.die]
        self.page = self.transactions.partner[page]
        if self.transactions.op[page] != PROGRAM or not self.page:
            return False
        self.controller.transferred(page)
        return True

    def array_done(self) -> int:
        """Ask for the bus for the data of a read; anything else is finished."""
        transaction = self.dies.transaction[self.die]
        self.controller.array_done(transaction)
        if self.transactions.op[transaction] == READ:
            self.phase = DATA_OUT
            if self.controller.holder == self.die:
                return self.controller.move_out(transaction)
            return self.ask_for_bus()
        self.controller.finish(self.die, transaction)
        return self.look_for_work(False)

    @cfunc
    def data_moved(self) -> int:
        """Go on with the data of the next plane, or finish a read."""
        transaction = self.dies.transaction[self.die]
        partner = self.transactions.partner[transaction]
        if not partner:
            self.controller.finish(self.die, transaction)
            return self.look_for_work(True)
        self.dies.transaction[self.die] = partner
        self.controller.complete(transaction, now(self.env))
        self.plane_emptied()
        if self.controller.moves_planes_together or self.controller.holder == self.die:
            return self.controller.move_out(partner)
        self.controller.bus_taken = False
        return self.ask_for_bus()

    @cfunc
    def plane_emptied(self) -> None:
        """Do nothing where other planes of a command still have data: the die is not free."""

    @cfunc
    def ask_for_bus(self) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
        self.controller.ask(self.die)
        self.controller.offer_bus()
        return PAUSE
