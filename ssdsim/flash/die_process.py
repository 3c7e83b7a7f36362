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
from ssdsim.flash.overlap import CACHED, HELD, SENSED, Overlap
from ssdsim.flash.transactions import Transactions

IDLE: Final = 0
COMMAND: Final = 1
ARRAY: Final = 2
DATA_OUT: Final = 3
PROGRESS: Final = 4  # from here on, of an array that can be suspended
OPEN: Final = 5
STOPPING: Final = 6
RESUMING: Final = 7
WAITING: Final = 8  # from here on, between array and data-out
CACHING: Final = 9

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


@final
class DieProcess(Routine):
    """Carries out, one after another, the transactions that are started in a `lane` of `die`, of which most have one.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. `idle` are told whenever the die is.

    An array that can be suspended first makes its least progress (PROGRESS). Then it is OPEN: its timer says when it is
    done, unless something arrives that is worth a suspension. That takes its time (STOPPING); then the die looks for
    work as if it were idle, and when nothing that may pass waits any more, the array goes on after a while (RESUMING).

    With a cache register, data that is sensed may be WAITING until the data before it has left, and then on its way
    between the registers (CACHING), and data to be programmed until the array is idle. What ends in one lane may be
    what others of the die have waited for.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    dies: Dies
    transactions: Transactions
    overlap: Overlap  # the rules of its die, None where that carries out one command after another
    idle: list[Any]  # whom to tell of an idle die (`ssdsim.flash.observer`)
    breaths: int  # events that are let pass before what ends in an instant is followed up
    breaths_left: int
    phase: int
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
        self.overlap = None if dies.plain else dies.overlaps[self.die]
        self.idle = idle
        self.breaths = ARRIVAL_EVENTS if arrivals_first else 0
        self.breaths_left = self.breaths
        self.phase = IDLE
        self.page = 0
        dies.processes[lane] = self

    def go_on(self) -> int:
        """Take the step after the phase that is over, and return the length of the next one."""
        if self.breaths and self.lets_pass():
            return 0
        if self.phase == ARRAY:
            return self.array_done()
        if self.phase == COMMAND:
            return self.command_sent()
        if self.phase == DATA_OUT:
            return self.data_moved_out()
        if self.phase == IDLE:
            return self.begin()
        return self.go_on_suspended() if self.phase < WAITING else self.go_on_cached()

    @cfunc
    def lets_pass(self) -> bool:
        """Return whether requests that arrive in this instant are to come first; count an event that is let pass."""
        if self.breaths_left:
            self.breaths_left -= 1
            return True
        self.breaths_left = self.breaths
        return False

    # From one command to the next.

    @cfunc
    def begin(self) -> int:
        """Look for work, as the last lane of a die, when all have begun."""
        self.phase = COMMAND
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
        self.phase = COMMAND
        keeps_bus: bool = controller.holder == self.lane
        if keeps_bus:
            phase_ns = controller.collect_on(self.lane)
            if phase_ns >= 0:
                return phase_ns
            phase_ns = PAUSE
        if dies.plain or not dies.is_executing(self.die):
            for tell in self.idle:
                tell(self.die)
        elif not dies.commands[self.die] and not self.overlap.scheduling.select(self.die):
            phase_ns = self.resume()
        if not dies.plain:
            self.overlap.look()
        elif dies.waiting[self.die]:
            controller.ask(self.lane)
        else:
            dies.idle[self.die] = True
        if holds_bus or keeps_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            controller.bus_taken = False
        controller.offer_bus()
        return phase_ns

    # The bus, on the way in.

    @inline
    def command_sent(self) -> int:
        """Have the data of the next plane follow, or let the array begin."""
        controller = self.controller
        command = self.dies.transaction[self.lane]
        if not command:  # woken as nothing was to pass a suspended one after all
            return self.look_for_work(False)
        if controller.write_done_after_transfer and self.goes_on_to_next():
            return controller.timing.plane_busy[PROGRAM] + controller.page_phase_ns(self.page)
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
        if self.transactions.op[page] != PROGRAM or not self.page:
            return False
        self.controller.transferred(page)
        return True

    # The array.

    @inline
    def begin_array(self, command: int) -> int:
        """Let the array begin and return for how long it works."""
        self.phase = ARRAY
        return self.controller.begin_array(command)

    @cfunc
    def begin_special_array(self, command: int) -> int:
        """Let an array begin that can be suspended, or that may still be at work for the program before."""
        op = self.transactions.op[command]
        if self.overlap.program_ns >= 0 and op == PROGRAM:
            return self.wait_for_array(command)
        phase_ns = self.begin_array(command)
        # one command of a die is suspended at a time
        if not self.overlap.suspends[op] or self.dies.suspended[self.die]:
            return phase_ns
        return self.go_on_with_array(command, phase_ns)

    @inline
    def array_done(self) -> int:
        """Ask for the bus for the data of a read, or move that to the cache register; anything else is finished."""
        transaction = self.dies.transaction[self.lane]
        self.controller.array_done(transaction)
        if self.transactions.op[transaction] != READ:
            self.controller.finish(self.lane, transaction)
            return self.look_for_work(False)
        if not self.dies.plain and self.overlap.cache_ns >= 0:
            return self.leave_page_register()
        self.phase = DATA_OUT
        if self.controller.holder == self.lane:  # its collection keeps the bus
            return self.controller.move_out(transaction)
        return self.ask_for_bus()

    # The bus, on the way out.

    @inline
    def ask_for_bus(self) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
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
            self.overlap.release()
            self.overlap.look()
        if controller.moves_planes_together or controller.holder == self.lane:
            return controller.move_out(partner)
        controller.bus_taken = False
        return self.ask_for_bus()

    # The cache register.

    @cfunc
    def leave_page_register(self) -> int:
        """Move data that is sensed to the cache register, if a read is to follow; wait until that is empty."""
        overlap = self.overlap
        self.dies.stages[self.lane] = SENSED
        if overlap.is_kept_back(self.lane):
            self.dies.stages[self.lane] = HELD
            self.phase = WAITING
            self.controller.offer_bus()  # an arbiter may have waited for the end of this array
            return PAUSE
        if overlap.follows[self.lane - overlap.first] or overlap.is_followed(self.lane):
            self.controller.offer_bus()
            return self.cache()
        self.phase = DATA_OUT
        return self.ask_for_bus()

    @cfunc
    def cache(self) -> int:
        """Begin to move data between the registers and return for how long that takes."""
        self.phase = CACHING
        is_read: bool = self.transactions.op[self.dies.transaction[self.lane]] == READ
        return self.overlap.cache_ns if is_read else self.overlap.program_ns

    @cfunc
    def go_on_cached(self) -> int:
        """Take the step after a wait for a register, or a move from one to the other."""
        if self.phase == WAITING:
            return self.cache()
        if self.transactions.op[self.dies.transaction[self.lane]] == PROGRAM:
            return self.program()
        self.dies.stages[self.lane] = CACHED
        self.overlap.look()
        self.phase = DATA_OUT
        return self.ask_for_bus()

    @cfunc
    def wait_for_array(self, command: int) -> int:
        """Let the array begin with a program, once it is idle."""
        page = command
        while page:
            self.transactions.cached_ns[page] = -now(self.env)
            page = self.transactions.partner[page]
        if self.dies.commands[self.die] == 1:
            return self.program()
        self.dies.stages[self.lane] = HELD
        self.phase = WAITING
        return PAUSE

    @cfunc
    def program(self) -> int:
        """Let the array begin with data that has been on the chip since then, and let the next program come."""
        command = page = self.dies.transaction[self.lane]
        while page:
            self.transactions.cached_ns[page] += now(self.env)
            page = self.transactions.partner[page]
        array_ns = self.begin_array(command)
        self.overlap.look()
        self.controller.offer_bus()
        return array_ns

    # Suspension.

    @cfunc
    def go_on_suspended(self) -> int:
        """Take the step after a phase of an array that can be suspended."""
        if self.phase == PROGRESS:
            return self.open_array()
        if self.phase == OPEN:
            if now(self.env) < self.overlap.end_ns:
                return self.stop()
            self.phase = ARRAY
            return self.array_done()
        return self.step_aside() if self.phase == STOPPING else self.take_up()

    @cfunc
    def go_on_with_array(self, command: int, left_ns: int) -> int:
        """Let the array of `command` work for the time that is left, and return the length of the first phase of it."""
        overlap = self.overlap
        overlap.lane = self.lane
        overlap.end_ns = now(self.env) + left_ns
        self.end_array(command, overlap.end_ns)
        least_ns = overlap.least_ns[self.transactions.op[command]]
        if self.transactions.suspensions[command] >= overlap.most or least_ns >= left_ns:
            self.phase = ARRAY
            return left_ns
        self.phase = PROGRESS
        return least_ns if least_ns else self.open_array()

    @cfunc
    def end_array(self, command: int, end_ns: int) -> None:
        """Record when the array will be done with the pages of `command`, -1 while that is not known."""
        while command:
            self.transactions.array_end_ns[command] = end_ns
            command = self.transactions.partner[command]

    @cfunc
    def open_array(self) -> int:
        """Have the array be suspended by what waits for the die, or arrives while it works on."""
        if self.overlap.is_called_for():
            return self.stop()
        self.phase = OPEN
        self.overlap.open()
        return PAUSE

    @cfunc
    def stop(self) -> int:
        """Suspend the command and return for how long the array is not yet free."""
        overlap = self.overlap
        command = self.dies.transaction[self.lane]
        op = self.transactions.op[command]
        self.dies.stopped_ns[self.die] = now(self.env)
        overlap.left_ns = overlap.end_ns - now(self.env)
        overlap.counters.suspensions[op] += 1
        self.end_array(command, -1)
        # of a page of the host's that has joined a collection's the wait for the stop is one for that
        gc_ns = 0 if self.transactions.is_of_host(command) else overlap.suspend_ns[op]
        urgent_ns = gc_ns if self.dies.urgent_since_ns[self.die] >= 0 else 0
        while command:
            self.transactions.suspensions[command] += 1
            if self.transactions.is_of_host(command):
                self.transactions.gc_ns[command] += gc_ns
                self.transactions.urgent_gc_ns[command] += urgent_ns
            command = self.transactions.partner[command]
        self.phase = STOPPING
        return overlap.suspend_ns[op]

    @cfunc
    def step_aside(self) -> int:
        """Put the suspended command aside, and look for what is to pass it."""
        dies = self.dies
        dies.suspended[self.die] = dies.transaction[self.lane]
        dies.transaction[self.lane] = 0
        dies.commands[self.die] -= 1
        self.overlap.planes = dies.planes_at_work[self.lane]
        self.overlap.was_urgent = dies.urgent_since_ns[self.die] >= 0
        dies.end_gc(self.die, now(self.env))
        return self.look_for_work(False)

    @cfunc
    def resume(self) -> int:
        """Take the suspended command up again, and return how long it takes until its array goes on."""
        dies = self.dies
        dies.transaction[self.lane] = dies.suspended[self.die]
        dies.suspended[self.die] = 0
        dies.commands[self.die] += 1
        dies.planes_at_work[self.lane] = self.overlap.planes
        self.phase = RESUMING
        return self.overlap.resume_ns

    @cfunc
    def take_up(self) -> int:
        """Go on with the array where it stopped."""
        dies = self.dies
        at = now(self.env)
        command = page = dies.transaction[self.lane]
        if not self.transactions.is_of_host(command):
            dies.begin_gc(self.die, at, self.overlap.was_urgent)
        stopped_ns = at - dies.stopped_ns[self.die]
        self.overlap.counters.suspended_ns[self.transactions.op[command]] += stopped_ns
        while page:
            self.transactions.suspended_ns[page] += stopped_ns
            page = self.transactions.partner[page]
        return self.go_on_with_array(command, self.overlap.left_ns)
