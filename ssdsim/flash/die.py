# cython: infer_types=True
"""The process of a die: it follows one command after another through the bus and the array, and keeps their books."""

from __future__ import annotations

from typing import Any, cast, final

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import (
    COPIES,
    GC,
    HOST,
    MERGE,
    MOVES_DATA,
    PROGRAM,
    PROGRAMS,
    READ,
    RETURNS_DATA,
    SENDS_DATA,
    SENSES,
    SOURCE_COUNT,
)
from ssdsim._core.inlined import now
from ssdsim._core.schedule import PAUSE, Routine
from ssdsim.flash.controller import FlashController
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import ARRAY, COMMAND, DATA_OUT, IDLE, Dies
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions
from ssdsim.stage import TransactionOwner

ARRIVAL_EVENTS = 3
"""Events from the time of an arrival to its die's asking for the bus: arrival, admission, and scheduling unit."""


class OverlapSteps:
    """Takes the steps of a die whose commands overlap, as `ssdsim.flash.lane_steps.LaneSteps`."""

    lanes: Lanes

    @cfunc
    def go_on(self, phase: int) -> int:
        """Take the step after a phase that plain dies do not have."""
        raise NotImplementedError

    @cfunc
    def resume_suspended(self) -> int:
        """Take the suspended command up again if nothing is to pass it, and return the length of its next phase."""
        raise NotImplementedError

    @cfunc
    def begin_array(self, command: int) -> int:
        """Start an array that can be suspended, or that may still be at work for the program before."""
        raise NotImplementedError

    @cfunc
    def data_ready(self) -> int:
        """Move data that is sensed to the cache register, if a read is to follow; wait until that is empty."""
        raise NotImplementedError

    @cfunc
    def let_others_go_on(self) -> None:
        """Resume commands that waited for a register or the array, and start another if one waited for that."""
        raise NotImplementedError


@final
class DieProcess(Routine):
    """Carries out, one after another, the commands that are started in a `lane` of a `die`, of which most have one.

    A command is on the bus (COMMAND), and so is the data of a program; then the array is busy (ARRAY); the data of a
    read is moved out (DATA_OUT) as soon as the die is given the bus again. Each step follows the end of a phase, and
    returns the length of the next one. Where commands of a die overlap, `lane_steps` has steps of their own.

    With `arrivals_first` what ends in an instant is followed up only when a request that arrives in it stands in the
    queues of its dies.
    """

    blocks: Blocks
    counters: FlashCounters
    timing: FlashTiming
    sensed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    programmed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    erased: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    done: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    idle: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    dies: Dies
    transactions: Transactions
    has_units_of_dies: bool  # whose erases wait for reads of other dies
    events_to_pass: int  # that are let pass before what ends in an instant is followed up
    events_left: int  # of these
    die: int
    page: int  # whose data is on the bus, behind the first of a program in several planes, or 0
    lane_steps: OverlapSteps  # or None in a plain die

    def __init__(
        self, env: Any, controller: FlashController, blocks: Blocks, lane: int, observers: Any, arrivals_first: bool
    ) -> None:
        self.env = env
        self.controller = controller
        self.blocks = blocks
        self.counters = controller.counters
        self.timing = controller.timing
        self.dies = controller.dies
        self.transactions = controller.transactions
        self.sensed = observers.sensed
        self.programmed = observers.programmed
        self.erased = observers.erased
        self.done = observers.done
        self.idle = observers.idle
        self.has_units_of_dies = blocks.span > controller.scheduler.planes_per_die
        self.lane = lane
        self.die = lane // self.dies.lanes_per_die
        self.events_to_pass = self.events_left = ARRIVAL_EVENTS if arrivals_first else 0
        self.page = 0
        self.lane_steps = None
        self.dies.processes[lane] = self

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
        return self.begin() if phase == IDLE else self.lane_steps.go_on(phase)

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

    @cfunc
    def look_for_work(self, holds_bus: bool) -> int:
        """Ask for the bus if there is something to start, and give away the bus that the lane `holds`.

        A collection that holds the channel goes on at once, and so does a suspended command that nothing is to pass.
        """
        controller, dies, die = self.controller, self.dies, self.die
        phase_ns: int = PAUSE
        dies.phase[self.lane] = COMMAND
        keeps_bus: bool = controller.holder == self.lane
        if keeps_bus:
            collecting_ns = controller.collect_on(self.lane)
            if collecting_ns >= 0:
                return collecting_ns
        if dies.suspended[die]:
            phase_ns = self.lane_steps.resume_suspended()
        elif self.idle and not dies.commands[die]:
            for tell in self.idle:
                tell(die)
        controller.ask_for_start(die)
        if holds_bus or keeps_bus:  # given on only now, so that the arbiter chooses among all who ask in this instant
            controller.bus_taken = False
        if controller.asking and not controller.bus_taken:
            controller.give_bus()
        return phase_ns

    # The bus, on the way in.

    @cfunc
    def command_sent(self) -> int:
        """Send the data of the next plane, or start the array."""
        controller = self.controller
        command = self.dies.transaction[self.lane]
        if not command:  # woken as nothing was to pass a suspended one after all
            return self.look_for_work(False)
        if controller.write_done_after_transfer and self.goes_on_to_next():
            op = self.transactions.op[command]
            return self.timing.plane_busy[op] + self.timing.command[op] + controller.transfer_ns(self.page)
        self.page = 0
        if controller.holder != self.lane:  # else its collection keeps the bus
            controller.bus_taken = False
            if controller.asking:
                controller.give_bus()
        return self.begin_array(command) if self.dies.plain else self.lane_steps.begin_array(command)

    @cfunc
    def goes_on_to_next(self) -> bool:
        """Tell that the data of a program's page is on the chip, and go on to that of the next plane, if there is one.

        The last page is told of when the array begins.
        """
        page = self.page if self.page else self.dies.transaction[self.lane]
        self.page = self.transactions.partner[page]
        if not self.page or not SENDS_DATA >> self.transactions.op[page] & 1:
            return False
        self.tell_transferred(page)
        return True

    @cfunc
    def tell_transferred(self, transaction: int) -> None:
        """Tell the owner of a program that its data is on the chip."""
        owner = cast(TransactionOwner, self.transactions.owners[self.transactions.owner[transaction]])
        owner.transferred(transaction)

    # The array.

    @cfunc
    def begin_array(self, command: int) -> int:
        """Start the array and return for how long it works."""
        transactions, timing = self.transactions, self.timing
        at = now(self.env)
        op = transactions.op[command]
        self.dies.phase[self.lane] = ARRAY
        if transactions.partner[command] or COPIES >> op & 1:
            array_ns = self.slowest_ns(command)
        else:
            array_ns = timing.array[op * timing.types + transactions.page_type[command] + 1]
        while command:
            partner = transactions.partner[command]
            transactions.array_start_ns[command] = at
            transactions.array_end_ns[command] = at + array_ns
            if self.controller.write_done_after_transfer and not partner and SENDS_DATA >> op & 1:
                self.tell_transferred(command)
            transactions.array_ns[command] += array_ns
            command = partner
        return array_ns

    @cfunc
    def slowest_ns(self, transaction: int) -> int:
        """Return for how long a command of several pages holds the array: as long as its slowest page.

        Copies in several planes are first all sensed and then all programmed.
        """
        transactions = self.transactions
        op = transactions.op[transaction]
        copies = COPIES >> op & 1 != 0
        sensing_ns = 0
        slowest_ns = 0
        while transaction:
            if copies:
                source_type = self.timing.type_of(transactions.before[transaction], self.blocks)
                sensing_ns = max(sensing_ns, self.timing.array_ns(READ, source_type))
            page_type = transactions.page_type[transaction]
            slowest_ns = max(slowest_ns, self.timing.array_ns(PROGRAM if copies else op, page_type))
            transaction = transactions.partner[transaction]
        return sensing_ns + slowest_ns

    @cfunc
    def array_done(self) -> int:
        """Carry the array operation over to blocks and counters; move the data of a read out, or finish."""
        controller, transactions, counters = self.controller, self.transactions, self.counters
        command = self.dies.transaction[self.lane]
        op = transactions.op[command]
        array_ns = transactions.array_end_ns[command] - transactions.array_start_ns[command]
        array_ns -= transactions.suspended_ns[command]
        joined: bool = transactions.partner[command] != 0 and self.is_of_planes(command)
        opens_all: bool = counters.planes_opened != 0 and op == READ
        if opens_all:
            joined = True
            counters.add_opened(transactions.plane[command], array_ns)
        plane = -1
        collects = False
        page = command
        while page:
            self.change_block(op, page)
            source = transactions.source[page]
            counters.operations[op * SOURCE_COUNT + source] += 1
            if joined:
                counters.multi_plane[op] += 1
                counters.host_multi_plane[op] += source == HOST
            if transactions.plane[page] != plane and not opens_all:  # pages of a wordline share an array
                counters.plane_busy_ns[transactions.plane[page]] += array_ns
            plane = transactions.plane[page]
            if PROGRAMS >> op & 1:
                counters.writes_by_plane[plane] += 1
            if source in (GC, MERGE):
                collects = True
                if MOVES_DATA >> op & 1:
                    counters.gc_transfer_ns += controller.transfer_ns(page)
            page = transactions.partner[page]
        if collects:  # once that of the arrays
            counters.gc_array_ns[op] += array_ns
        if RETURNS_DATA >> op & 1:
            if not self.dies.plain and self.lane_steps.lanes.cache_ns >= 0:
                return self.lane_steps.data_ready()
            if controller.holder != self.lane:
                return self.ask_for_bus(DATA_OUT)
            self.dies.phase[self.lane] = DATA_OUT  # at once, as its collection keeps the bus
            return controller.move_out(command)
        self.finish(command)
        return self.look_for_work(False)

    @cfunc
    def change_block(self, op: int, transaction: int) -> None:
        """Carry an array operation on one page over to the state of its block."""
        block = self.transactions.block[transaction]
        told = self.programmed
        if PROGRAMS >> op & 1:
            self.blocks.program(self.transactions.ppa[transaction])
        elif SENSES >> op & 1:
            told = self.sensed
            is_last = self.blocks.remove_reader(block)
            if is_last and self.has_units_of_dies and self.blocks.state(block) == COLLECTING:
                self.controller.scheduler.wake_for(block)
        else:
            told = self.erased
            self.blocks.erase(block)
        if told:
            self.transactions.tell(told, transaction)

    @cfunc
    def is_of_planes(self, transaction: int) -> bool:
        """Return whether a command is carried out in several planes, and is not only the pages of a wordline."""
        plane = self.transactions.plane[transaction]
        while transaction and self.transactions.plane[transaction] == plane:
            transaction = self.transactions.partner[transaction]
        return transaction != 0

    # The bus, on the way out.

    @cfunc
    def ask_for_bus(self, phase: int) -> int:
        """Ask for the bus to move data out, and wait for the end of that phase."""
        controller = self.controller
        self.dies.phase[self.lane] = phase
        controller.asking += 1
        controller.arbiter.ask(self.lane)
        if not controller.bus_taken:
            controller.give_bus()
        return PAUSE

    @cfunc
    def data_moved_out(self) -> int:
        """Complete the page whose data is out; move that of the next plane out, or finish."""
        controller = self.controller
        transaction = self.dies.transaction[self.lane]
        partner = self.transactions.partner[transaction]
        if not partner:
            self.finish(transaction)
            return self.look_for_work(True)
        self.dies.transaction[self.lane] = partner
        self.complete(transaction, now(self.env))
        if not self.dies.plain:  # others may have waited for the plane or register that is empty now
            self.lane_steps.let_others_go_on()
        if controller.moves_planes_together or controller.holder == self.lane:
            return controller.move_out(partner)
        controller.bus_taken = False
        return self.ask_for_bus(self.dies.phase[self.lane])

    # The end.

    @cfunc
    def finish(self, transaction: int) -> None:
        """Account for a finished command, free its lane, and tell the owners of what is left of it."""
        dies, die, lane = self.dies, self.die, self.lane
        at = now(self.env)
        self.counters.set_to_work(-dies.planes_at_work[lane], at)
        dies.planes_at_work[lane] = 0
        dies.transaction[lane] = 0
        if dies.gc_since_ns[die] >= 0:
            dies.end_gc(die, at)
        dies.commands[die] -= 1
        if not dies.commands[die]:
            dies.busy_ns[die] += at - dies.busy_since_ns[die]
        if not dies.plain:
            self.lane_steps.lanes.finished(at)
        while transaction:
            partner = self.transactions.partner[transaction]
            self.complete(transaction, at)
            transaction = partner

    @cfunc
    def complete(self, transaction: int, at: int) -> None:
        """Count a page that the host has written, and tell observers and the owner of `transaction` that it is done."""
        transactions = self.transactions
        transactions.partner[transaction] = 0
        if transactions.op[transaction] == PROGRAM and transactions.source[transaction] == HOST:
            self.counters.host_page_done(transactions, transaction, at)
        if self.done:
            for tell in self.done:
                tell(transactions, transaction, at)
        owner = cast(TransactionOwner, transactions.owners[transactions.owner[transaction]])
        owner.done(transaction)
