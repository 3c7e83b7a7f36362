# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import PROGRAM, RETURNS_DATA, SENDS_DATA
from ssdsim._core.inlined import now
from ssdsim._core.kernel import PAUSE, Routine
from ssdsim.flash.controller import FlashController
from ssdsim.flash.dies import (
    ARRAY,
    CACHED,
    CACHING,
    COMMAND,
    DATA_OUT,
    HELD,
    IDLE,
    OPEN,
    PROGRESS,
    RELEASED,
    STOPPING,
    Dies,
)
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.suspension import Suspension
from ssdsim.flash.transactions import Transactions

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


@final
class DieProcess(Routine):
    """Carries out, one after another, the commands that are started in a `lane` of `die`, of which most have one.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. Each step follows the end of a phase, and
    returns the length of the next one. `idle` are told whenever the die is.

    What a chip can do beside that adds phases: an array that can be suspended (`ssdsim.flash.suspension`) has four of
    its own. With a cache register (`ssdsim.flash.lanes`) data may be HELD before its way between the registers
    (CACHING): that of a read until the data before it has left (CACHED), that of a program until the array is idle.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    dies: Dies
    transactions: Transactions
    lanes: Lanes  # of its die, None where that carries out one command after another
    suspension: Suspension  # of its die, None where that carries out one command after another
    idle: list[Any]  # whom to tell of an idle die (`ssdsim.flash.observer`)
    events_to_pass: int  # that are let pass before what ends in an instant is followed up
    events_left: int  # of these
    die: int
    page: int  # whose data is on the bus, behind the first of a program in several planes, or 0

    def __init__(
        self, env: Any, controller: FlashController, dies: Dies, lane: int, idle: list[Any], arrivals_first: bool
    ) -> None:
        self.env = env
        self.controller = controller
        self.dies = dies
        self.transactions = dies.transactions
        self.lane = lane
        self.die = lane // dies.lanes_per_die
        self.lanes = None if dies.plain else dies.lanes[self.die]
        self.suspension = None if dies.plain else self.lanes.suspension
        self.idle = idle
        self.events_to_pass = self.events_left = ARRIVAL_EVENTS if arrivals_first else 0
        self.page = 0
        dies.processes[lane] = self

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if self.events_to_pass and self.lets_pass():
            return 0
        phase = self.dies.phase[self.lane]
        if phase == ARRAY:
            return self.array_done()
        if phase == COMMAND:
            return self.command_sent()
        if phase == DATA_OUT:
            return self.data_moved_out()
        return self.begin() if phase == IDLE else self.go_on_beside(phase)

    @cfunc
    def go_on_beside(self, phase: int) -> int:
        """Take the step after a phase that plain dies do not have."""
        if phase == CACHED:
            return self.data_moved_out()
        if phase == RELEASED:
            return self.lanes.begin_caching(self.lane)
        if phase == CACHING:
            return self.data_cached()
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

    @cfunc
    def begin(self) -> int:
        """Look for work, as the last lane of a die, when all have begun."""
        self.dies.phase[self.lane] = COMMAND
        if (self.lane + 1) % self.dies.lanes_per_die:
            return PAUSE
        self.dies.asks[self.die] = False
        return self.look_for_work(False)

    @inline
    def look_for_work(self, holds_bus: bool) -> int:
        """Ask for the bus if there is something to start, and give away the bus that the lane `holds`.

        A collection that holds the channel goes on at once, and so does a suspended command that nothing is to pass.
        """
        controller = self.controller
        dies = self.dies
        phase_ns: int = PAUSE
        dies.phase[self.lane] = COMMAND
        keeps_bus: bool = controller.holder == self.lane
        if keeps_bus:
            collecting_ns = controller.collect_on(self.lane)
            if collecting_ns >= 0:
                return collecting_ns
        if dies.suspended[self.die]:
            if self.lanes.is_free() and not self.lanes.scheduling.select(self.die):
                phase_ns = self.suspension.resume(self.lane)
        elif self.idle and not dies.is_executing(self.die):
            for tell in self.idle:
                tell(self.die)
        controller.ask_for_start(self.die)
        if holds_bus or keeps_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            controller.bus_taken = False
        controller.offer_bus()
        return phase_ns

    @cfunc
    def let_others_go_on(self) -> None:
        """Let commands go on that waited for a register or the array, and another start if one waited for that."""
        self.lanes.release()
        self.controller.ask_for_start(self.die)

    # The bus, on the way in.

    @inline
    def command_sent(self) -> int:
        """Have the data of the next plane follow, or let the array begin."""
        controller = self.controller
        command = self.dies.transaction[self.lane]
        if not command:  # woken as nothing was to pass a suspended one after all
            return self.look_for_work(False)
        if controller.write_done_after_transfer and self.goes_on_to_next():
            return controller.timing.plane_busy[self.transactions.op[command]] + controller.page_phase_ns(self.page)
        self.page = 0
        if controller.holder != self.lane:  # else its collection keeps the bus
            controller.bus_taken = False
            controller.offer_bus()
        return self.begin_array(command) if self.dies.plain else self.begin_special_array(command)

    @cfunc
    def goes_on_to_next(self) -> bool:
        """Tell that the data of a program's page is on the chip, and go on to that of the next plane, if there is one.

        The last page is told of when the array begins.
        """
        page = self.page if self.page else self.dies.transaction[self.lane]
        self.page = self.transactions.partner[page]
        if not self.page or not SENDS_DATA >> self.transactions.op[page] & 1:
            return False
        self.controller.transferred(page)
        return True

    # The array.

    @inline
    def begin_array(self, command: int) -> int:
        """Let the array begin and return for how long it works."""
        self.dies.phase[self.lane] = ARRAY
        return self.controller.begin_array(command)

    @cfunc
    def begin_special_array(self, command: int) -> int:
        """Let an array begin that can be suspended, or that may still be at work for the program before."""
        op = self.transactions.op[command]
        if self.lanes.program_ns >= 0 and op == PROGRAM:
            self.transactions.put(self.transactions.cached_ns, command, -now(self.env))
            if self.dies.commands[self.die] == 1:
                return self.begin_cached_program()
            self.dies.phase[self.lane] = HELD
            return PAUSE
        array_ns = self.begin_array(command)
        # one command of a die is suspended at a time
        if not self.suspension.suspends[op] or self.dies.suspended[self.die]:
            return array_ns
        return self.suspension.begin(self.lane, array_ns)

    @cfunc
    def begin_cached_program(self) -> int:
        """Let the array begin with data that has been on the chip, and let the next program come."""
        command = self.dies.transaction[self.lane]
        self.transactions.increase(self.transactions.cached_ns, command, now(self.env))
        array_ns = self.begin_array(command)
        self.let_others_go_on()
        self.controller.offer_bus()
        return array_ns

    @inline
    def array_done(self) -> int:
        """Ask for the bus for the data of a read, or move that to the cache register; anything else is finished."""
        transaction = self.dies.transaction[self.lane]
        self.controller.array_done(transaction)
        if not RETURNS_DATA >> self.transactions.op[transaction] & 1:
            self.controller.finish(self.lane, transaction)
            return self.look_for_work(False)
        if not self.dies.plain and self.lanes.cache_ns >= 0:
            return self.leave_page_register()
        if self.controller.holder == self.lane:  # its collection keeps the bus
            self.dies.phase[self.lane] = DATA_OUT
            return self.controller.move_out(transaction)
        return self.ask_for_bus(DATA_OUT)

    # The cache register.

    @cfunc
    def leave_page_register(self) -> int:
        """Move data that is sensed to the cache register, if a read is to follow; wait until that is empty."""
        if self.lanes.is_kept_back(self.lane):
            self.dies.phase[self.lane] = HELD
            self.controller.offer_bus()  # an arbiter may have waited for the end of this array
            return PAUSE
        if not self.lanes.is_followed(self.lane):
            return self.ask_for_bus(DATA_OUT)
        caching_ns = self.lanes.begin_caching(self.lane)
        self.controller.offer_bus()
        return caching_ns

    @cfunc
    def data_cached(self) -> int:
        """Begin a program whose data has reached the page register; ask for the bus for a read's in the other one."""
        if self.transactions.op[self.dies.transaction[self.lane]] == PROGRAM:
            return self.begin_cached_program()
        self.dies.phase[self.lane] = CACHED
        self.let_others_go_on()
        return self.ask_for_bus(CACHED)

    # The bus, on the way out.

    @inline
    def ask_for_bus(self, phase: int) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
        self.dies.phase[self.lane] = phase
        self.controller.ask(self.lane)
        self.controller.offer_bus()
        return PAUSE

    @inline
    def data_moved_out(self) -> int:
        """Complete the page whose data is out; move that of the next plane out, or finish."""
        controller = self.controller
        transaction = self.dies.transaction[self.lane]
        partner = self.transactions.partner[transaction]
        if not partner:
            controller.finish(self.lane, transaction)
            return self.look_for_work(True)
        self.dies.transaction[self.lane] = partner
        controller.complete(transaction, now(self.env))
        if not self.dies.plain:  # others have waited for the plane or register that is empty now
            self.let_others_go_on()
        if controller.moves_planes_together or controller.holder == self.lane:
            return controller.move_out(partner)
        controller.bus_taken = False
        return self.ask_for_bus(self.dies.phase[self.lane])
