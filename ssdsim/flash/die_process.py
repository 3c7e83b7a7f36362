# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc, inline
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
    """What carries out, one after another, the transactions that are started on `die`; each kind has its own `go_on`.

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


@final
class PlainDie(DieProcess):
    """Carries out each command to its end."""

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if is_early(self):
            return 0
        if self.phase == ARRAY:
            return ask_to_move_out(self) if finish_array(self) else look_for_work(self, False)
        if self.phase == COMMAND:
            if has_more_to_transfer(self):
                return transfer_ns(self)
            leave_bus(self)
            return begin_array(self)
        if self.phase == DATA_OUT:
            return move_out_next(self) if has_more_to_move_out(self) else look_for_work(self, True)
        return look_for_work(self, False)


@inline
def is_early(process: DieProcess) -> bool:
    """Return whether requests that arrive in this instant are to come first, and count an event that is let pass."""
    if not process.breaths:
        return False
    if process.breaths_left:
        process.breaths_left -= 1
        return True
    process.breaths_left = process.breaths
    return False


@inline
def look_for_work(process: DieProcess, holds_bus: bool) -> int:
    """Ask for the bus if there is something to start, and give away the bus that a die `holds`.

    A collection that holds the channel goes on at once.
    """
    controller = process.controller
    die = process.die
    keeps_bus: bool = controller.holder == die
    if keeps_bus:
        phase_ns = controller.collect_on(die)
        if phase_ns >= 0:
            process.phase = COMMAND
            return phase_ns
    for tell in process.idle:
        tell(die)
    if process.dies.waiting[die]:
        controller.ask(die)
    else:
        process.dies.idle[die] = True
    if holds_bus or keeps_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
        controller.bus_taken = False
    controller.offer_bus()
    process.phase = COMMAND
    return PAUSE


@inline
def has_more_to_transfer(process: DieProcess) -> bool:
    """Return whether the data of another plane follows, where each is complete with its own."""
    return process.controller.write_done_after_transfer and goes_on_to_next(process)


@cfunc
def goes_on_to_next(process: DieProcess) -> bool:
    """Tell that the data of a program's page is on the chip, and go on to that of the next plane, if there is one.

    The last page is told of when the array begins.
    """
    page = process.page if process.page else process.dies.transaction[process.die]
    process.page = process.transactions.partner[page]
    if process.transactions.op[page] != PROGRAM or not process.page:
        return False
    process.controller.transferred(page)
    return True


@inline
def transfer_ns(process: DieProcess) -> int:
    """Return for how long the data of the next plane holds the bus."""
    return process.controller.timing.plane_busy_ns(PROGRAM) + process.controller.page_phase_ns(process.page)


@inline
def leave_bus(process: DieProcess) -> None:
    """Give the bus away behind a command, unless its collection holds the channel."""
    process.page = 0
    if process.controller.holder != process.die:
        process.controller.bus_taken = False
        process.controller.offer_bus()


@inline
def begin_array(process: DieProcess) -> int:
    """Let the array begin and return for how long it works."""
    process.phase = ARRAY
    return process.controller.begin_array(process.dies.transaction[process.die])


@inline
def finish_array(process: DieProcess) -> bool:
    """Tell that the array is done and return whether data is to be moved out; anything else is finished."""
    transaction = process.dies.transaction[process.die]
    process.controller.array_done(transaction)
    if process.transactions.op[transaction] == READ:
        return True
    process.controller.finish(process.die, transaction)
    return False


@inline
def ask_to_move_out(process: DieProcess) -> int:
    """Ask for the bus for the data of a read, which a collection that holds the channel has."""
    process.phase = DATA_OUT
    if process.controller.holder == process.die:
        return process.controller.move_out(process.dies.transaction[process.die])
    return ask_for_bus(process)


@inline
def has_more_to_move_out(process: DieProcess) -> bool:
    """Complete the page whose data is out, and go on to that of the next plane, if there is one; else finish."""
    transaction = process.dies.transaction[process.die]
    partner = process.transactions.partner[transaction]
    if not partner:
        process.controller.finish(process.die, transaction)
        return False
    process.dies.transaction[process.die] = partner
    process.controller.complete(transaction, now(process.env))
    return True


@inline
def move_out_next(process: DieProcess) -> int:
    """Move the data of the next plane out, at once or when the bus is given for it."""
    if process.controller.moves_planes_together or process.controller.holder == process.die:
        return process.controller.move_out(process.dies.transaction[process.die])
    process.controller.bus_taken = False
    return ask_for_bus(process)


@inline
def ask_for_bus(process: DieProcess) -> int:
    """Ask for the bus to move data out, and wait for the end of that phase."""
    process.controller.ask(process.die)
    process.controller.offer_bus()
    return PAUSE
