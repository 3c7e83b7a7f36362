# cython: infer_types=True
"""The order in which a channel's bus is given to its dies."""

from __future__ import annotations

from typing import Any, Final, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.inlined import now
from ssdsim.device_view import Policy
from ssdsim.flash.dies import ARRAY, HOST_READS, HOST_WRITES, OPEN, QUEUES, Dies, Selector

NO_DIE: Final = -1


class BusArbiter(Policy):
    """Chooses the die that is given the bus of one channel.

    A die asks once for each bus phase: to start a command when it is idle and has work, and to move the data of a read
    out when it stands ready. `ask` is called when it does, `choose` when the bus is free; `choose` returns a die that
    asked and has not been chosen since, or -1. A die that executes a `transaction` asks for a data-out. All pages
    of a request ask before the bus is given away. Where dies read side by side, each of their lanes is a die here.

    With `arrivals_first` so does the request that arrives in the instant in which an array or a bus phase ends.
    """

    env: Any  # the clock
    dies: Dies
    policy: Selector
    first: int  # of the channel's dies
    end: int  # behind the last of them

    arrivals_first = False
    owed = ("ask(die)", "choose() -> a whole number")

    def bind(self, env: Any, dies: Dies, first: int, end: int, policy: Selector) -> None:
        """Receive clock, dies, of which `first` to `end` are the channel's, and what says which command one starts."""
        self.env = env
        self.dies = dies
        self.first = first
        self.end = end
        self.policy = policy

    def ask(self, die: int) -> None:
        """Add `die` to those that want the bus."""
        raise NotImplementedError

    def choose(self) -> int:
        """Return the die that is given the bus now, or -1 if none asks."""
        raise NotImplementedError


class Channel:
    """The bus that dies share, as the scheduler sees it: `ssdsim.flash.controller.FlashController`."""

    arbiter: BusArbiter
    asking: int  # lanes that want the bus
    bus_taken: bool

    def give_bus(self) -> None:
        """Give the free bus to one of those that want it."""
        raise NotImplementedError


@final
class DieLine:
    """Dies in the order in which they asked; a die stands in one line at most."""

    head: int
    tail: int

    def __init__(self) -> None:
        self.head = self.tail = NO_DIE

    @cfunc
    def append(self, dies: Dies, die: int) -> None:
        """Put `die` at the end."""
        if self.head < 0:
            self.head = die
        else:
            dies.next_asking[self.tail] = die
        self.tail = die

    @cfunc
    def pop(self, dies: Dies) -> int:
        """Take the die at the head out and return it, or -1."""
        die = self.head
        if die >= 0:
            self.head = dies.next_asking[die]
            dies.next_asking[die] = NO_DIE
        return die


@final
class FirstComeFirstServed(BusArbiter):
    """The bus goes to whoever has asked for longest; of no paper, the plainest there is."""

    def __init__(self) -> None:
        self.line = DieLine()

    def ask(self, die: int) -> None:
        """Put `die` at the end of the line."""
        self.line.append(self.dies, die)

    def choose(self) -> int:
        """Take the die at the head of the line."""
        return self.line.pop(self.dies)


@final
class StartsFirst(BusArbiter):
    """Commands are started before data is moved out, so that no array idles behind the data of another die.

    Of no paper: our default.

    Among starts and among data-outs, whoever has asked for longest goes first. A die whose data stands ready starts
    nothing, so it waits for one start of each other die at most in every bus phase.
    """

    def __init__(self) -> None:
        self.starts = DieLine()
        self.ready = DieLine()

    def ask(self, die: int) -> None:
        """Put `die` at the end of its line."""
        if self.dies.transaction[die]:
            self.ready.append(self.dies, die)
        else:
            self.starts.append(self.dies, die)

    def choose(self) -> int:
        """Take the die that has waited for longest to start, or else to move data out."""
        line = self.starts if self.starts.head >= 0 else self.ready
        return line.pop(self.dies)


@final
class DataOutFirst(BusArbiter):
    """Data-outs first, in the order of asking; else the next idle die with work, round robin after the last one tried.

    The rule of MQSim (its flash channel controller and its scheduling unit together).
    """

    starting: int  # dies that ask to start
    next: int  # the die that is tried first, counted from the first of the channel

    def __init__(self) -> None:
        self.ready = DieLine()
        self.starting = self.next = 0

    def ask(self, die: int) -> None:
        """Put `die` in the line of data-outs, or mark it as idle with work."""
        if self.dies.transaction[die]:
            self.ready.append(self.dies, die)
        elif not self.dies.asks_for_bus[die]:
            self.dies.asks_for_bus[die] = True
            self.starting += 1

    def choose(self) -> int:
        """Take the die whose data has waited for longest, or else the next that asks to start."""
        die = self.ready.pop(self.dies)
        if die >= 0 or not self.starting:
            return die
        while True:
            die = self.first + self.next
            self.next = self.next + 1 if die + 1 < self.end else 0
            if self.dies.asks_for_bus[die]:
                self.dies.asks_for_bus[die] = False
                self.starting -= 1
                return die


@final
class CommandFirst(BusArbiter):
    """Read commands first, in the order of arrival; else a data-out, lowest die first; else any start, lowest first.

    The rule of SSDSim, which chooses among all that ends or arrives in an instant: where another array is yet to end in
    it, nobody is chosen before that has.
    """

    arrivals_first = True

    def ask(self, die: int) -> None:
        """Mark `die` as asking."""
        self.dies.asks_for_bus[die] = True

    def choose(self) -> int:
        """Take the die with the oldest read to start, or else a data-out, or else another start."""
        if self.is_array_ending():
            return NO_DIE
        chosen = self.with_oldest_read()
        if chosen < 0:
            chosen = self.lowest(True)
        if chosen < 0:
            chosen = self.lowest(False)
        if chosen >= 0:
            self.dies.asks_for_bus[chosen] = False
        return chosen

    def lowest(self, has_data: bool) -> int:
        """Return the lowest die that asks to move data out, or else to start, or -1."""
        for die in range(self.first, self.end):
            if self.dies.asks_for_bus[die] and (self.dies.transaction[die] != 0) == has_data:
                return die
        return NO_DIE

    def is_array_ending(self) -> bool:
        """Return whether an array is done in this instant, and its die has not been told yet."""
        transactions = self.dies.transactions
        for die in range(self.first, self.end):
            command = self.dies.transaction[die]
            if (
                command
                and self.dies.phase[die] in (ARRAY, OPEN)
                and transactions.array_end_ns[command] == now(self.env)
            ):
                return True
        return False

    def with_oldest_read(self) -> int:
        """Return the die that would start the oldest of the reads that could be started now, or -1."""
        transactions = self.dies.transactions
        oldest = NO_DIE
        sequence = 0
        for die in range(self.first, self.end):
            if self.dies.asks_for_bus[die] and not self.dies.transaction[die]:
                read = self.policy.select(die // self.dies.lanes_per_die)
                if not read or transactions.op[read] != READ:
                    continue
                if oldest < 0 or transactions.sequence[read] < sequence:
                    oldest = die
                    sequence = transactions.sequence[read]
        return oldest


@final
class Deferral(BusArbiter):
    """Puts off collections of a channel that are not urgent until the host has no work there, on top of any arbiter.

    Then that of the highest die goes first: in SSDSim, writes start on the lowest first, and who calls last is served
    first. Each die whose collection is put off counts as asking for the bus.
    """

    arbiter: BusArbiter
    deferred: list[Any]  # dies whose collection waits for the host

    def __init__(self, arbiter: BusArbiter) -> None:
        self.arbiter = arbiter
        self.deferred = []

    def bind(self, env: Any, dies: Dies, first: int, end: int, policy: Selector) -> None:
        """Receive clock, dies and scheduling policy, and pass them on to the arbiter."""
        BusArbiter.bind(self, env, dies, first, end, policy)
        self.arbiter.bind(env, dies, first, end, policy)

    def ask(self, die: int) -> None:
        """Add `die` to those that want the bus."""
        self.arbiter.ask(die)

    def choose(self) -> int:
        """Return the die that is given the bus, once those ask again whose collection was put off."""
        die: int
        for die in self.deferred:
            if self.dies.idle[die]:  # else it was woken since, and asks anyhow
                self.dies.idle[die] = False
                self.arbiter.ask(die)
        self.deferred.clear()
        return self.in_place_of(self.arbiter.choose())

    @cfunc
    def in_place_of(self, die: int) -> int:
        """Return the die that is given the bus where the arbiter has chosen `die`: not one whose collection can wait.

        Where that leaves none, it is the highest whose collection was put off, or -1 while the host has work.
        """
        while die >= 0 and self.can_wait(die):
            self.dies.idle[die] = True
            self.deferred.append(die)
            die = self.arbiter.choose()
        if die >= 0 or not self.deferred or self.host_has_work():
            return die
        chosen: int = max(self.deferred)
        self.deferred.remove(chosen)
        self.dies.idle[chosen] = False
        return chosen

    @cfunc
    def can_wait(self, die: int) -> bool:
        """Return whether what `die` would start is of a collection that is not urgent."""
        if self.dies.transaction[die] or self.dies.urgent_planes[die]:
            return False
        selected = self.policy.select(die)
        return selected != 0 and not self.dies.transactions.is_of_host(selected)

    @cfunc
    def host_has_work(self) -> bool:
        """Return whether the host reads from a die of this channel, waits for one at work, or may start on another."""
        dies = self.dies
        for die in range(self.first, self.end):
            command = dies.transaction[die]
            if not command:
                selected = self.policy.select(die)
                if selected and dies.transactions.is_of_host(selected):
                    return True
            elif (
                dies.queues.head[die * QUEUES + HOST_READS]
                or dies.queues.head[die * QUEUES + HOST_WRITES]
                or (dies.gc_since_ns[die] < 0 and dies.transactions.op[command] == READ)
            ):
                return True
        return False
