# cython: infer_types=True
"""The flash-level interference-aware scheduler (FLIN): streams of requests are slowed down alike."""

from __future__ import annotations

from array import array
from functools import partial
from typing import Any, Final

from ssdsim._core.blocks import Blocks
from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim.config.validators import check_option, is_number
from ssdsim.flash.dies import Dies
from ssdsim.flash.queues import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES
from ssdsim.flash.scheduler.fair_order import FairOrder
from ssdsim.flash.scheduler.policy import SchedulingPolicy

CLASSES: Final = 4  # of priority
TURNS: Final = 15  # of a round, of which a class has twice as many as the next

OPTIONS = {
    "epoch_ms": (1e-3, 1e6, "milliseconds, 0.001 to 1e6"),
    "low_read_mib_s": (0, 1e6, "MiB a second, 0 to 1e6"),
    "low_write_mib_s": (0, 1e6, "MiB a second, 0 to 1e6"),
    "fairness_threshold": (0, 1, "a share, 0 to 1"),
}
"""Least and most of each option, in words, too."""


def is_between(least: Any, most: Any, value: Any) -> bool:
    """Return whether `value` is a number from `least` to `most`."""
    return is_number(value) and least <= value <= most


class Flin(SchedulingPolicy):
    """FLIN (Tavakkol et al., ISCA 2018): queues in an order that is fair to streams, and turns of reads and writes.

    1. Transactions are queued in a `FairOrder`.
    2. Classes of priority (`host.priorities`) have turns at the die, each twice as many as the next.
    3. Of the next read and the next write that goes first which waits longer in proportion to its own time, if the
       other and the collection due go before it. While collection is urgent, so much of it is due before a write as the
       share of that stream in the writes to the die, since its last erase, says.

    The defaults are MQSim's (`SSD_Device.cpp`), its rates taken for those of a second.
    """

    epoch_ms: float
    rates: Any  # MiB a second, by direction
    fairness_threshold: float
    order: FairOrder
    streams: int
    priorities: Int64s  # by stream
    turns: Int64s  # by die and direction: the next of the round
    class_of_turn: Int64s
    first_of_class: Int64s  # of the queue that is looked at
    written: Int64s  # by die and stream: programs since its last erase
    collected: Int64s  # by die: transactions of others than the host since its last write

    def __init__(
        self,
        epoch_ms: float = 10.0,
        low_read_mib_s: float = 32.0,
        low_write_mib_s: float = 0.25,
        fairness_threshold: float = 0.6,
    ) -> None:
        values = (epoch_ms, low_read_mib_s, low_write_mib_s, fairness_threshold)
        for value, (name, (least, most, words)) in zip(values, OPTIONS.items(), strict=True):
            check_option(f"scheduler.options.{name}", value, partial(is_between, least, most), words)
        self.epoch_ms = epoch_ms
        self.rates = (low_read_mib_s, low_write_mib_s)
        self.fairness_threshold = fairness_threshold

    def bind(self, blocks: Blocks, dies: Dies) -> None:
        """Receive the state of the flash blocks, and of the dies with what waits for them."""
        SchedulingPolicy.bind(self, blocks, dies)
        self.heeds_arrivals = True
        # of a silent stream at least: it is of low intensity, whatever the rate
        low_bytes = [max(int(rate * 2**20 * self.epoch_ms / 1000 / dies.count), 1) for rate in self.rates]
        epoch_ns = round(self.epoch_ms * 1e6)
        self.order = FairOrder(self.device, dies, self.timing, epoch_ns, low_bytes, self.fairness_threshold)
        self.streams = len(self.device.streams)
        self.priorities = array("q", self.device.priorities)
        self.turns = array("q", [0] * (dies.count * 2))
        self.class_of_turn = array("q", [(turn & -turn).bit_length() - 1 for turn in range(1, TURNS + 1)])
        self.first_of_class = array("q", [0] * CLASSES)
        self.written = array("q", [0] * (dies.count * self.streams))
        self.collected = array("q", [0] * dies.count)

    def arrived(self, transaction: int) -> None:
        """Put a transaction where that is fairest."""
        self.order.arrived(transaction)

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, or 0."""
        chosen = self.next_of_host(die)
        if chosen and not self.dies.critical_planes[die]:
            is_read: bool = self.transactions.op[chosen] == READ
            if is_read or not self.dies.urgent_planes[die] or not self.due(die, chosen):
                return chosen
        other = self.next_of_others(die)
        return other if other else chosen

    @cfunc
    def next_of_others(self, die: int) -> int:
        """Return the oldest read of others than the host that may start, or else their oldest write or erase, or 0."""
        read = self.first(die * QUEUES + GC_READS)
        return read if read else self.first(die * QUEUES + GC_WRITES)

    @cfunc
    def next_of_host(self, die: int) -> int:
        """Return the read or the write whose turn it is, whichever has waited longer in proportion, or 0."""
        read, write = self.next_in_turn(die, HOST_READS), self.next_in_turn(die, HOST_WRITES)
        if not read or not write:
            return read if read else write
        read_ns, write_ns, now_ns = self.order.own_ns(read), self.order.own_ns(write), now(self.device.env)
        due_ns = self.due_ns(die, write) if self.dies.urgent_planes[die] else 0
        read_wait_ns = now_ns - self.transactions.queued_ns[read] + write_ns + due_ns
        write_wait_ns = now_ns - self.transactions.queued_ns[write] + read_ns + due_ns
        # where reads or writes take no time, they go first
        return write if float(read_wait_ns) * write_ns < float(write_wait_ns) * read_ns else read

    @cfunc
    def next_in_turn(self, die: int, direction: int) -> int:
        """Return the first transaction that may start of the class whose turn it is, of those that have one, or 0."""
        for priority in range(CLASSES):
            self.first_of_class[priority] = 0
        turn = self.turns[die * 2 + direction]
        wanted = self.class_of_turn[turn]
        transaction = self.queues.head[die * QUEUES + direction]
        while transaction and not self.first_of_class[wanted]:
            if self.may_start(transaction):
                stream = self.transactions.stream[transaction]
                if stream < 0:
                    return transaction
                if not self.first_of_class[self.priorities[stream]]:
                    self.first_of_class[self.priorities[stream]] = transaction
            transaction = self.transactions.next[transaction]
        for step in range(TURNS):
            found = self.first_of_class[self.class_of_turn[(turn + step) % TURNS]]
            if found:
                return found
        return 0

    @cfunc
    def due(self, die: int, write: int) -> int:
        """Return how many transactions of others than the host are due before a write, of those that wait."""
        others = die * QUEUES + GC_READS
        waiting = self.queues.length[others] + self.queues.length[others + 1]
        stream, total = self.transactions.stream[write], 0
        if stream < 0:
            return 0
        for each in range(die * self.streams, (die + 1) * self.streams):
            total += self.written[each]
        owed = waiting + self.collected[die]
        if total:
            owed = owed * self.written[die * self.streams + stream] // total
        return min(max(owed - self.collected[die], 0), waiting)

    @cfunc
    def due_ns(self, die: int, write: int) -> int:
        """Return the time of the collection that is due before a write: each transaction takes that of the next one."""
        other = self.next_of_others(die)
        return self.due(die, write) * self.order.own_ns(other) if other else 0

    def taken(self, die: int, transaction: int) -> None:
        """Let turns pass on, and count writes and collection."""
        transactions = self.transactions
        direction = transactions.queue[transaction] % QUEUES
        if direction >= GC_READS:
            self.collected[die] += 1
            if transactions.op[transaction] == ERASE:
                for each in range(die * self.streams, (die + 1) * self.streams):
                    self.written[each] = 0
            return
        stream = transactions.stream[transaction]
        if stream < 0:
            return
        turn = self.turns[die * 2 + direction]
        while self.class_of_turn[turn] != self.priorities[stream]:
            turn = (turn + 1) % TURNS
        self.turns[die * 2 + direction] = (turn + 1) % TURNS
        if direction == HOST_WRITES:
            self.collected[die] = 0
            self.written[die * self.streams + stream] += 1
