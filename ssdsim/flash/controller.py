# cython: infer_types=True
"""Flash controllers: one a channel, which the processes of its dies share."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import BACKUP, COPYBACK, ERASE, GC, HOST, MAPPING, MERGE, PROGRAM, READ
from ssdsim._core.inlined import now
from ssdsim._core.kernel import resume_routine
from ssdsim.flash.bus import BusArbiter
from ssdsim.flash.counters import FlashCounters
from ssdsim.flash.die import Channel, Die
from ssdsim.flash.scheduler import TransactionSchedulingUnit
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transaction import Transaction
from ssdsim.stage import Stage


@cfunc
def is_of_host(transaction: Transaction) -> bool:
    """Return whether a transaction stands in the queues of the host's."""
    return transaction.source in (HOST, MAPPING, BACKUP)


@final
class FlashController(Channel):
    """Drives the dies of one channel over its shared bus.

    Each die has a process (`ssdsim.flash.die_process`) that follows its command through bus and array. The bus carries
    one thing at a time; who gets it when it falls free is the arbiter's decision, and what an idle die then starts is
    the scheduler's.

    With `collection_holds` a collection keeps the bus from the first command that moves a page until its erase begins,
    or until nothing more of it may start. Unless it is urgent, it starts only when the host has no work here, and that
    of the highest die first: in SSDSim, writes start on the lowest first, and who calls last is served first.
    """

    sensed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    programmed: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    erased: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    done: list[Any]  # by event: whom to tell (`ssdsim.flash.observer`)
    write_done_after_transfer: bool  # each page of a command when its own data is on the chip
    moves_planes_together: bool  # the data of a multi-plane read, without giving the bus away between
    collection_holds: bool  # the bus, from its first command until its erase
    holder: Die  # whose collection holds the bus, or None
    deferred: list[Any]  # dies whose collection waits for the host; each counts as asking
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
        self.arbiter = arbiter
        self.blocks = blocks
        self.counters = counters
        self.sensed = observers.sensed
        self.programmed = observers.programmed
        self.erased = observers.erased
        self.done = observers.done
        self.write_done_after_transfer = self.moves_planes_together = False
        self.collection_holds = False
        self.holder = None
        self.deferred = []
        self.bus_taken = False
        self.asking = 0
        self.bus_busy_ns = self.bus_until_ns = 0

    def ask(self, die: Die) -> None:
        """Add `die` to those that want the bus; `offer_bus` follows in the same instant."""
        self.asking += 1
        self.arbiter.ask(die)

    def bus_time_ns(self, now_ns: int) -> int:
        """Return the time that the bus has been held, up to now: its phases count when they begin."""
        return self.bus_busy_ns - max(self.bus_until_ns - now_ns, 0)

    def offer_bus(self) -> None:
        """Give the bus away if it is free and asked for."""
        if self.asking and not self.bus_taken:
            self.give_bus()

    def give_bus(self) -> None:
        """Give the free bus to the die that the arbiter chooses; its process goes on when that bus phase is over."""
        if self.collection_holds:
            self.ask_again()
        while self.asking:
            die: Die = self.arbiter.choose()
            if die is None:
                die = self.next_to_collect()
                if die is None:
                    break
            elif self.collection_holds and self.is_deferred(die):
                continue
            self.asking -= 1
            if die.transaction is not None:
                self.grant(die, self.move_out(die.transaction))
                break
            transaction = self.scheduler.take(die)
            if transaction is not None:
                self.grant(die, self.start(die, transaction))
                break
            die.idle = True

    @cfunc
    def ask_again(self) -> None:
        """Let the dies ask whose collection was put off, save those that have been woken and ask anyhow."""
        die: Die
        for die in self.deferred:
            if die.idle:
                die.idle = False
                self.arbiter.ask(die)
            else:
                self.asking -= 1
        self.deferred.clear()

    @cfunc
    def is_deferred(self, die: Die) -> bool:
        """Put off what `die` would start if it is of a collection that is not urgent; return whether it is."""
        if die.transaction is not None or die.urgent_planes:
            return False
        selected = self.scheduler.policy.select(die)
        if selected is None or is_of_host(selected):
            return False
        die.idle = True
        self.deferred.append(die)
        return True

    @cfunc
    def next_to_collect(self) -> Die:
        """Return the highest die whose collection was put off, None where there is none or the host has work."""
        chosen: Die = None
        for each in self.deferred:
            die: Die = each
            if chosen is None or die.index > chosen.index:
                chosen = die
        if chosen is None or self.host_has_work():
            return None
        self.deferred.remove(chosen)
        chosen.idle = False
        return chosen

    @cfunc
    def host_has_work(self) -> bool:
        """Return whether the host reads from a die of this channel, waits for one at work, or may start on another."""
        die: Die
        for die in self.arbiter.dies:
            if die.transaction is None:
                selected = self.scheduler.policy.select(die)
                if selected is not None and is_of_host(selected):
                    return True
            elif die.host_reads.length + die.host_writes.length > 0 or (
                die.gc_since_ns < 0 and die.transaction.op == READ
            ):
                return True
        return False

    @cfunc
    def collect_on(self, die: Die) -> int:
        """Start the next command of the collection that holds the bus and return its first phase; -1 if none may."""
        transaction = self.scheduler.take_of_collection(die)
        if transaction is None:
            self.holder = None
            return -1
        return self.start(die, transaction)

    @cfunc
    def grant(self, die: Die, phase_ns: int) -> None:
        """Let `die` hold the bus for so long."""
        self.bus_taken = True
        resume_routine(die.process, phase_ns)

    @cfunc
    def move_out(self, transaction: Transaction) -> int:
        """Begin to move the data of a read out and return for how long that holds the bus."""
        duration = self.timing.transfer_ns(transaction.bytes)
        transaction.data_start_ns = now(self.env)
        transaction.bus_ns += duration
        self.bus_busy_ns += duration
        self.bus_until_ns = transaction.data_start_ns + duration
        return duration

    @cfunc
    def page_phase_ns(self, transaction: Transaction) -> int:
        """Return for how long the command and the data of one page, whatever its partners, hold the bus."""
        duration = self.timing.command_ns(transaction.op)
        if transaction.op == PROGRAM:
            duration += self.timing.transfer_ns(transaction.bytes)
        return duration

    def start(self, die: Die, transaction: Transaction) -> int:
        """Make `transaction` the one that `die` executes and return the length of its first bus phase.

        That ends with the data of its first page where pages are complete with that, else with the command.
        """
        at = now(self.env)
        by_page: bool = self.write_done_after_transfer and transaction.op == PROGRAM
        if not is_of_host(transaction):
            die.gc_since_ns = at
            if die.urgent_planes:
                die.urgent_since_ns = at
            if self.collection_holds:
                self.holder = None if transaction.op == ERASE else die
        die.transaction = transaction
        duration = 0
        each: Transaction = transaction
        while each is not None:
            die.planes_at_work += 1
            die.end_wait(each, at)
            each.bus_start_ns = at
            each.array_start_ns = -1
            duration += self.page_phase_ns(each)
            if each is not transaction:
                duration += self.timing.plane_busy_ns(each.op)
            if by_page:
                each.bus_ns += duration
            each = each.partner
        if self.counters.planes_opened and transaction.op == READ:
            die.planes_at_work = self.counters.planes_opened
        self.counters.set_to_work(die.planes_at_work, at)
        self.bus_busy_ns += duration
        self.bus_until_ns = at + duration
        if by_page:
            return self.page_phase_ns(transaction)
        each = transaction
        while each is not None:
            each.bus_ns += duration
            each = each.partner
        return duration

    def begin_array(self, transaction: Transaction) -> int:
        """Start the array on a command and return for how long it is busy."""
        at = now(self.env)
        array_ns = self.array_ns(transaction)
        while transaction is not None:
            transaction.array_start_ns = at
            transaction.array_end_ns = at + array_ns
            if transaction.op == PROGRAM and self.write_done_after_transfer and transaction.partner is None:
                self.transferred(transaction)
            transaction.array_ns += array_ns
            transaction = transaction.partner
        return array_ns

    @cfunc
    def transferred(self, transaction: Transaction) -> None:
        """Tell the owner of a program that its data is on the chip."""
        owner: Stage = transaction.owner
        owner.transferred(transaction)

    def array_ns(self, transaction: Transaction) -> int:
        """Return for how long a command holds the array: as long as its slowest page.

        Copy-backs in several planes first all read and then all program.
        """
        if transaction.partner is None and transaction.op != COPYBACK:
            return self.timing.array_ns(transaction.op, transaction.page_type)
        source_ns = 0
        slowest_ns = 0
        while transaction is not None:
            op = transaction.op
            if op == COPYBACK:
                source_type = self.timing.page_type[transaction.copied_from % self.blocks.pages_per_block]
                source_ns = max(source_ns, self.timing.array_ns(READ, source_type))
                op = PROGRAM
            slowest_ns = max(slowest_ns, self.timing.array_ns(op, transaction.page_type))
            transaction = transaction.partner
        return source_ns + slowest_ns

    def array_done(self, transaction: Transaction) -> None:
        """Carry the array operation that has just ended, on one plane or several, over to the state of the blocks."""
        op = transaction.op
        array_ns = transaction.array_end_ns - transaction.array_start_ns
        joined: bool = transaction.partner is not None
        if self.counters.planes_opened and op == READ:
            joined = True
            self.counters.add_opened(transaction.plane, array_ns)
        collects = False
        moved_ns = 0
        while transaction is not None:
            if op == READ:
                self.blocks.remove_reader(transaction.block)
                for tell in self.sensed:
                    tell(transaction)
            elif op in (PROGRAM, COPYBACK):
                self.blocks.program(transaction.ppa)
                for tell in self.programmed:
                    tell(transaction)
            elif op == ERASE:
                self.blocks.erase(transaction.block)
                for tell in self.erased:
                    tell(transaction)
            self.counters.add(op, transaction.source, transaction.plane, array_ns, joined)
            if transaction.source in (GC, MERGE):
                collects = True
                if op in (READ, PROGRAM):
                    moved_ns += self.timing.transfer_ns(transaction.bytes)
            transaction = transaction.partner
        if collects:
            self.counters.add_collection(op, array_ns, moved_ns)

    def finish(self, die: Die, transaction: Transaction) -> None:
        """Account for a finished command, free its die, and tell the owners of what is left of it."""
        at = now(self.env)
        die.busy_ns += at - transaction.bus_start_ns
        if die.gc_since_ns >= 0:
            die.gc_busy_ns += at - die.gc_since_ns
            die.gc_since_ns = -1
        if die.urgent_since_ns >= 0:
            die.urgent_busy_ns += at - die.urgent_since_ns
            die.urgent_since_ns = -1
        self.counters.set_to_work(-die.planes_at_work, at)
        die.planes_at_work = 0
        die.transaction = None
        while transaction is not None:
            partner = transaction.partner
            self.complete(transaction, at)
            transaction = partner

    def complete(self, transaction: Transaction, at: int) -> None:
        """Count a page that the host has written, and tell observers and the owner of `transaction` that it is done."""
        if transaction.partner is not None:
            transaction.partner = None
        if transaction.op == PROGRAM and transaction.source == HOST:
            if not transaction.asked:
                waited_ns = transaction.line_ns + transaction.held_ns
                self.counters.host_page_done(at - transaction.queued_ns + waited_ns, transaction.gc_ns > 0)
            if self.counters.by_page:
                self.counters.eviction_done(at)
        for tell in self.done:
            tell(transaction, at)
        owner: Stage = transaction.owner
        owner.done(transaction)
