# cython: infer_types=True
"""The order in which a channel's bus is given to its dies."""

from __future__ import annotations

from typing import Any, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import READ
from ssdsim._core.inlined import now
from ssdsim.flash.die import Die
from ssdsim.flash.scheduler import SchedulingPolicy


class BusArbiter:
    """Chooses the die that is given the bus of one channel.

    A die asks once for each bus phase: to start a command when it is idle and has work, and to move the data of a read
    out when it stands ready. `ask` is called when it does, `choose` when the bus is free; `choose` returns a die that
    asked and has not been chosen since, or None. A die whose `transaction` is not None asks for a data-out. All pages
    of a request ask before the bus is given away.

    With `arrivals_first` so does the request that arrives in the instant in which an array or a bus phase ends.
    """

    dies: list[Any]
    policy: SchedulingPolicy

    arrivals_first = False
    owed = ("ask(die)", "choose() -> a die or None")

    def bind(self, dies: list[Any], policy: SchedulingPolicy) -> None:
        """Receive the channel's dies, lowest first, and the scheduling policy, which tells what a die would start."""
        self.dies = dies
        self.policy = policy

    def ask(self, die: Die) -> None:
        """Add `die` to those that want the bus."""
        raise NotImplementedError

    def choose(self) -> Die | None:
        """Return the die that is given the bus now, or None if none asks."""
        raise NotImplementedError


@final
class DieLine:
    """Dies in the order in which they asked; a die stands in one line at most."""

    head: Die
    tail: Die

    def __init__(self) -> None:
        self.head = None
        self.tail = None

    @cfunc
    def append(self, die: Die) -> None:
        """Put `die` at the end."""
        if self.head is None:
            self.head = die
        else:
            self.tail.next_asking = die
        self.tail = die

    @cfunc
    def pop(self) -> Die | None:
        """Take the die at the head out and return it, or None."""
        die: Die = self.head
        if die is not None:
            self.head = die.next_asking
            die.next_asking = None
        return die


class FirstComeFirstServed(BusArbiter):
    """The bus goes to whoever has asked for longest; of no paper, the plainest there is."""

    def __init__(self) -> None:
        self.line = DieLine()

    def ask(self, die: Die) -> None:
        """Put `die` at the end of the line."""
        self.line.append(die)

    def choose(self) -> Die | None:
        """Take the die at the head of the line."""
        return self.line.pop()


class StartsFirst(BusArbiter):
    """Commands are started before data is moved out, so that no array idles behind the data of another die.

    Of no paper: our default.

    Among starts and among data-outs, whoever has asked for longest goes first. A die whose data stands ready starts
    nothing, so it waits for one start of each other die at most in every bus phase.
    """

    def __init__(self) -> None:
        self.starts = DieLine()
        self.ready = DieLine()

    def ask(self, die: Die) -> None:
        """Put `die` at the end of its line."""
        if die.transaction is None:
            self.starts.append(die)
        else:
            self.ready.append(die)

    def choose(self) -> Die | None:
        """Take the die that has waited for longest to start, or else to move data out."""
        die = self.starts.pop()
        return die if die is not None else self.ready.pop()


class DataOutFirst(BusArbiter):
    """Data-outs first, in the order of asking; else the next idle die with work, round robin after the last one tried.

    The rule of MQSim (its flash channel controller and its scheduling unit together).
    """

    starting: int  # dies that ask to start
    next: int  # the die that is tried first

    def __init__(self) -> None:
        self.ready = DieLine()
        self.starting = self.next = 0

    def ask(self, die: Die) -> None:
        """Put `die` in the line of data-outs, or mark it as idle with work."""
        if die.transaction is None:
            self.starting += not die.asks_to_start
            die.asks_to_start = True
        else:
            self.ready.append(die)

    def choose(self) -> Die | None:
        """Take the die whose data has waited for longest, or else the next that asks to start."""
        die: Die = self.ready.pop()
        if die is not None or not self.starting:
            return die
        while True:
            die = self.dies[self.next]
            self.next += 1
            if self.next == len(self.dies):
                self.next = 0
            if die.asks_to_start:
                die.asks_to_start = False
                self.starting -= 1
                return die


class CommandFirst(BusArbiter):
    """Read commands first, in the order of arrival; else a data-out, lowest die first; else any start, lowest first.

    The rule of SSDSim, which chooses among all that ends or arrives in an instant: where another array is yet to end in
    it, nobody is chosen before that has.
    """

    arrivals_first = True

    def ask(self, die: Die) -> None:
        """Mark `die` as asking."""
        if die.transaction is None:
            die.asks_to_start = True
        else:
            die.asks_for_data_out = True

    def choose(self) -> Die | None:
        """Take the die with the oldest read to start, or else a data-out, or else another start."""
        if self.is_array_ending():
            return None
        chosen: Die = self.with_oldest_read()
        if chosen is not None:
            chosen.asks_to_start = False
            return chosen
        die: Die
        for die in self.dies:
            if die.asks_for_data_out:
                die.asks_for_data_out = False
                return die
        for die in self.dies:
            if die.asks_to_start:
                die.asks_to_start = False
                return die
        return None

    def is_array_ending(self) -> bool:
        """Return whether an array is done in this instant, and its die has not been told yet."""
        die: Die
        for die in self.dies:
            transaction = die.transaction
            if (
                transaction is not None
                and transaction.array_start_ns >= 0
                and transaction.array_end_ns == now(die.bus.env)
                and not die.asks_for_data_out
            ):
                return True
        return False

    def with_oldest_read(self) -> Die | None:
        """Return the die that would start the oldest of the reads that could be started now, or None."""
        oldest: Die = None
        sequence = 0
        die: Die
        for die in self.dies:
            if die.asks_to_start:
                transaction = self.policy.select(die)
                if transaction is None or transaction.op != READ:
                    continue
                if oldest is None or transaction.sequence < sequence:
                    oldest = die
                    sequence = transaction.sequence
        return oldest
