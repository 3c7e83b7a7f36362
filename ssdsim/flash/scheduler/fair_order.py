# cython: infer_types=True
"""An order of what waits that is fair to the streams of requests: the first stage of FLIN."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.columns import Int64s
from ssdsim._core.inlined import now
from ssdsim.device_view import DeviceView
from ssdsim.flash.dies import Dies
from ssdsim.flash.queues import GC_READS, QUEUES, TransactionQueues
from ssdsim.flash.timing import FlashTiming
from ssdsim.flash.transactions import Transactions

HIGH: Final = 0  # how a transaction was queued: of a stream of high intensity,
LOW: Final = 1  # of one of low intensity,
BARRIER: Final = 2  # or of high intensity and moved forward, so that none of these passes it any more

THOUSANDTHS: Final = 1000  # slowdowns are kept in these
UNKNOWN: Final = 1 << 60  # bytes of the epoch before the first


@final
class FairOrder:
    """Puts each transaction of the host's into its queue where that is fairest (FLIN, Algorithm 1).

    One of a low-intensity stream goes before those of high-intensity ones of its class of priority, and within these as
    far forward as is fairest: where the smallest over the largest slowdown expected of what waits is largest. If
    streams fare unequally (below `fairness_threshold`), one of the high-intensity stream that is slowed down most goes
    before all of these instead, and is not passed by them any more. A stream's own order stays. A stream is of low
    intensity where it has moved less than `low_bytes` in the last epoch, and none of its transactions wait that came
    when it was not; in the first epoch all are of high intensity.

    What no stream asks for (tables, backups) is what others wait for, and goes first. Times that are expected take no
    account of multi-plane commands or of the bus. A queue is visited twice at most.
    """

    device: DeviceView
    dies: Dies
    queues: TransactionQueues
    transactions: Transactions
    timing: FlashTiming
    streams: int
    priorities: Int64s  # by stream
    epoch_ns: int
    low_bytes: Int64s  # by direction: what a low-intensity stream moves in an epoch at a die, below that
    fairness_threshold: float
    # By die, stream and direction:
    epochs: Int64s  # in which its bytes were counted last
    counted_bytes: Int64s
    last_bytes: Int64s  # in the epoch before that
    # By transaction:
    alone_ns: Int64s  # for which it would wait without other streams
    standing: Int64s  # HIGH, LOW or BARRIER
    # Of the class and queue that a transaction is put in:
    line: Int64s  # transactions that it may pass, in order
    least: Int64s  # by place there: the smallest slowdown up to it, in thousandths
    most: Int64s
    starts_ns: Int64s  # when the die would begin with each, and after all of them
    sums: Int64s  # by stream: of the slowdowns
    counts: Int64s

    def __init__(self, device: Any, dies: Dies, timing: FlashTiming, epoch_ns: Any, low_bytes: Any, least: Any) -> None:
        self.device = device
        self.dies = dies
        self.queues = dies.queues
        self.transactions = dies.transactions
        self.timing = timing
        self.streams = len(device.streams)
        self.priorities = array("q", device.priorities)
        self.epoch_ns = epoch_ns
        self.low_bytes = array("q", low_bytes)
        self.fairness_threshold = least
        flows = dies.count * self.streams * 2
        self.epochs, self.counted_bytes = array("q", [0] * flows), array("q", [0] * flows)
        self.last_bytes = array("q", [UNKNOWN] * flows)
        self.sums, self.counts = array("q", [0] * self.streams), array("q", [0] * self.streams)
        self.lengthen(0)

    def arrived(self, transaction: int) -> None:
        """Move a transaction, which has just been queued at the end, to where that is fairest."""
        transactions = self.transactions
        queue = transactions.queue[transaction]
        if queue % QUEUES >= GC_READS:
            return
        if len(self.standing) < len(transactions.op):
            self.lengthen(len(self.standing))
        stream = transactions.stream[transaction]
        self.standing[transaction] = HIGH
        self.alone_ns[transaction] = 0
        if stream < 0:
            self.put_first(queue, transaction)
            return
        die, direction = transactions.die[transaction], queue % QUEUES
        is_low: bool = self.is_low(die, stream, direction, transactions.bytes[transaction])
        if is_low and not self.has_high(queue, stream, transaction):
            self.standing[transaction] = LOW
        now_ns: int = now(self.device.env)
        count = self.look_up(queue, transaction, now_ns)
        place = count
        if self.standing[transaction] == HIGH and self.is_slowest(queue, transaction, now_ns):
            while place and self.may_pass(stream, self.line[place - 1]):
                place -= 1
            self.standing[transaction] = BARRIER
        else:
            place = self.fairest_place(transaction, count, now_ns)
        self.put(queue, transaction, place, count)

    def lengthen(self, length: int) -> None:
        """Make room for as many transactions as there are, in place of `length`."""
        for name in ("alone_ns", "standing", "line", "least", "most", "starts_ns"):
            column = array("q", bytes(8 * len(self.transactions.op)))
            column[:length] = array("q", getattr(self, name) if length else ())
            setattr(self, name, column)

    @cfunc
    def put_first(self, queue: int, transaction: int) -> None:
        """Move a transaction of no stream before those of streams."""
        first = self.queues.head[queue]
        while first != transaction and self.transactions.stream[first] < 0:
            first = self.transactions.next[first]
        if first != transaction:
            self.queues.remove(queue, transaction)
            self.queues.insert(queue, transaction, first)

    @cfunc
    def put(self, queue: int, transaction: int, place: int, count: int) -> None:
        """Move a transaction, which stands at the end, to `place` in the line, or behind the `count` there."""
        before = 0
        if place < count:
            before = self.line[place]
        elif self.standing[transaction] == LOW:  # the first of high intensity
            before = self.queues.head[queue]
            while before and not (self.is_alike(before, transaction) and self.standing[before] != LOW):
                before = self.transactions.next[before]
        if before:
            self.queues.remove(queue, transaction)
            self.queues.insert(queue, transaction, before)

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
        while each:
            if each != transaction and self.transactions.stream[each] == stream and self.standing[each] != LOW:
                return True
            each = self.transactions.next[each]
        return False

    @cfunc
    def is_alike(self, transaction: int, other: int) -> bool:
        """Return whether a queued transaction is of a stream of the class of priority of the other's stream."""
        stream = self.transactions.stream[transaction]
        if stream < 0:
            return False
        return self.priorities[stream] == self.priorities[self.transactions.stream[other]]

    @cfunc
    def may_pass(self, stream: int, transaction: int) -> bool:
        """Return whether one of `stream` may be put before a transaction that waits."""
        return self.transactions.stream[transaction] != stream and self.standing[transaction] != BARRIER

    @cfunc
    def own_ns(self, transaction: int) -> int:
        """Return the time that a transaction takes on an idle die and bus."""
        transactions = self.transactions
        op = transactions.op[transaction]
        array_ns = self.timing.array_ns(op, transactions.page_type[transaction])
        return array_ns + self.timing.command_ns(op) + self.timing.transfer_ns(transactions.bytes[transaction])

    @cfunc
    def busy_ns(self, die: int, now_ns: int) -> int:
        """Return the time for which a die still executes its command, as expected."""
        command = self.dies.command_of(die)
        if not command:
            return 0
        return max(self.transactions.bus_start_ns[command] + self.own_ns(command) - now_ns, 0)

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
        end_ns = now_ns + self.busy_ns(die, now_ns)
        alone_until_ns = now_ns
        command = self.dies.command_of(die)
        if command and self.transactions.stream[command] == stream:
            alone_until_ns = end_ns
        is_low: bool = self.standing[transaction] == LOW
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
        self.least[place] = min(slowdown, self.least[place - 1]) if place else slowdown
        self.most[place] = max(slowdown, self.most[place - 1]) if place else slowdown
        return end_ns

    @cfunc
    def is_slowest(self, queue: int, transaction: int, now_ns: int) -> bool:
        """Return whether the streams of a class fare unequally, and that of a new transaction worst, in the mean."""
        for stream in range(self.streams):
            self.sums[stream] = self.counts[stream] = 0
        end_ns = now_ns + self.busy_ns(self.transactions.die[transaction], now_ns)
        each = self.queues.head[queue]
        while each:
            if self.is_alike(each, transaction):
                end_ns += self.own_ns(each)
                self.sums[self.transactions.stream[each]] += self.slowdown(each, end_ns)
                self.counts[self.transactions.stream[each]] += 1
            each = self.transactions.next[each]
        least, most, slowest = 0, -1, -1
        for stream in range(self.streams):
            if self.counts[stream]:
                mean = self.sums[stream] // self.counts[stream]
                least = min(least, mean) if most >= 0 else mean
                if mean > most:
                    most, slowest = mean, stream
        is_unfair: bool = least < self.fairness_threshold * most
        return is_unfair and slowest == self.transactions.stream[transaction]

    @cfunc
    def fairest_place(self, transaction: int, count: int, now_ns: int) -> int:
        """Return the place in the line where a new transaction is fairest, the last of equal ones.

        Those that it passes are over later by the time that it takes itself.
        """
        own_ns = self.own_ns(transaction)
        least = self.slowdown(transaction, self.starts_ns[count] + own_ns)
        most = least
        if count:
            least, most = min(least, self.least[count - 1]), max(most, self.most[count - 1])
        fairest, best = count, float(least) / max(most, 1)
        passed_least, passed_most = -1, 0
        for place in range(count - 1, -1, -1):
            passed = self.line[place]
            if not self.may_pass(self.transactions.stream[transaction], passed):
                break
            slowdown = self.slowdown(passed, self.starts_ns[place] + self.own_ns(passed) + own_ns)
            passed_least = slowdown if passed_least < 0 else min(passed_least, slowdown)
            passed_most = max(passed_most, slowdown)
            slowdown = self.slowdown(transaction, self.starts_ns[place] + own_ns)
            least, most = min(passed_least, slowdown), max(passed_most, slowdown)
            if place:
                least, most = min(least, self.least[place - 1]), max(most, self.most[place - 1])
            fairness = float(least) / max(most, 1)
            if fairness > best:
                fairest, best = place, fairness
        return fairest
