# cython: infer_types=True
"""The dies as the back end sees them: what waits for each, what it is doing, and how long it has been busy."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, final

from ssdsim._core.calls import cfunc, inline
from ssdsim._core.codes import READ
from ssdsim._core.columns import Int64s
from ssdsim.flash.budget import CollectionBudget
from ssdsim.flash.queues import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES, TransactionQueues
from ssdsim.flash.transactions import Transactions

if TYPE_CHECKING:
    from ssdsim.flash.lanes import Lanes
    from ssdsim.flash.suspension import Suspension


@final
class Dies:
    """The dies, by column, from 0: each executes one command at a time, or several where its chip can do more.

    A command is carried out in a *lane* of its die, of which there is one, or several on such chips
    (`ssdsim.flash.lanes`). Lane 0 of die d has the number `d * lanes_per_die`: lanes are dies where there is one each.

    Where chips are commanded as one (`hardware.command_unit=chip`) each counts as a die here, with the planes of all of
    its own: plane p is in number `p // hardware.planes_per_unit`.

    A chip's queue is kept as the queues of its dies, by source and direction, because only a transaction for an idle
    die can be started. Erases stand among the garbage collector's writes; backups, which writes wait for, and reads and
    writes of the mapping table, which requests wait for, stand among the host's.
    """

    waiting: Int64s  # transactions in the four queues
    idle: Int64s  # nothing to start, and nobody has yet been told of new work
    transaction: Int64s  # by lane: the first of the command that it is executing, or 0
    commands: Int64s  # that it executes, counted where it has several lanes
    suspended: Int64s  # the first of the command that has been suspended, or 0
    planes_at_work: Int64s  # by lane: by what it is executing
    urgent_planes: Int64s  # planes whose collection has the turns of the host's writes
    critical_planes: Int64s  # those of them whose collection has those of the host's reads, too
    collection_began: Int64s  # the number of the next transaction when the latest collection began
    next_asking: Int64s  # by lane: behind it in the line for the bus, or -1
    asks_to_start: Int64s  # by lane: for an arbiter that keeps no line
    asks_for_data_out: Int64s  # by lane: for an arbiter that keeps no line
    busy_ns: Int64s
    gc_busy_ns: Int64s  # for others than the host
    urgent_busy_ns: Int64s  # of that, for collection that was urgent
    gc_since_ns: Int64s  # start of the running command if not for the host, else -1
    urgent_since_ns: Int64s  # the same if it is for a collection that was urgent then
    buses: list[Any]  # by lane: the `Channel` that moves its commands and data, once there is a back end
    processes: list[Any]  # by lane: the `DieProcess`, to go on when the bus phase that it asked for is over
    per_channel: int
    per_chip: int
    budget: CollectionBudget | None  # of what works for others than the host, None where that has none
    suspension: Suspension  # or None where commands are not suspended
    lanes: Lanes  # or None where each has one
    lanes_per_die: int
    plain: bool  # each carries out one command at a time, to its end
    is_special: bool  # there are lanes, a suspension or a budget, which are told of starts and ends

    def __init__(
        self, transactions: Transactions, count: Any, per_channel: int, per_chip: int, lanes_per_die: int = 1
    ) -> None:
        self.transactions = transactions
        self.queues = TransactionQueues(transactions, count * QUEUES)
        self.count = int(count)
        self.per_channel = per_channel
        self.per_chip = per_chip
        self.lanes_per_die = lanes_per_die
        lane_count = self.count * lanes_per_die
        self.waiting = array("q", [0] * count)
        self.idle = array("q", [1] * count)
        self.transaction = array("q", [0] * lane_count)
        self.commands = array("q", [0] * count)
        self.suspended = array("q", [0] * count)
        self.planes_at_work = array("q", [0] * lane_count)
        self.urgent_planes = array("q", [0] * count)
        self.critical_planes = array("q", [0] * count)
        self.collection_began = array("q", [0] * count)
        self.next_asking = array("q", [-1] * lane_count)
        self.asks_to_start = array("q", [0] * lane_count)
        self.asks_for_data_out = array("q", [0] * lane_count)
        self.busy_ns = array("q", [0] * count)
        self.gc_busy_ns = array("q", [0] * count)
        self.urgent_busy_ns = array("q", [0] * count)
        self.gc_since_ns = array("q", [-1] * count)
        self.urgent_since_ns = array("q", [-1] * count)
        self.buses = [None] * lane_count
        self.processes = [None] * lane_count
        self.budget = None
        self.suspension = None
        self.lanes = None
        self.plain = True
        self.is_special = False

    def note_parts(self) -> None:
        """Note whether there are parts that few devices have, so that commands of others do not look for each."""
        self.plain = self.lanes is None and self.suspension is None
        self.is_special = not self.plain or self.budget is not None

    def queue_for(self, transaction: int) -> int:
        """Return the queue in which a transaction of its die waits."""
        first = self.transactions.die[transaction] * QUEUES
        if not self.transactions.is_of_host(transaction):
            first += GC_READS
        return first if self.transactions.op[transaction] == READ else first + 1

    def takes_writes(self, die: int, queue_limit: int) -> bool:
        """Return whether a write of the host's that came now would be one of up to `queue_limit` to go next.

        So nothing is executing or suspended, the host's reads go first, and so does what collection has queued while it
        is urgent.
        """
        queues = self.queues
        first = die * QUEUES
        if self.is_executing(die) or queues.length[first + HOST_READS]:
            return False
        if queues.length[first + HOST_WRITES] >= queue_limit:
            return False
        return not self.urgent_planes[die] or not (queues.head[first + GC_READS] or queues.head[first + GC_WRITES])

    @inline
    def is_executing(self, die: int) -> bool:
        """Return whether a die executes a command, or has one suspended."""
        if self.lanes_per_die > 1:
            return self.commands[die] != 0 or self.suspended[die] != 0
        return self.transaction[die] != 0 or self.suspended[die] != 0

    @inline
    def is_idle(self, die: int) -> bool:
        """Return whether a die has nothing to do, and nobody has yet been told of new work."""
        return self.idle[die] != 0 and not self.commands[die]

    def command_of(self, die: int) -> int:
        """Return the first of the command that a die executes, of one of them where it has several lanes, or 0."""
        for lane in range(die * self.lanes_per_die, (die + 1) * self.lanes_per_die):
            if self.transaction[lane]:
                return self.transaction[lane]
        return 0

    def array_ns(self, command: int, now_ns: int) -> int:
        """Return for how long an array has worked, up to now, for a command that has begun and is not done."""
        transactions = self.transactions
        until_ns = now_ns
        if transactions.array_end_ns[command] < 0:  # it is suspended
            until_ns = self.suspension.stopped_ns[transactions.die[command]]
        return until_ns - transactions.array_start_ns[command] - transactions.suspended_ns[command]

    @cfunc
    def started(self, die: int, lane: int, transaction: int, now_ns: int) -> None:
        """Tell the parts that there are that `die` starts a command in `lane`."""
        if self.lanes is not None:
            self.lanes.started(die, lane, now_ns)
        if self.budget is not None:
            is_of_host: bool = self.transactions.is_of_host(transaction)
            self.budget.started(die, self.transactions.op[transaction], is_of_host, self.gc_busy_ns[die])
        while self.suspension is not None and transaction:
            self.transactions.suspensions[transaction] = self.transactions.suspended_ns[transaction] = 0
            transaction = self.transactions.partner[transaction]

    @cfunc
    def finished(self, die: int, lane: int, transaction: int, now_ns: int) -> None:
        """Count the time of a command of `die` that ends, and tell the parts that there are."""
        if self.lanes is not None:
            self.lanes.finished(die, lane, now_ns)
        elif not self.suspended[die]:  # else the suspended command counts, from its start to its end
            self.busy_ns[die] += now_ns - self.transactions.bus_start_ns[transaction]

    @inline
    def end_gc(self, die: int, now_ns: int) -> None:
        """Count the time that a die has worked for others than the host, if it has, and begin anew."""
        if self.gc_since_ns[die] >= 0:
            self.gc_busy_ns[die] += now_ns - self.gc_since_ns[die]
            self.gc_since_ns[die] = -1
            if self.urgent_since_ns[die] >= 0:
                self.urgent_busy_ns[die] += now_ns - self.urgent_since_ns[die]
                self.urgent_since_ns[die] = -1
            if self.budget is not None:
                self.budget.worked(die, self.gc_busy_ns[die])

    @inline
    def begin_wait(self, die: int, transaction: int, now_ns: int) -> None:
        """Record, when `transaction` is queued, how long its die has worked for others than the host."""
        gc_ns = self.gc_busy_ns[die]
        urgent_ns = self.urgent_busy_ns[die]
        if self.gc_since_ns[die] >= 0:
            gc_ns += now_ns - self.gc_since_ns[die]
            if self.urgent_since_ns[die] >= 0:
                urgent_ns += now_ns - self.urgent_since_ns[die]
        self.transactions.gc_mark_ns[transaction] = gc_ns
        self.transactions.urgent_mark_ns[transaction] = urgent_ns

    @inline
    def end_wait(self, die: int, transaction: int, now_ns: int) -> None:
        """Add to a transaction, which is started, how long its die has worked meanwhile for others than the host.

        Of that, `urgent_gc_ns` is for collection that was urgent when the command began.
        """
        gc_ns = self.gc_busy_ns[die] - self.transactions.gc_mark_ns[transaction]
        urgent_ns = self.urgent_busy_ns[die] - self.transactions.urgent_mark_ns[transaction]
        if self.gc_since_ns[die] >= 0:
            gc_ns += now_ns - self.gc_since_ns[die]
            if self.urgent_since_ns[die] >= 0:
                urgent_ns += now_ns - self.urgent_since_ns[die]
        self.transactions.held_ns[transaction] = self.transactions.gc_ns[transaction]
        self.transactions.gc_ns[transaction] += gc_ns
        self.transactions.urgent_gc_ns[transaction] += urgent_ns

    def what_waits(self) -> list[str]:
        """Return a phrase for each die that something waits for."""
        phrases = []
        for die in range(self.count):
            command = self.command_of(die)
            if self.waiting[die] or command:
                busy = f"executing for page {self.transactions.ppa[command]}" if command else "idle"
                phrases.append(f"{self.waiting[die]} transactions wait for die {die}, which is {busy}")
        return phrases
