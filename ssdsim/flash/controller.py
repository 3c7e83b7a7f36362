# cython: infer_types=True
"""Flash controllers, one a channel: who is given its bus, and which command starts on it."""

from __future__ import annotations

from typing import Any, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASES, GC, MERGE, READ, REQUESTED, SENDS_DATA
from ssdsim._core.inlined import now
from ssdsim._core.schedule import Routine, resume_routine
from ssdsim.config import FlashConfig
from ssdsim.controller.delays import Dram
from ssdsim.flash.bus import NO_DIE, BusArbiter, Channel
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.dies import Dies
from ssdsim.flash.lanes import Lanes
from ssdsim.flash.scheduler.unit import TransactionSchedulingUnit
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions


@final
class FlashController(Channel):
    """Gives the bus of one channel to its dies, one at a time, and starts their commands on it.

    Who gets the bus when it falls free is the arbiter's decision, and what an idle die then starts is the scheduler's.
    With `holds_channel` a collection keeps the bus from the first command that moves a page until its erase begins, or
    until nothing more of it may start.
    """

    dram: Dram | None  # that all data passes through, where that takes time
    write_done_after_transfer: bool  # each page of a command when its own data is on the chip
    moves_planes_together: bool  # the data of a multi-plane read, without giving the bus away between
    holds_channel: bool  # for a collection, which else gives the bus away
    timing: FlashTiming
    dies: Dies
    transactions: Transactions
    holder: int  # the die whose collection holds the bus, or -1
    bus_busy_ns: int  # the phase begun last included, and its end
    bus_until_ns: int  # the phase begun last included, and its end

    def __init__(
        self,
        env: Any,
        scheduler: TransactionSchedulingUnit,
        arbiter: BusArbiter,
        counters: FlashCounters,
        dram: Dram | None,
        config: FlashConfig,
    ) -> None:
        self.env = env
        self.timing = scheduler.timing
        self.scheduler = scheduler
        self.dies = scheduler.dies
        self.transactions = scheduler.transactions
        self.arbiter = arbiter
        self.counters = counters
        self.dram = dram
        self.write_done_after_transfer = config.write_complete == "transfer_end"
        self.moves_planes_together = config.plane_data == "together"
        self.holds_channel = config.collection_holds == "channel"
        self.holder = NO_DIE
        self.bus_taken = False
        self.asking = 0
        self.bus_busy_ns = self.bus_until_ns = 0

    def bus_time_ns(self, now_ns: int) -> int:
        """Return the time that the bus has been held, up to now: its phases count when they begin."""
        return self.bus_busy_ns - max(self.bus_until_ns - now_ns, 0)

    def give_bus(self) -> None:
        """Give the free bus to the lane that the arbiter chooses; its process goes on when that bus phase is over."""
        dies = self.dies
        while self.asking:
            lane = self.arbiter.choose()
            if lane < 0:
                return
            self.asking -= 1
            die = lane if dies.plain else lane // dies.lanes_per_die
            transaction = dies.transaction[lane]
            is_data_out: bool = transaction != 0
            if is_data_out:
                phase_ns = self.move_out(transaction)
            else:
                dies.asks[die] = False
                transaction = self.scheduler.policy.select(die) if dies.plain or self.lanes_of(die).is_turn() else 0
                if not transaction:
                    self.leave_idle(die)
                    continue
                phase_ns = self.start(lane, self.scheduler.take(die, transaction))
            self.bus_taken = True
            resume_routine(cast(Routine, dies.processes[lane]), phase_ns)
            if not dies.plain and not is_data_out:
                self.ask_for_start(die)
            return

    @cfunc
    def leave_idle(self, die: int) -> None:
        """Leave a die that was given the bus idle, as nothing may start, or have its suspended command go on."""
        if self.dies.suspended[die] and self.lanes_of(die).is_free():
            self.lanes_of(die).suspension.wake()  # the policy has changed its mind, and nothing is to pass
        else:
            self.dies.idle[die] = True

    @cfunc
    def ask_for_start(self, die: int) -> None:
        """Ask for the bus for a free lane of `die`, if there is one and something waits; else the die is idle."""
        dies = self.dies
        lane = die if dies.plain else dies.free_lane(die)
        if dies.asks[die] or lane < 0:
            return
        if not dies.waiting[die]:
            dies.idle[die] = True
            return
        dies.idle[die] = False
        dies.asks[die] = True
        self.asking += 1
        self.arbiter.ask(lane)

    @cfunc
    def lanes_of(self, die: int) -> Lanes:
        """Return the rules by which commands of `die` overlap."""
        return cast(Lanes, self.dies.lanes[die])

    @cfunc
    def collect_on(self, die: int) -> int:
        """Start the next command of the collection that holds the bus and return its first phase; -1 if none may."""
        transaction = self.scheduler.next_of_collection(die)
        if not transaction:
            self.holder = NO_DIE
            return -1
        return self.start(die, self.scheduler.take(die, transaction))

    @cfunc
    def transfer_ns(self, transaction: int) -> int:
        """Return for how long the data of a page holds the bus, rounded to the nearest nanosecond."""
        return int(self.transactions.bytes[transaction] * self.timing.ns_per_byte + 0.5)

    @cfunc
    def move_out(self, transaction: int) -> int:
        """Begin to move the data of a read out and return for how long that holds the bus."""
        duration = self.transfer_ns(transaction)
        at = now(self.env)
        if self.dram is not None:
            duration += self.dram.backlog_ns()
            self.dram.carry(self.transactions.bytes[transaction], False)
        self.transactions.data_start_ns[transaction] = at
        self.transactions.bus_ns[transaction] += duration
        self.bus_busy_ns += duration
        self.bus_until_ns = at + duration
        return duration

    @cfunc
    def cross(self, transaction: int) -> int:
        """Read the data of programs from the DRAM, and return for how long the bus waits until that begins."""
        if not SENDS_DATA >> self.transactions.op[transaction] & 1:
            return 0
        wait_ns = self.dram.backlog_ns()
        changes_table: bool = self.transactions.source[transaction] in (GC, MERGE)
        while transaction:
            self.dram.carry(self.transactions.bytes[transaction], changes_table)
            transaction = self.transactions.partner[transaction]
        return wait_ns

    def start(self, lane: int, command: int) -> int:
        """Begin the books of `command` and of its pages, now executed in `lane`; return the length of its bus phase.

        Where pages are complete with their transfer, that ends with the data of the first page, and each page is on the
        bus until its own data is over it.
        """
        transactions, dies = self.transactions, self.dies
        at = now(self.env)
        die = transactions.die[command]
        op = transactions.op[command]
        dies.transaction[lane] = command
        if not dies.plain:
            self.lanes_of(die).started(lane, at)
        if not dies.commands[die]:
            dies.busy_since_ns[die] = at
        dies.commands[die] += 1
        if not REQUESTED >> transactions.source[command] & 1:
            dies.begin_gc(die, at, dies.urgent_planes[die] != 0)
            if self.holds_channel:
                self.holder = NO_DIE if ERASES >> op & 1 else die
        duration = 0 if self.dram is None else self.cross(command)
        sends_data: bool = SENDS_DATA >> op & 1 != 0
        by_page: bool = self.write_done_after_transfer and sends_data
        first_ns = 0
        planes = 0
        plane = -1
        page = command
        while page:
            # it has waited for what its die did for others than the host since it was queued, which is over by now
            gc_ns = dies.gc_busy_ns[die] - transactions.gc_mark_ns[page]
            transactions.held_ns[page] = transactions.gc_ns[page]
            if gc_ns:
                transactions.gc_ns[page] += gc_ns
                transactions.urgent_gc_ns[page] += dies.urgent_busy_ns[die] - transactions.urgent_mark_ns[page]
            transactions.bus_start_ns[page] = at
            transactions.array_start_ns[page] = -1
            duration += self.timing.command[op]
            if sends_data:
                duration += self.transfer_ns(page)
            if not planes:
                first_ns = duration
            else:
                duration += self.timing.plane_busy[op]
            if by_page:
                transactions.bus_ns[page] += duration
            if transactions.plane[page] != plane:  # pages of a wordline follow one another
                plane = transactions.plane[page]
                planes += 1
            page = transactions.partner[page]
        if self.counters.planes_opened and op == READ:
            planes = self.counters.planes_opened
        dies.planes_at_work[lane] = planes
        self.counters.set_to_work(planes, at)
        self.bus_busy_ns += duration
        self.bus_until_ns = at + duration
        if by_page:
            return first_ns
        page = command
        while page:
            transactions.bus_ns[page] += duration
            page = transactions.partner[page]
        return duration
