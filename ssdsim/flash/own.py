"""Policies of the user's own that see transactions and dies: what they derive from, and what hands them views of these.

The device works with numbers of transactions and dies; what is adapted here is given `ssdsim.flash.views` of them.
"""

from __future__ import annotations

from typing import Any

from ssdsim._core.blocks import Blocks
from ssdsim.device_view import Policy
from ssdsim.flash import bus
from ssdsim.flash.dies import Dies, Selector
from ssdsim.flash.scheduler import unit as scheduling
from ssdsim.flash.views import Die, Queue, Transaction, dies_of, transaction_of


class SchedulingPolicy(Policy):
    """Chooses among the transactions that wait for a die.

    It has four methods, of which `choose` is enough for one that gives work for others than the host its usual turns,
    before the host's where `die.urgent_planes` and `die.critical_planes` say so; the rest are there to be called. Each
    queue is in order of arrival (`sequence`). `blocks` is the state of the blocks, and `dies` are all of them.
    """

    blocks: Blocks
    dies: list[Die]
    usual: AdaptedScheduling

    owed = ("choose(reads, writes) -> a transaction or None | select(die) -> a transaction or None",)

    def arrived(self, transaction: Transaction) -> None:
        """React to `transaction`, which has just been put at the end of its queue, and may be moved there."""

    def select(self, die: Die) -> Transaction | None:
        """Return the transaction to start on `die`, one in its queues that `may_start`, or None; change nothing."""
        return transaction_of(die.dies.transactions, scheduling.SchedulingPolicy.select(self.usual, die.index))

    def taken(self, die: Die, transaction: Transaction) -> None:
        """React to `transaction`, which has just left its queue to start on `die`."""

    def choose(self, reads: Queue, writes: Queue) -> Transaction | None:
        """Return a transaction of one source that may start, or None."""
        raise NotImplementedError

    def may_start(self, transaction: Transaction) -> bool:
        """Return whether the flash allows `transaction` now: pages in order, erases once nothing is read there."""
        return self.usual.may_start(transaction.number)

    def first(self, queue: Queue) -> Transaction | None:
        """Return the oldest transaction of `queue` that may start, or None."""
        return transaction_of(queue.dies.transactions, self.usual.first(queue.number))

    def width(self, die: Die, transaction: Transaction) -> int:
        """Return how many transactions that wait a command which starts with this one would carry out."""
        joins = self.usual.multi_plane
        return 1 if joins is None else joins.width(die.index, transaction.number)

    def own_ns(self, transaction: Transaction) -> int:
        """Return the time that `transaction` would take alone, on an idle die and bus."""
        return self.usual.timing.own_ns(transaction.op, transaction.page_type, transaction.bytes)


class AdaptedScheduling(scheduling.SchedulingPolicy):
    """Shows a policy of the user's own the queues that it chooses from."""

    def __init__(self, own: SchedulingPolicy) -> None:
        super().__init__()
        self.own = own

    def bind(self, unit: Any) -> None:
        """Receive the scheduler."""
        super().bind(unit)
        self.multi_plane = unit.multi_plane
        self.own.usual = self
        self.own.blocks, self.own.dies = unit.blocks, dies_of(self.dies)

    def choose(self, reads: int, writes: int) -> int:
        """Return a transaction of one source's queues that may start, or 0."""
        return number_of(self.own.choose(Queue(self.dies, reads), Queue(self.dies, writes)))


class AdaptedSelection(AdaptedScheduling):
    """Asks a policy that heeds more than its queues about each die, too, and tells it what comes and goes."""

    def arrived(self, transaction: int) -> None:
        """React to `transaction`, which has just been queued."""
        self.own.arrived(Transaction(self.transactions, transaction))

    def select(self, die: int) -> int:
        """Return the transaction to start on `die`, or 0."""
        return number_of(self.own.select(Die(self.dies, die)))

    def taken(self, die: int, transaction: int) -> None:
        """React to `transaction`, which has just left its queue to start on `die`."""
        self.own.taken(Die(self.dies, die), Transaction(self.transactions, transaction))


def number_of(transaction: Transaction | None) -> int:
    """Return the number of a transaction, 0 for none."""
    return 0 if transaction is None else transaction.number


class BusArbiter(Policy):
    """Chooses the die that is given the bus of one channel.

    It is called as `ssdsim.flash.bus.BusArbiter` is, with views in place of numbers: a die whose `transaction` is not
    None asks for a data-out, and one that reads side by side is here once for each `lane`. `dies` are those of the
    channel, lowest first, `env` is the clock.
    """

    env: Any
    dies: list[Die]
    policy: Selector

    arrivals_first = False
    owed = ("ask(die)", "choose() -> a die or None")

    def bind(self, env: Any, dies: list[Die], policy: Selector) -> None:
        """Receive clock, dies and what tells which command one would start, once, before the run."""
        self.env = env
        self.dies = dies
        self.policy = policy

    def ask(self, die: Die) -> None:
        """Add `die` to those that want the bus."""
        raise NotImplementedError

    def choose(self) -> Die | None:
        """Return the die that is given the bus now, or None if none asks."""
        raise NotImplementedError

    def would_start(self, die: Die) -> Transaction | None:
        """Return the transaction that `die` would start if it were given the bus now, or None."""
        return transaction_of(die.dies.transactions, self.policy.select(die.index))


class AdaptedBus(bus.BusArbiter):
    """Shows an arbiter of the user's own the dies that ask."""

    def __init__(self, own: BusArbiter) -> None:
        self.own = own
        self.arrivals_first = own.arrivals_first

    def bind(self, env: Any, dies: Dies, first: int, end: int, policy: Selector) -> None:
        """Receive clock, dies and what says which command one would start."""
        super().bind(env, dies, first, end, policy)
        self.own.bind(env, [self.die(lane) for lane in range(first, end)], policy)

    def ask(self, die: int) -> None:
        """Add `die` to those that want the bus."""
        self.own.ask(self.die(die))

    def choose(self) -> int:
        """Return the die that is given the bus now, or -1 if none asks."""
        die = self.own.choose()
        return bus.NO_DIE if die is None else die.number

    def die(self, lane: int) -> Die:
        """Return the view of a lane."""
        return Die(self.dies, *divmod(lane, self.dies.lanes_per_die))


def adapted(policy: Any) -> Any:
    """Return `policy`, or the adapter through which the device calls it if it is of the user's own."""
    if isinstance(policy, SchedulingPolicy):
        others = ("arrived", "select", "taken")  # calls that nearly no policy heeds are left out
        overrides = any(getattr(type(policy), name) is not getattr(SchedulingPolicy, name) for name in others)
        return (AdaptedSelection if overrides else AdaptedScheduling)(policy)
    return AdaptedBus(policy) if isinstance(policy, BusArbiter) else policy
