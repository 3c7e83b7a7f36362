# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import RETURNS_DATA, SENDS_DATA
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine
from ssdsim.flash.controller import FlashController
from ssdsim.flash.dies import ARRAY, COMMAND, DATA_OUT, IDLE, OPEN, PROGRESS, STOPPING, Dies
from ssdsim.flash.suspension import Suspension
from ssdsim.flash.transactions import Transactions, takes

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


@final
class DieProcess(Routine):
    """Carries out, one after another, the commands that are started on a `die`.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. Each step follows the end of a phase, and
    returns the length of the next one. `idle` are told whenever the die is.

    An array that can be suspended (`ssdsim.flash.suspension`) has four phases of its own.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    dies: Dies
    transactions: Transactions
    suspension: Suspension  # of its die, None where commands are not suspended
    idle: list[Any]  # whom to tell of an idle die (`ssdsim.flash.observer`)
    events_to_pass: int  # that are let pass before what ends in an instant is followed up
    events_left: int  # of these
    die: int
    page: int  # whose data is on the bus, behind the first of a program in several planes, or 0

    def __init__(
        self, env: Any, controller: FlashController, dies: Dies, die: int, idle: list[Any], arrivals_first: bool
    ) -> None:
        self.env = env
        self.controller = controller
        self.dies = dies
        self.transactions = dies.transactions
        self.die = die
        self.suspension = dies.suspensions[die] if dies.can_suspend else None
        self.idle = idle
        self.events_to_pass = self.events_left = ARRIVAL_EVENTS if arrivals_first else 0
        self.page = 0
        dies.processes[die] = self

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if self.events_to_pass and self.lets_pass():
            return 0
        phase = self.dies.phase[self.die]
        if phase == ARRAY:
            return self.array_done()
        if phase == COMMAND:
            return self.command_sent()
        if phase == DATA_OUT:
            return self.data_moved_out()
        return self.look_for_work(False) if phase == IDLE else self.go_on_suspending(phase)

    @cfunc
    def go_on_suspending(self, phase: int) -> int:
        """Take the step after a phase of an array that can be suspended."""
        if phase == PROGRESS:
            return self.suspension.open()
        if phase == OPEN:
            return self.suspension.stop() if now(self.env) < self.suspension.end_ns else self.array_done()
        if phase == STOPPING:
            self.suspension.step_aside()
            return self.look_for_work(False)
        return self.suspension.take_up()

    @cfunc
    def lets_pass(self) -> bool:
        """Return whether requests that arrive in this instant are to come first; count an event that is let pass."""
        if self.events_left:
            self.events_left -= 1
            return True
        self.events_left = self.events_to_pass
        return False

    # From one command to the next.

    @inline
    def look_for_work(self, holds_bus: bool) -> int:
        """Ask for the bus if there is something to start, and give away the bus that the die `holds`.

        A collection that holds the channel goes on at once, and so does a suspended command that nothing is to pass.
        """
        controller = self.controller
        dies = self.dies
        phase_ns: int = PAUSE
        dies.phase[self.die] = COMMAND
        keeps_bus: bool = controller.holder == self.die
        if keeps_bus:
            phase_ns = controller.collect_on(self.die)
            if phase_ns >= 0:
                return phase_ns
            phase_ns = PAUSE
        if dies.suspended[self.die]:
            if not self.suspension.scheduling.select(self.die):
                phase_ns = self.suspension.resume()
        elif self.idle:
            for tell in self.idle:
                tell(self.die)
        if phase_ns == PAUSE:
            controller.ask_for_start(self.die)
        if holds_bus or keeps_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            controller.bus_taken = False
        controller.offer_bus()
        return phase_ns

    # The bus, on the way in.

    @inline
    def command_sent(self) -> int:
        """Have the data of the next plane follow, or let the array begin."""
        controller = self.controller
        command = self.dies.transaction[self.die]
        if not command:  # woken as nothing was to pass a suspended one after all
            return self.look_for_work(False)
        if controller.write_done_after_transfer and self.goes_on_to_next():
            return controller.timing.plane_busy[self.transactions.op[command]] + controller.page_phase_ns(self.page)
        self.page = 0
        if controller.holder != self.die:  # else its collection keeps the bus
            controller.bus_taken = False
            controller.offer_bus()
        return self.begin_array(command)

    @cfunc
    def goes_on_to_next(self) -> bool:
        """Tell that the data of a program's page is on the chip, and go on to that of the next plane, if there is one.

        The last page is told of when the array begins.
        """
        page = self.page if self.page else self.dies.transaction[self.die]
        self.page = self.transactions.partner[page]
        if not self.page or not takes(self.transactions.op[page], SENDS_DATA):
            return False
        self.controller.transferred(page)
        return True

    # The array.

    @inline
    def begin_array(self, command: int) -> int:
        """Let the array begin and return for how long it works, or works until it may be suspended."""
        self.dies.phase[self.die] = ARRAY
        array_ns = self.controller.begin_array(command)
        return array_ns if self.suspension is None else self.suspension.begin(command, array_ns)

    @inline
    def array_done(self) -> int:
        """Ask for the bus for the data of a read; anything else is finished."""
        transaction = self.dies.transaction[self.die]
        self.controller.array_done(transaction)
        if not takes(self.transactions.op[transaction], RETURNS_DATA):
            self.controller.finish(self.die, transaction)
            return self.look_for_work(False)
        self.dies.phase[self.die] = DATA_OUT
        if self.controller.holder == self.die:  # its collection keeps the bus
            return self.controller.move_out(transaction)
        return self.ask_for_bus()

    # The bus, on the way out.

    @inline
    def ask_for_bus(self) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
        self.controller.ask(self.die)
        self.controller.offer_bus()
        return PAUSE

    @inline
    def data_moved_out(self) -> int:
        """Complete the page whose data is out; move that of the next plane out, or finish."""
        controller = self.controller
        transaction = self.dies.transaction[self.die]
        partner = self.transactions.partner[transaction]
        if not partner:
            controller.finish(self.die, transaction)
            return self.look_for_work(True)
        self.dies.transaction[self.die] = partner
        controller.complete(transaction, now(self.env))
        if controller.moves_planes_together or controller.holder == self.die:
            return controller.move_out(partner)
        controller.bus_taken = False
        return self.ask_for_bus()
