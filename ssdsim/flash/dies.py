# cython: infer_types=True
"""The dies as the back end sees them: what waits for each, what it is doing, and how long it has been busy."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int8s, Int64s
from ssdsim.device_view import Policy
from ssdsim.flash.transactions import TransactionQueues, Transactions

QUEUES: Final = 4
"""Queues of a die; those of die d are numbered from `d * QUEUES`, in this order."""
HOST_READS: Final = 0
HOST_WRITES: Final = 1
GC_READS: Final = 2
GC_WRITES: Final = 3

IDLE: Final = 0
"""Phases of a lane, in `Dies.phase`: its process has not begun."""
COMMAND: Final = 1  # the lane is free, or a command is on the bus, and so is the data of a program
ARRAY: Final = 2  # the array works
DATA_OUT: Final = 3  # the data of a read waits for the bus in the page register, or crosses it
CACHED: Final = 4  # the same in the cache register; the page register is free
HELD: Final = 5  # data of a read waits for the cache register, or data of a program there for the array
RELEASED: Final = 6  # that is free
CACHING: Final = 7  # data is on its way from one register to the other
PROGRESS: Final = 8  # from here on, of an array that can be suspended (`ssdsim.flash.suspension`)
OPEN: Final = 9
STOPPING: Final = 10
RESUMING: Final = 11


BY_DIE = (
    *("waiting", "commands", "suspended", "urgent_planes", "critical_planes", "collection_began"),
    *("busy_ns", "busy_since_ns", "gc_busy_ns", "urgent_busy_ns"),
)
"""The names of the columns of `Dies` by die that begin with 0."""


class Selector(Policy):
    """Selects the command that a die starts next, as `ssdsim.flash.scheduler.unit.SchedulingPolicy`."""

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, or 0."""
        raise NotImplementedError

    def may_start(self, transaction: int) -> bool:
        """Return whether the flash allows `transaction` now."""
        raise NotImplementedError

    def taken(self, die: int, transaction: int) -> None:
        """React to `transaction`, which has just left its queue to start on `die`."""


@final
class Dies:
    """The dies, by column, from 0: each executes one command at a time, or several where its chip can do more.

    A command is carried out in a *lane* of its die, of which there is one, or several on such chips
    (`ssdsim.flash.lanes`). Lane 0 of die d has the number `d * lanes_per_die`: with one each, lanes are dies.

    Where chips are commanded as one (`hardware.command_unit=chip`) each counts as a die here, with the planes of all of
    its own: plane p is in number `p // hardware.planes_per_unit`.

    A chip's queue is kept as the queues of its dies, by source and direction, because only a transaction for an idle
    die can be started. Erases stand among the garbage collector's writes; backups, which writes wait for, and reads and
    writes of the mapping table, which requests wait for, stand among the host's.
    """

    waiting: Int64s  # transactions in the four queues
    idle: Int64s  # nothing to start, and nobody has yet been told of new work
    transaction: Int64s  # by lane: the first of the command that it is executing, or 0
    phase: Int8s  # by lane: what its process waits for the end of
    commands: Int64s  # that it executes, and one that it has suspended
    asks: Int8s  # a lane asks for the bus to start a command, or is about to, or not all have begun
    suspended: Int64s  # the first of the command that has been suspended, or 0
    planes_at_work: Int64s  # by lane: by what it is executing
    urgent_planes: Int64s  # planes whose collection has the turns of the host's writes
    critical_planes: Int64s  # those of them whose collection has those of the host's reads, too
    collection_began: Int64s  # the number of the next transaction when the latest collection began
    next_asking: Int64s  # by lane: behind it in the line for the bus, or -1
    asks_for_bus: Int8s  # by lane: for an arbiter that keeps no line
    busy_ns: Int64s
    busy_since_ns: Int64s  # the start of the first of its commands
    gc_busy_ns: Int64s  # for others than the host
    urgent_busy_ns: Int64s  # of that, for collection that was urgent
    gc_since_ns: Int64s  # start of the running command if not for the host, else -1
    urgent_since_ns: Int64s  # the same if it is for a collection that was urgent then
    buses: list[Any]  # by lane: the `Channel` that moves its commands and data, once there is a back end
    processes: list[Any]  # by lane: the `DieProcess`, to go on when the bus phase that it asked for is over
    per_channel: int
    per_chip: int
    lanes: list[Any]  # by die: its `Lanes`, where chips do more than one command after another
    lanes_per_die: int
    plain: bool  # they do not

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
        for name in BY_DIE:
            setattr(self, name, array("q", [0] * count))
        self.transaction = array("q", [0] * lane_count)
        self.planes_at_work = array("q", [0] * lane_count)
        self.phase = array("b", [IDLE] * lane_count)
        self.asks_for_bus = array("b", [0] * lane_count)
        self.next_asking = array("q", [-1] * lane_count)
        self.asks = array("b", [1] * count)
        self.idle = array("q", [1] * count)
        self.gc_since_ns = array("q", [-1] * count)
        self.urgent_since_ns = array("q", [-1] * count)
        self.buses = [None] * lane_count
        self.processes = [None] * lane_count
        self.lanes = []
        self.plain = True

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

    @cfunc
    def is_executing(self, die: int) -> bool:
        """Return whether a die executes a command, or has one suspended."""
        return self.commands[die] != 0

    @cfunc
    def is_idle(self, die: int) -> bool:
        """Return whether a die has nothing to do, and nobody has yet been told of new work."""
        return self.idle[die] != 0 and not self.commands[die]

    def command_of(self, die: int) -> int:
        """Return the first of the command that a die executes, of one of them where it has several lanes, or 0."""
        for lane in range(die * self.lanes_per_die, (die + 1) * self.lanes_per_die):
            if self.transaction[lane]:
                return self.transaction[lane]
        return 0

    @cfunc
    def free_lane(self, die: int) -> int:
        """Return the first lane of a die that executes nothing, or -1."""
        lane = die * self.lanes_per_die
        left = self.lanes_per_die
        while self.transaction[lane]:
            lane += 1
            left -= 1
            if not left:
                return -1
        return lane

    @cfunc
    def begin_gc(self, die: int, now_ns: int, is_urgent: bool) -> None:
        """Count time from now on as worked for others than the host, and perhaps for urgent collection."""
        self.gc_since_ns[die] = now_ns
        if is_urgent:
            self.urgent_since_ns[die] = now_ns

    @cfunc
    def end_gc(self, die: int, now_ns: int) -> None:
        """Count the time that a die has worked for others than the host up to now."""
        self.gc_busy_ns[die] += now_ns - self.gc_since_ns[die]
        self.gc_since_ns[die] = -1
        if self.urgent_since_ns[die] >= 0:
            self.urgent_busy_ns[die] += now_ns - self.urgent_since_ns[die]
            self.urgent_since_ns[die] = -1

    def what_waits(self) -> list[str]:
        """Return a phrase for each die that something waits for."""
        phrases = []
        for die in range(self.count):
            command = self.command_of(die)
            if self.waiting[die] or command:
                busy = f"executing for page {self.transactions.ppa[command]}" if command else "idle"
                phrases.append(f"{self.waiting[die]} transactions wait for die {die}, which is {busy}")
        return phrases
