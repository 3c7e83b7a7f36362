# cython: infer_types=True
"""The flash-level interference-aware scheduler (FLIN): streams of requests are slowed down alike."""

from __future__ import annotations

from array import array
from typing import Any, Final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import ERASE, READ
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim.config.validators import check_option, number
from ssdsim.flash.dies import GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, QUEUES
from ssdsim.flash.scheduler.policy import SchedulingPolicy

CLASSES: Final = 4  # of priority
TURNS: Final = 15  # of a round, of which a class has twice as many as the next

HIGH: Final = 0  # how a transaction was queued: of a stream of high intensity,
LOW: Final = 1  # of one of low intensity,
BARRIER: Final = 2  # or of high intensity and moved forward, so that none of these passes it any more

THOUSANDTHS: Final = 1000  # slowdowns are kept in these
INFINITE: Final = 1 << 60  # more than any slowdown, and than the bytes of an epoch


class Flin(SchedulingPolicy):
    """FLIN (Tavakkol et al., ISCA 2018): queues in an order that is fair to streams, and turns of reads and writes.

    1. When a transaction of the host's arrives, it is moved to where that is fairest (Algorithm 1). One of a
       low-intensity stream goes before those of high-intensity ones of its class of priority, and within these as far
       forward as is fairest: where the smallest over the largest slowdown expected of what waits is largest. If streams
       fare unequally (below `fairness_threshold`), one of the high-intensity stream that is slowed down most goes
       before all of these instead, and is not passed by them any more. A stream's own order stays. A stream is of low
       intensity where it has moved less than `low_bytes` in the last epoch, and none of its transactions wait that came
       when it was not; in the first epoch all are of high intensity.
    2. Classes of priority (`host.priorities`) have turns at the die, each twice as many as the next.
    3. Of the next read and the next write that goes first which waits longer in proportion to its own time, if the
       other and the collection due go before it. While collection is urgent, so much of it is due before a write as the
       share of that stream in the writes to the die, since its last erase, says.

    What no stream asks for (tables, backups) is what others wait for, and goes first. Times that are expected take no
    account of multi-plane commands or of the bus. A queue is visited twice at most. The defaults are MQSim's
    (`SSD_Device.cpp`), its rates taken for those of a second.
    """

    epoch_ns: int
    rates: Any  # MiB a second, by direction
    fairness_threshold: float
    streams: int
    priorities: Int64s  # by stream
    low_bytes: Int64s  # by direction: what a low-intensity stream moves in an epoch at a die, below that
    # By die, stream and direction:
    epochs: Int64s  # in which its bytes were counted last
    counted_bytes: Int64s
    last_bytes: Int64s  # in the epoch before that
    # By transaction:
    alone_ns: Int64s  # for which it would wait without other streams
    standing: Int64s  # HIGH, LOW or BARRIER
    # Of the class and queue that a transaction is put in:
    line: Int64s  # transactions that it may pass, in order
    least: Int64s  # by place there: the smallest slowdown before it, in thousandths
    most: Int64s  # the largest one
    starts_ns: Int64s  # when the die would begin with each, and after all of them
    sums: Int64s  # by stream: of the slowdowns
    counts: Int64s
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
        options = {
            "epoch_ms": (epoch_ms, number(1e-3, 1e6)),
            "low_read_mib_s": (low_read_mib_s, number(0, 1e6)),
            "low_write_mib_s": (low_write_mib_s, number(0, 1e6)),
            "fairness_threshold": (fairness_threshold, number(0, 1)),
        }
        for name, (value, allowed) in options.items():
            check_option(f"scheduler.options.{name}", value, allowed.test, allowed.must_be)
        self.epoch_ns = round(epoch_ms * 1e6)
        # of a silent stream at least: it is of low intensity, whatever the rate
        self.rates = (low_read_mib_s * 2**20 * epoch_ms / 1000, low_write_mib_s * 2**20 * epoch_ms / 1000)
        self.fairness_threshold = fairness_threshold

    def bind(self, scheduler: Any) -> None:
        """Receive the scheduler."""
        SchedulingPolicy.bind(self, scheduler)
        dies = self.dies.count
        self.streams = len(self.device.streams)
        self.priorities = array("q", self.device.priorities)
        self.low_bytes = array("q", [max(int(bytes_an_epoch / dies), 1) for bytes_an_epoch in self.rates])
        flows = dies * self.streams * 2
        self.epochs, self.counted_bytes = array("q", [0] * flows), array("q", [0] * flows)
        self.last_bytes = array("q", [INFINITE] * flows)  # of high intensity in the first epoch
        self.sums, self.counts = array("q", [0] * self.streams), array("q", [0] * self.streams)
        self.turns = array("q", [0] * (dies * 2))
        self.class_of_turn = array("q", [(turn & -turn).bit_length() - 1 for turn in range(1, TURNS + 1)])
        self.first_of_class = array("q", [0] * CLASSES)
        self.written = array("q", [0] * (dies * self.streams))
        self.collected = array("q", [0] * dies)
        self.lengthen(0)

    def lengthen(self, length: int) -> None:
        """Make room for as many transactions as there are, in place of `length`."""
        for name in ("alone_ns", "standing", "line", "least", "most", "starts_ns"):
            column = array("q", bytes(8 * len(self.transactions.op)))
            column[:length] = array("q", getattr(self, name) if length else ())
            setattr(self, name, column)

    # The fairest place in a queue.

    def arrived(self, transaction: int) -> None:
        """Move a transaction, which has just been queued at the end, to where that is fairest."""
        transactions = self.transactions
        queue = transactions.queue[transaction]
        if queue % QUEUES >= GC_READS:
            return
        if len(self.standing) < len(transactions.op):
            self.lengthen(len(self.standing))
        self.standing[transaction] = HIGH
        self.alone_ns[transaction] = 0
        if transactions.stream[transaction] < 0:
            before = self.queues.head[queue]
            while transactions.stream[before] < 0 and before != transaction:
                before = transactions.next[before]
        else:
            before = self.fairest_successor(queue, transaction)
        if before and before != transaction:
            self.queues.remove(queue, transaction)
            self.queues.insert(queue, transaction, before)

    @cfunc
    def fairest_successor(self, queue: int, transaction: int) -> int:
        """Return the transaction of a queue that a new one is to be put before, or 0 if that stays at the end."""
        transactions = self.transactions
        stream = transactions.stream[transaction]
        size_bytes = transactions.bytes[transaction]
        now_ns: int = now(self.device.env)
        is_low: bool = self.is_low(transactions.die[transaction], stream, queue % QUEUES, size_bytes)
        if is_low and not self.has_high(queue, stream, transaction):
            self.standing[transaction] = LOW
        count = self.look_up(queue, transaction, now_ns)
        place = count
        if self.standing[transaction] == HIGH and self.is_slowest(queue, transaction, now_ns):
            while place and self.may_overtake(stream, self.line[place - 1]):
                place -= 1
            self.standing[transaction] = BARRIER
        else:
            place = self.fairest_place(transaction, count)
        if place < count:
            return self.line[place]
        before = self.queues.head[queue] if self.standing[transaction] == LOW else 0
        while before and not (self.is_alike(before, transaction) and self.standing[before] != LOW):
            before = transactions.next[before]  # to the first of high intensity
        return before

    @cfunc
    def is_low(self, die: int, stream: int, direction: int, size_bytes: int) -> bool:
        """Return whether a stream is of low intensity at a die, after the last epoch, and count `size_bytes` more."""
        flow = (die * self.streams + stream) * 2 + direction
        epoch: int = now(self.device.env) // self.epoch_ns
        if epoch != self.epochs[flow]:
            self.last_bytes[flow] = self.counted_bytes[flow] if epoch == self.epochs[flow] + 1 else 0
            self.epochs[flow] = epoch
            self.counted_bytes[flow] = 0
        self.counted_bytes[flow] += size_bytes
        return self.last_bytes[flow] < self.low_bytes[direction]

    @cfunc
    def has_high(self, queue: int, stream: int, transaction: int) -> bool:
        """Return whether one of `stream` other than a new transaction waits that was queued as of high intensity."""
        each = self.queues.head[queue]
        while each != transaction and (self.transactions.stream[each] != stream or self.standing[each] == LOW):
            each = self.transactions.next[each]
        return each != transaction

    @cfunc
    def is_alike(self, transaction: int, other: int) -> bool:
        """Return whether a queued transaction is of a stream of the class of priority of the other's stream."""
        stream = self.transactions.stream[transaction]
        return stream >= 0 and self.priorities[stream] == self.priorities[self.transactions.stream[other]]

    @cfunc
    def may_overtake(self, stream: int, transaction: int) -> bool:
        """Return whether one of `stream` may be put before a transaction that waits."""
        return self.transactions.stream[transaction] != stream and self.standing[transaction] != BARRIER

    @cfunc
    def own_ns(self, transaction: int) -> int:
        """Return the time that a transaction takes on an idle die and bus."""
        transactions = self.transactions
        op = transactions.op[transaction]
        array_ns = self.timing.array_ns(op, transactions.page_type[transaction])
        return array_ns + self.timing.command[op] + self.timing.transfer_ns(transactions.bytes[transaction])

    @cfunc
    def free_ns(self, die: int, now_ns: int) -> int:
        """Return when a die will be done with what it executes, as expected."""
        command = self.dies.command_of(die)
        return max(self.transactions.bus_start_ns[command] + self.own_ns(command), now_ns) if command else now_ns

    @cfunc
    def slowdown(self, transaction: int, end_ns: int) -> int:
        """Return the slowdown, in thousandths, of a transaction that is over at `end_ns`."""
        alone_ns = self.alone_ns[transaction] + self.own_ns(transaction)
        return (end_ns - self.transactions.queued_ns[transaction]) * THOUSANDTHS // max(alone_ns, 1)

    @cfunc
    def look_up(self, queue: int, transaction: int, now_ns: int) -> int:
        """List the transactions that a new one may be put among, when they end, and their extremes; return how many.

        The wait that the new one would have alone is noted, too: until the last of its stream is over, or the die is.
        """
        die, stream = self.transactions.die[transaction], self.transactions.stream[transaction]
        end_ns = self.free_ns(die, now_ns)
        alone_until_ns = now_ns
        command = self.dies.command_of(die)
        if command and self.transactions.stream[command] == stream:
            alone_until_ns = end_ns
        is_low: bool = self.standing[transaction] == LOW
        self.least[0], self.most[0] = INFINITE, 0
        count = 0
        each = self.queues.head[queue]
        while each:
            if each != transaction and self.is_alike(each, transaction):
                if self.transactions.stream[each] == stream:
                    over_ns = self.transactions.queued_ns[each] + self.alone_ns[each] + self.own_ns(each)
                    alone_until_ns = max(alone_until_ns, over_ns)
                if is_low == (self.standing[each] == LOW):
                    end_ns = self.add(each, count, end_ns)
                    count += 1
                elif not is_low:
                    end_ns += self.own_ns(each)
            each = self.transactions.next[each]
        self.starts_ns[count] = end_ns
        self.alone_ns[transaction] = alone_until_ns - now_ns
        return count

    @cfunc
    def add(self, transaction: int, place: int, start_ns: int) -> int:
        """Add a transaction to the line, which begins at `start_ns`, and return when it is over."""
        end_ns = start_ns + self.own_ns(transaction)
        slowdown = self.slowdown(transaction, end_ns)
        self.line[place] = transaction
        self.starts_ns[place] = start_ns
        self.least[place + 1] = min(slowdown, self.least[place])
        self.most[place + 1] = max(slowdown, self.most[place])
        return end_ns

    @cfunc
    def is_slowest(self, queue: int, transaction: int, now_ns: int) -> bool:
        """Return whether the streams of a class fare unequally, and that of a new transaction worst, in the mean."""
        for stream in range(self.streams):
            self.sums[stream] = self.counts[stream] = 0
        end_ns = self.free_ns(self.transactions.die[transaction], now_ns)
        each = self.queues.head[queue]
        while each:
            if self.is_alike(each, transaction):
                end_ns += self.own_ns(each)
                self.sums[self.transactions.stream[each]] += self.slowdown(each, end_ns)
                self.counts[self.transactions.stream[each]] += 1
            each = self.transactions.next[each]
        least: int = INFINITE
        most, slowest = -1, -1
        for stream in range(self.streams):
            if self.counts[stream]:
                mean = self.sums[stream] // self.counts[stream]
                least = min(least, mean)
                if mean > most:
                    most, slowest = mean, stream
        is_unfair: bool = least < self.fairness_threshold * most
        return is_unfair and slowest == self.transactions.stream[transaction]

    @cfunc
    def fairest_place(self, transaction: int, count: int) -> int:
        """Return the place in the line where a new transaction is fairest, the last of equal ones.

        Those that it passes are over later by the time that it takes itself.
        """
        own_ns = self.own_ns(transaction)
        fairest, best = count, -1.0
        passed_least: int = INFINITE
        passed_most = 0
        for place in range(count, -1, -1):
            if place < count:
                passed = self.line[place]
                if not self.may_overtake(self.transactions.stream[transaction], passed):
                    break
                slowdown = self.slowdown(passed, self.starts_ns[place] + self.own_ns(passed) + own_ns)
                passed_least, passed_most = min(passed_least, slowdown), max(passed_most, slowdown)
            slowdown = self.slowdown(transaction, self.starts_ns[place] + own_ns)
            least = min(passed_least, slowdown, self.least[place])
            most = max(passed_most, slowdown, self.most[place])
            fairness = float(least) / max(most, 1)
            if fairness > best:
                fairest, best = place, fairness
        return fairest

    # The turns at a die.

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
        read_ns, write_ns, now_ns = self.own_ns(read), self.own_ns(write), now(self.device.env)
        due_ns = 0
        other = self.next_of_others(die) if self.dies.urgent_planes[die] else 0
        if other:  # each that is due takes the time of the next one
            due_ns = self.due(die, write) * self.own_ns(other)
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
