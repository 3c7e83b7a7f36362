"""FLIN, which slows streams of requests down alike, as a scheduler of one's own.

It is chosen by `scheduler.policy=experiments.flin.Flin`.

Tavakkol and others: FLIN: Enabling Fairness and Enhancing Performance in Modern NVMe Solid State Drives, ISCA 2018.
`docs/pages/model/fairness.md` says what is from the paper and what is not.
"""

from collections import defaultdict

from attrs import define

from ssdsim.config.validators import check_option, number
from ssdsim.policies import ERASE, GC, MERGE, READ, REFRESH, Die, Queue, SchedulingPolicy, Transaction

TURNS = 15
"""Turns of a round, of which a class of priority has twice as many as the next."""

CLASS_OF_TURN = [(turn & -turn).bit_length() - 1 for turn in range(1, TURNS + 1)]

HIGH, LOW, BARRIER = range(3)
"""How a transaction was queued: of a stream of high intensity, of low intensity, or of high and moved forward."""

NOT_OF_HOST = (GC, MERGE, REFRESH)

THOUSANDTHS = 1000  # slowdowns are kept in these
INFINITE = 1 << 60  # more than any slowdown


@define
class Flow:
    """The bytes that a stream moves to or from a die, in the epoch that it came in last and in the one before."""

    epoch: int = 0
    counted_bytes: int = 0
    last_bytes: int = INFINITE  # of high intensity in the first epoch


@define
class Place:
    """A transaction that may be passed, or the new one at the end, with the slowdowns of those that are before it."""

    transaction: Transaction
    start_ns: int  # when the die would begin with it
    least: int  # of the slowdowns before it
    most: int


class Flin(SchedulingPolicy):
    """FLIN: queues in an order that is fair to streams, and turns of reads and writes.

    1. When a transaction of the host's arrives, it is moved to where that is fairest (Algorithm 1). One of a
       low-intensity stream goes before those of high-intensity ones of its class of priority, and within these as far
       forward as is fairest: where the smallest over the largest slowdown expected of what waits is largest. If streams
       fare unequally (below `fairness_threshold`), one of the high-intensity stream that is slowed down most goes
       before all of these instead, and is not passed by them any more. A stream's own order stays. A stream is of low
       intensity where it has moved less than its rate in the last epoch, and none of its transactions wait that came
       when it was not; in the first epoch all are of high intensity.
    2. Classes of priority (`host.priorities`) have turns at the die, each twice as many as the next.
    3. Of the next read and the next write that goes first which waits longer in proportion to its own time, if the
       other and the collection due go before it. While collection is urgent, so much of it is due before a write as the
       share of that stream in the writes to the die, since its last erase, says.

    What no stream asks for (tables, backups) is what others wait for, and goes first. Times that are expected take no
    account of multi-plane commands or of the bus. The defaults are MQSim's (`SSD_Device.cpp`), its rates taken for
    those of a second.
    """

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
        self.rates = {True: low_read_mib_s, False: low_write_mib_s}  # by whether it reads
        self.bytes_per_rate = 2**20 * epoch_ms / 1000
        self.fairness_threshold = fairness_threshold
        self.flows = defaultdict[tuple[int, int, bool], Flow](Flow)  # by die, stream, and whether it reads
        self.turns = defaultdict[tuple[int, bool], int](int)  # by die, and whether it reads: the next of the round
        self.written = defaultdict[int, defaultdict[int, int]](lambda: defaultdict(int))  # by die and stream
        self.collected = defaultdict[int, int](int)  # by die: of others than the host since its last write
        self.alone_ns: dict[int, int] = {}  # by transaction: its wait without other streams
        self.standing: dict[int, int] = {}  # by transaction: HIGH, LOW or BARRIER

    # The fairest place in a queue.

    def arrived(self, transaction: Transaction) -> None:
        """Move a transaction, which has just been queued at the end, to where that is fairest."""
        if transaction.source in NOT_OF_HOST:
            return
        self.standing[transaction.number] = HIGH
        self.alone_ns[transaction.number] = 0
        die = self.dies[transaction.die]
        queue = die.host_reads if transaction.op == READ else die.host_writes
        if transaction.stream < 0:
            before = next((entry for entry in queue if entry.stream >= 0 or entry == transaction), None)
        else:
            before = self.fairest_successor(die, queue, transaction)
        if before is not None and before != transaction:
            queue.move(transaction, before)

    def fairest_successor(self, die: Die, queue: Queue, new: Transaction) -> Transaction | None:
        """Return the transaction of a queue that a new one is to be put before, or None if that stays at the end."""
        others = [entry for entry in queue if entry != new]
        if self.is_low(new) and not any(
            entry.stream == new.stream and self.standing[entry.number] != LOW for entry in others
        ):
            self.standing[new.number] = LOW
        line = self.look_up(die, others, new)
        place = last = len(line) - 1
        if self.standing[new.number] == HIGH and self.is_slowest(die, queue, new):
            while place and self.may_overtake(new, line[place - 1].transaction):
                place -= 1
            self.standing[new.number] = BARRIER
        else:
            place = self.fairest_place(new, line)
        if place < last:
            return line[place].transaction
        if self.standing[new.number] != LOW:
            return None
        high = (entry for entry in others if self.is_alike(entry, new) and self.standing[entry.number] != LOW)
        return next(high, None)

    def is_low(self, transaction: Transaction) -> bool:
        """Return whether a stream was of low intensity at a die in the last epoch, and count the bytes of this one."""
        is_read = transaction.op == READ
        flow = self.flows[transaction.die, transaction.stream, is_read]
        epoch = self.device.now_ns // self.epoch_ns
        if epoch != flow.epoch:
            flow.last_bytes = flow.counted_bytes if epoch == flow.epoch + 1 else 0
            flow.epoch, flow.counted_bytes = epoch, 0
        flow.counted_bytes += transaction.bytes
        # a silent stream is of low intensity, whatever the rate
        return flow.last_bytes < max(int(self.rates[is_read] * self.bytes_per_rate / len(self.dies)), 1)

    def is_alike(self, transaction: Transaction, other: Transaction) -> bool:
        """Return whether a queued transaction is of a stream of the class of priority of the other's stream."""
        priorities = self.device.priorities
        return transaction.stream >= 0 and priorities[transaction.stream] == priorities[other.stream]

    def may_overtake(self, transaction: Transaction, other: Transaction) -> bool:
        """Return whether a transaction may be put before another one that waits."""
        return other.stream != transaction.stream and self.standing[other.number] != BARRIER

    def executed(self, die: Die) -> Transaction | None:
        """Return the first page of the command that a die executes, or None."""
        return next((command for command in die.commands if command != die.suspended), None)

    def free_ns(self, die: Die) -> int:
        """Return when a die will be done with what it executes, as expected."""
        command, now_ns = self.executed(die), self.device.now_ns
        return now_ns if command is None else max(command.bus_start_ns + self.own_ns(command), now_ns)

    def slowdown(self, transaction: Transaction, end_ns: int) -> int:
        """Return the slowdown, in thousandths, of a transaction that is over at `end_ns`."""
        alone_ns = self.alone_ns[transaction.number] + self.own_ns(transaction)
        return (end_ns - transaction.queued_ns) * THOUSANDTHS // max(alone_ns, 1)

    def look_up(self, die: Die, others: list[Transaction], new: Transaction) -> list[Place]:
        """Return the transactions that a new one may be put among, and it at their end.

        The wait that the new one would have alone is noted, too: until the last of its stream is over, or the die is.
        """
        end_ns, alone_until_ns = self.free_ns(die), self.device.now_ns
        command = self.executed(die)
        if command is not None and command.stream == new.stream:
            alone_until_ns = end_ns
        is_low = self.standing[new.number] == LOW
        least, most = INFINITE, 0
        line = []
        for entry in others:
            if not self.is_alike(entry, new):
                continue
            if entry.stream == new.stream:
                over_ns = entry.queued_ns + self.alone_ns[entry.number] + self.own_ns(entry)
                alone_until_ns = max(alone_until_ns, over_ns)
            if is_low == (self.standing[entry.number] == LOW):
                line.append(Place(entry, end_ns, least, most))
                end_ns += self.own_ns(entry)
                slowdown = self.slowdown(entry, end_ns)
                least, most = min(slowdown, least), max(slowdown, most)
            elif not is_low:
                end_ns += self.own_ns(entry)
        self.alone_ns[new.number] = alone_until_ns - self.device.now_ns
        return [*line, Place(new, end_ns, least, most)]

    def is_slowest(self, die: Die, queue: Queue, new: Transaction) -> bool:
        """Return whether the streams of a class fare unequally, and that of a new transaction worst, in the mean."""
        slowdowns = defaultdict[int, list[int]](list)
        end_ns = self.free_ns(die)
        for entry in queue:
            if self.is_alike(entry, new):
                end_ns += self.own_ns(entry)
                slowdowns[entry.stream].append(self.slowdown(entry, end_ns))
        means = {stream: sum(entry) // len(entry) for stream, entry in sorted(slowdowns.items())}
        slowest = max(means, key=lambda stream: means[stream])  # the first of equals
        return min(means.values()) < self.fairness_threshold * means[slowest] and slowest == new.stream

    def fairest_place(self, new: Transaction, line: list[Place]) -> int:
        """Return the place in the line where a new transaction is fairest, the last of equal ones.

        Those that it passes are over later by the time that it takes itself.
        """
        own_ns = self.own_ns(new)
        fairest, best = len(line) - 1, -1.0
        passed_least, passed_most = INFINITE, 0
        for place in reversed(range(len(line))):
            other = line[place].transaction
            if other != new:
                if not self.may_overtake(new, other):
                    break
                slowdown = self.slowdown(other, line[place].start_ns + self.own_ns(other) + own_ns)
                passed_least, passed_most = min(passed_least, slowdown), max(passed_most, slowdown)
            slowdown = self.slowdown(new, line[place].start_ns + own_ns)
            least = min(passed_least, slowdown, line[place].least)
            fairness = least / max(passed_most, slowdown, line[place].most, 1)
            if fairness > best:
                fairest, best = place, fairness
        return fairest

    # The turns at a die.

    def select(self, die: Die) -> Transaction | None:
        """Return the transaction to start on `die`, or None."""
        chosen = self.next_of_host(die)
        if chosen is None or die.critical_planes or (chosen.op != READ and die.urgent_planes and self.due(die, chosen)):
            return self.next_of_others(die) or chosen
        return chosen

    def next_of_others(self, die: Die) -> Transaction | None:
        """Return the oldest read of others than the host that may start, or else their oldest write or erase."""
        return self.first(die.gc_reads) or self.first(die.gc_writes)

    def next_of_host(self, die: Die) -> Transaction | None:
        """Return the read or the write whose turn it is, whichever has waited longer in proportion."""
        read, write = self.next_in_turn(die, die.host_reads, True), self.next_in_turn(die, die.host_writes, False)
        if read is None or write is None:
            return read or write
        read_ns, write_ns, due_ns = self.own_ns(read), self.own_ns(write), 0
        other = self.next_of_others(die) if die.urgent_planes else None
        if other is not None:  # each that is due takes the time of the next one
            due_ns = self.due(die, write) * self.own_ns(other)
        read_wait_ns = self.device.now_ns - read.queued_ns + write_ns + due_ns
        write_wait_ns = self.device.now_ns - write.queued_ns + read_ns + due_ns
        # where reads or writes take no time, they go first
        return write if float(read_wait_ns) * write_ns < float(write_wait_ns) * read_ns else read

    def next_in_turn(self, die: Die, queue: Queue, is_read: bool) -> Transaction | None:
        """Return the first transaction that may start of the class whose turn it is, of those that have one."""
        turn = self.turns[die.index, is_read]
        firsts: dict[int, Transaction] = {}
        for entry in queue:
            if CLASS_OF_TURN[turn] in firsts:
                break
            if self.may_start(entry):
                if entry.stream < 0:
                    return entry
                firsts.setdefault(self.device.priorities[entry.stream], entry)
        classes = (CLASS_OF_TURN[(turn + step) % TURNS] for step in range(TURNS))
        return next((firsts[priority] for priority in classes if priority in firsts), None)

    def due(self, die: Die, write: Transaction) -> int:
        """Return how many transactions of others than the host are due before a write, of those that wait."""
        if write.stream < 0:
            return 0
        waiting, collected = len(die.gc_reads) + len(die.gc_writes), self.collected[die.index]
        owed = waiting + collected
        if total := sum(self.written[die.index].values()):
            owed = owed * self.written[die.index][write.stream] // total
        return min(max(owed - collected, 0), waiting)

    def taken(self, die: Die, transaction: Transaction) -> None:
        """Pass turns on, and count writes and collection."""
        if transaction.source in NOT_OF_HOST:
            self.collected[die.index] += 1
            if transaction.op == ERASE:
                self.written[die.index].clear()
            return
        if transaction.stream < 0:
            return
        place = die.index, transaction.op == READ
        turn = self.turns[place]
        while CLASS_OF_TURN[turn] != self.device.priorities[transaction.stream]:
            turn = (turn + 1) % TURNS
        self.turns[place] = (turn + 1) % TURNS
        if transaction.op != READ:
            self.collected[die.index] = 0
            self.written[die.index][transaction.stream] += 1
