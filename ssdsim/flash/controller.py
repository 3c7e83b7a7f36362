# cython: infer_types=True
"""Flash controllers: one a channel, which the processes of its dies share."""

from __future__ import annotations

from typing import Any, cast, final

from ssdsim._core.blocks import COLLECTING, Blocks
from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import COPIES, ERASES, GC, HOST, MERGE, MOVES_DATA, PROGRAM, PROGRAMS, READ, SENDS_DATA, SENSES
from ssdsim._core.inlined import now
from ssdsim._core.kernel import Routine, resume_routine
from ssdsim.controller.delays import Dram
from ssdsim.flash.bus import NO_DIE, BusArbiter
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import Channel, Dies
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.scheduler import TransactionSchedulingUnit
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions
from ssdsim.stage import TransactionOwner


@final
class FlashController(Channel):
    """Drives the dies of one channel over its shared bus.

    Each die has a process (`ssdsim.flash.die_process`) that follows its command through bus and array. The bus carries
    one thing at a time; who gets it when it falls free is the arbiter's decision, and what an idle die then starts is
    the scheduler's.

    With `holds_channel` a collection keeps the bus from the first command that moves a page until its erase begins, or
    until nothing more of it may start.
    """

    sensed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    programmed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    erased: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    done: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    dram: Dram | None  # that all data passes through, where that takes time
    write_done_after_transfer: bool  # each page of a command when its own data is on the chip
    moves_planes_together: bool  # the data of a multi-plane read, without giving the bus away between
    holds_channel: bool  # for a collection, which else gives the bus away
    has_units_of_dies: bool  # whose erases wait for reads of other dies
    dies: Dies
    transactions: Transactions
    holder: int  # the die whose collection holds the bus, or -1
    asking: int  # dies that want the bus
    bus_busy_ns: int  # the phase begun last included, and its end
    bus_until_ns: int  # the phase begun last included, and its end

    def __init__(
        self,
        env: Any,
        timing: FlashTiming,
        scheduler: TransactionSchedulingUnit,
        arbiter: BusArbiter,
        blocks: Blocks,
        counters: FlashCounters,
        observers: Any,
    ) -> None:
        self.env = env
        self.timing = timing
        self.scheduler = scheduler
        self.dies = scheduler.dies
        self.transactions = scheduler.transactions
        self.arbiter = arbiter
        self.blocks = blocks
        self.has_units_of_dies = blocks.span > scheduler.planes_per_die
        self.counters = counters
        self.sensed = observers.sensed
        self.programmed = observers.programmed
        self.erased = observers.erased
        self.done = observers.done
        self.dram = None
        self.write_done_after_transfer = self.moves_planes_together = self.holds_channel = False
        self.holder = NO_DIE
        self.bus_taken = False
        self.asking = 0
        self.bus_busy_ns = self.bus_until_ns = 0

    def ask(self, lane: int) -> None:
        """Add `lane` to those that want the bus; `offer_bus` follows in the same instant."""
        self.asking += 1
        self.arbiter.ask(lane)

    def bus_time_ns(self, now_ns: int) -> int:
        """Return the time that the bus has been held, up to now: its phases count when they begin."""
        return self.bus_busy_ns - max(self.bus_until_ns - now_ns, 0)

    def offer_bus(self) -> None:
        """Give the bus away if it is free and asked for."""
        if self.asking and not self.bus_taken:
            self.give_bus()

    def give_bus(self) -> None:
        """Give the free bus to the lane that the arbiter chooses; its process goes on when that bus phase is over."""
        dies = self.dies
        while self.asking:
            lane = self.arbiter.choose()
            if lane < 0:
                break
            self.asking -= 1
            transaction = dies.transaction[lane]
            if transaction:
                self.grant(lane, self.move_out(transaction))
                break
            die = lane if dies.plain else lane // dies.lanes_per_die
            dies.asks[die] = False
            transaction = self.scheduler.take(die) if dies.plain or self.lanes_of(die).is_turn() else 0
            if transaction:
                self.grant(lane, self.start(lane, transaction))
                if not dies.plain:
                    self.ask_for_start(die)
                break
            if dies.suspended[die] and self.lanes_of(die).is_free():
                self.lanes_of(die).suspension.wake()  # the policy has changed its mind, and nothing is to pass
            else:
                dies.idle[die] = True

    @inline
    def ask_for_start(self, die: int) -> None:
        """Have a free lane of `die`, if there is one, ask for the bus if something waits; else the die is idle."""
        dies = self.dies
        lane = dies.free_lane(die)
        if dies.asks[die] or lane < 0:
            return
        if not dies.waiting[die]:
            dies.idle[die] = True
            return
        dies.idle[die] = False
        dies.asks[die] = True
        self.ask(lane)

    @cfunc
    def lanes_of(self, die: int) -> Lanes:
        """Return the rules by which commands of `die` overlap."""
        return cast(Lanes, self.dies.lanes[die])

    @cfunc
    def collect_on(self, die: int) -> int:
        """Start the next command of the collection that holds the bus and return its first phase; -1 if none may."""
        transaction = self.scheduler.take_of_collection(die)
        if not transaction:
            self.holder = NO_DIE
            return -1
        return self.start(die, transaction)

    @inline
    def grant(self, die: int, phase_ns: int) -> None:
        """Let `die` hold the bus for so long."""
        process = cast(Routine, self.dies.processes[die])
        self.bus_taken = True
        resume_routine(process, phase_ns)

    @cfunc
    def move_out(self, transaction: int) -> int:
        """Begin to move the data of a read out and return for how long that holds the bus."""
        duration = self.timing.transfer_ns(self.transactions.bytes[transaction])
        at = now(self.env)
        if self.dram is not None:
            duration += self.dram.backlog_ns()
            self.dram.carry(self.transactions.bytes[transaction], False)
        self.transactions.data_start_ns[transaction] = at
        self.transactions.bus_ns[transaction] += duration
        self.bus_busy_ns += duration
        self.bus_until_ns = at + duration
        return duration

    @inline
    def page_phase_ns(self, transaction: int) -> int:
        """Return for how long the command and the data of one page, whatever its partners, hold the bus."""
        op = self.transactions.op[transaction]
        duration = self.timing.command[op]
        if SENDS_DATA >> op & 1:
            duration += self.timing.transfer_ns(self.transactions.bytes[transaction])
        return duration

    @cfunc
    def cross(self, transaction: int) -> int:
        """Have the data of programs leave the DRAM, and return for how long the bus waits until that begins."""
        if not SENDS_DATA >> self.transactions.op[transaction] & 1:
            return 0
        wait_ns = self.dram.backlog_ns()
        changes_table: bool = self.transactions.source[transaction] in (GC, MERGE)
        while transaction:
            self.dram.carry(self.transactions.bytes[transaction], changes_table)
            transaction = self.transactions.partner[transaction]
        return wait_ns

    def start(self, lane: int, transaction: int) -> int:
        """Make `transaction` the one that is executed in `lane` and return the length of its first bus phase.

        That ends with the data of its first page where pages are complete with that, else with the command.
        """
        transactions = self.transactions
        at = now(self.env)
        die = transactions.die[transaction]
        op = transactions.op[transaction]
        self.dies.transaction[lane] = transaction
        if not self.dies.plain:
            self.lanes_of(die).started(lane, at)
        self.dies.begin_command(die, at)
        if self.dies.budget is not None:
            self.dies.budget.started(die, transaction)
        if not transactions.is_of_host(transaction):
            self.dies.begin_gc(die, at, self.dies.urgent_planes[die] != 0)
            if self.holds_channel:
                self.holder = NO_DIE if ERASES >> op & 1 else die
        wait_ns = 0 if self.dram is None else self.cross(transaction)
        by_page: bool = self.write_done_after_transfer and SENDS_DATA >> op & 1 != 0
        duration = wait_ns + self.put_on_bus(lane, transaction, at, by_page, wait_ns)
        self.bus_busy_ns += duration
        self.bus_until_ns = at + duration
        if by_page:
            return wait_ns + self.page_phase_ns(transaction)
        while transaction:
            transactions.bus_ns[transaction] += duration
            transaction = transactions.partner[transaction]
        return duration

    @inline
    def put_on_bus(self, lane: int, transaction: int, at: int, by_page: bool, wait_ns: int) -> int:
        """Begin the books of each page of a command and return for how long these hold the bus.

        Where pages are complete one by one (`by_page`) each is on the bus until its own data is over it.
        """
        transactions = self.transactions
        die = transactions.die[transaction]
        op = transactions.op[transaction]
        duration = 0
        planes = 0
        plane = -1
        while transaction:
            self.dies.end_wait(die, transaction, at)
            transactions.bus_start_ns[transaction] = at
            transactions.array_start_ns[transaction] = -1
            duration += self.page_phase_ns(transaction)
            if planes:
                duration += self.timing.plane_busy[op]
            if by_page:
                transactions.bus_ns[transaction] += wait_ns + duration
            if transactions.plane[transaction] != plane:  # pages of a wordline follow one another
                plane = transactions.plane[transaction]
                planes += 1
            transaction = transactions.partner[transaction]
        if self.counters.planes_opened and op == READ:
            planes = self.counters.planes_opened
        self.dies.planes_at_work[lane] = planes
        self.counters.set_to_work(planes, at)
        return duration

    def begin_array(self, transaction: int) -> int:
        """Start the array on a command and return for how long it is busy."""
        transactions = self.transactions
        at = now(self.env)
        array_ns = self.array_ns(transaction)
        while transaction:
            partner = transactions.partner[transaction]
            transactions.array_start_ns[transaction] = at
            transactions.array_end_ns[transaction] = at + array_ns
            if self.write_done_after_transfer and not partner and SENDS_DATA >> transactions.op[transaction] & 1:
                self.transferred(transaction)
            transactions.array_ns[transaction] += array_ns
            transaction = partner
        return array_ns

    @cfunc
    def transferred(self, transaction: int) -> None:
        """Tell the owner of a program that its data is on the chip."""
        owner = cast(TransactionOwner, self.transactions.owners[self.transactions.owner[transaction]])
        owner.transferred(transaction)

    @inline
    def array_ns(self, transaction: int) -> int:
        """Return for how long a command holds the array."""
        transactions = self.transactions
        op = transactions.op[transaction]
        if transactions.partner[transaction] or COPIES >> op & 1:
            return self.slowest_ns(transaction)
        return self.timing.array_ns(op, transactions.page_type[transaction])

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

    def array_done(self, transaction: int) -> None:
        """Carry the array operation that has just ended, on one plane or several, over to blocks and counters."""
        transactions = self.transactions
        op = transactions.op[transaction]
        array_ns = transactions.array_end_ns[transaction] - transactions.array_start_ns[transaction]
        array_ns -= transactions.suspended_ns[transaction]
        joined: bool = transactions.partner[transaction] != 0 and self.is_of_planes(transaction)
        plane = -1
        if self.counters.planes_opened and op == READ:
            joined = True
            self.counters.add_opened(transactions.plane[transaction], array_ns)
        collects = False
        moved_ns = 0
        while transaction:
            self.change_block(op, transaction)
            source = transactions.source[transaction]
            busy_ns = 0 if transactions.plane[transaction] == plane else array_ns
            plane = transactions.plane[transaction]
            self.counters.add(op, source, plane, busy_ns, joined)
            if source in (GC, MERGE):
                collects = True
                if MOVES_DATA >> op & 1:
                    moved_ns += self.timing.transfer_ns(transactions.bytes[transaction])
            transaction = transactions.partner[transaction]
        if collects:
            self.counters.add_collection(op, array_ns, moved_ns)

    @inline
    def change_block(self, op: int, transaction: int) -> None:
        """Carry an array operation on one page over to the state of its block."""
        block = self.transactions.block[transaction]
        if PROGRAMS >> op & 1:
            self.blocks.program(self.transactions.ppa[transaction])
            self.transactions.tell(self.programmed, transaction)
        elif SENSES >> op & 1:
            self.blocks.remove_reader(block)
            if self.has_units_of_dies and self.blocks.state(block) == COLLECTING:
                self.scheduler.wake_for(block)
            self.transactions.tell(self.sensed, transaction)
        else:
            self.blocks.erase(block)
            self.transactions.tell(self.erased, transaction)

    @cfunc
    def is_of_planes(self, transaction: int) -> bool:
        """Return whether a command is carried out in several planes, and is not only the pages of a wordline."""
        plane = self.transactions.plane[transaction]
        while transaction and self.transactions.plane[transaction] == plane:
            transaction = self.transactions.partner[transaction]
        return transaction != 0

    def finish(self, lane: int, transaction: int) -> None:
        """Account for a finished command, free its lane, and tell the owners of what is left of it."""
        dies = self.dies
        die = self.transactions.die[transaction]
        at = now(self.env)
        self.counters.set_to_work(-dies.planes_at_work[lane], at)
        dies.planes_at_work[lane] = 0
        dies.transaction[lane] = 0
        dies.end_gc(die, at)
        dies.end_command(die, at)
        if not dies.plain:
            self.lanes_of(die).finished(at)
        while transaction:
            partner = self.transactions.partner[transaction]
            self.complete(transaction, at)
            transaction = partner

    def complete(self, transaction: int, at: int) -> None:
        """Count a page that the host has written, and tell observers and the owner of `transaction` that it is done."""
        transactions = self.transactions
        transactions.partner[transaction] = 0
        if transactions.op[transaction] == PROGRAM and transactions.source[transaction] == HOST:
            if not transactions.asked[transaction]:
                since_ns = transactions.queued_ns[transaction] - transactions.line_ns[transaction]
                took_ns = at - since_ns + transactions.held_ns[transaction]
                self.counters.host_page_done(took_ns, transactions.gc_ns[transaction] > 0)
            if self.counters.by_page:
                self.counters.eviction_done(at)
        if self.done:
            for tell in self.done:
                tell(transactions, transaction, at)
        owner = cast(TransactionOwner, transactions.owners[transactions.owner[transaction]])
        owner.done(transaction)
