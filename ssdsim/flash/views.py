# cython: infer_types=True
"""A transaction and a die as others than compiled code see them: made when asked for, and good until the next event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

from ssdsim.flash.dies import ARRAY, DATA_OUT, GC_READS, GC_WRITES, HOST_READS, HOST_WRITES, PROGRESS, QUEUES, Dies
from ssdsim.flash.transactions import COLUMNS, Transactions


def by_row(column: str) -> int:
    """Return the property of a transaction that shows a column of `Transactions`, for mypy what it shows."""
    shown: Any = property(lambda transaction: transaction.transactions.columns[column][transaction.number])
    return shown


@final
class Transaction:
    """One of the `Transactions`, whose columns are its attributes. Rows are used again, so keep none."""

    transactions: Transactions
    number: int

    op = by_row("op")
    source = by_row("source")
    lpa = by_row("lpa")
    ppa = by_row("ppa")
    block = by_row("block")
    page = by_row("page")
    plane = by_row("plane")
    die = by_row("die")
    page_type = by_row("page_type")
    stream = by_row("stream")
    before = by_row("before")
    bytes = by_row("bytes")
    sequence = by_row("sequence")
    passed = by_row("passed")
    queued_ns = by_row("queued_ns")
    bus_start_ns = by_row("bus_start_ns")
    array_start_ns = by_row("array_start_ns")
    array_end_ns = by_row("array_end_ns")
    data_start_ns = by_row("data_start_ns")

    def __init__(self, transactions: Transactions, number: int) -> None:
        self.transactions = transactions
        self.number = number

    @property
    def partner(self) -> Transaction | None:
        """The next one of its command."""
        return transaction_of(self.transactions, self.transactions.partner[self.number])

    @property
    def rest(self) -> Transaction | None:
        """Of a program, the read that has to come first."""
        return transaction_of(self.transactions, self.transactions.rest[self.number])

    @property
    def request(self) -> Any:
        """The request that it is a part of, or None."""
        return self.transactions.request[self.number]

    def __getattr__(self, name: str) -> Any:
        """Return the value of a column that few ask for."""
        if name not in COLUMNS:
            raise AttributeError(f"a transaction has no {name}; it has {', '.join(COLUMNS)}.")
        return self.transactions.columns[name][self.number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transaction) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    def command(self) -> Iterator[Transaction]:
        """Yield this transaction and the others of its command, in the order in which they joined."""
        page: Transaction | None = self
        while page is not None:
            yield page
            page = page.partner


def transaction_of(transactions: Transactions, number: int) -> Transaction | None:
    """Return the transaction of that number, None for 0."""
    return Transaction(transactions, number) if number else None


@final
class Queue:
    """What waits for a die, of one source and direction: its `head` is the oldest; iterated over, oldest first."""

    dies: Dies
    number: int

    def __init__(self, dies: Dies, number: int) -> None:
        self.dies = dies
        self.number = number

    def move(self, transaction: Transaction, before: Transaction) -> None:
        """Put a transaction, which stands in it, before another one."""
        self.dies.queues.remove(self.number, transaction.number)
        self.dies.queues.insert(self.number, transaction.number, before.number)

    @property
    def head(self) -> Transaction | None:
        """The oldest transaction, or None."""
        return transaction_of(self.dies.transactions, self.dies.queues.head[self.number])

    def __len__(self) -> int:
        return self.dies.queues.length[self.number]

    def __iter__(self) -> Iterator[Transaction]:
        number = self.dies.queues.head[self.number]
        while number:
            following = self.dies.transactions.next[number]
            yield Transaction(self.dies.transactions, number)
            number = following


def by_die(column: str, told: str) -> Any:
    """Return the property of a die that shows a column of `Dies`."""
    return property(lambda die: getattr(die.dies, column)[die.index], doc=told)


def queue_of(number: int, told: str) -> Any:
    """Return the property of a die that shows one of its queues."""
    return property(lambda die: Queue(die.dies, die.index * QUEUES + number), doc=told)


@final
class Die:
    """One of the `Dies`: what waits for it, and what it executes.

    Where it carries out reads side by side, bus arbiters see it once for each `lane` of it, in which it executes one.
    """

    dies: Dies
    index: int
    lane: int

    waiting = by_die("waiting", "How many transactions wait for it.")
    urgent_planes = by_die("urgent_planes", "How many planes are collected with the right of way before host writes.")
    critical_planes = by_die("critical_planes", "How many of these go before the host's reads, too.")
    collection_began = by_die("collection_began", "The next transaction's `sequence` when its latest collection began.")
    busy_ns = by_die("busy_ns", "The time that its finished commands have taken.")
    busy_since_ns = by_die("busy_since_ns", "The start of the first of the commands that it executes without a pause.")
    host_reads = queue_of(HOST_READS, "What the host reads.")
    host_writes = queue_of(HOST_WRITES, "What the host writes.")
    gc_reads = queue_of(GC_READS, "Reads of others than the host.")
    gc_writes = queue_of(GC_WRITES, "Writes and erases of others than the host.")

    def __init__(self, dies: Dies, index: int, lane: int = 0) -> None:
        self.dies = dies
        self.index = index
        self.lane = lane

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Die) and other.number == self.number

    def __hash__(self) -> int:
        return hash(self.number)

    @property
    def number(self) -> int:
        """The number of its lane, counted over the device."""
        return self.index * self.dies.lanes_per_die + self.lane

    @property
    def channel(self) -> int:
        """The number of its channel."""
        return self.index // self.dies.per_channel

    @property
    def chip(self) -> int:
        """The number of its chip, counted over the device."""
        return self.index // self.dies.per_chip

    @property
    def transaction(self) -> Transaction | None:
        """The first page of the command that it executes in its lane, or None."""
        return transaction_of(self.dies.transactions, self.dies.transaction[self.number])

    @property
    def suspended(self) -> Transaction | None:
        """The first page of the command that it has suspended, or None."""
        return transaction_of(self.dies.transactions, self.dies.suspended[self.index])

    @property
    def commands(self) -> list[Transaction]:
        """The first pages of the commands under way: that which is suspended, and those that it executes."""
        return [command for command, _ in self.phases]

    @property
    def phases(self) -> list[tuple[Transaction, int]]:
        """The commands under way, with the phase whose end each waits for (`ssdsim.flash.dies`)."""
        under_way = [(self.suspended, ARRAY)]
        for lane in range(self.index * self.dies.lanes_per_die, (self.index + 1) * self.dies.lanes_per_die):
            command = transaction_of(self.dies.transactions, self.dies.transaction[lane])
            phase = self.dies.phase[lane]
            if phase > DATA_OUT:  # an array has phases of its own, and so has data on its way from it
                phase = ARRAY if phase >= PROGRESS else DATA_OUT
            under_way.append((command, phase))
        return [(command, phase) for command, phase in under_way if command is not None]

    def arrays_at_work(self, now_ns: int) -> Iterator[tuple[Transaction, int]]:
        """Yield the commands whose array is at work or suspended, and for how long it has worked up to now."""
        for command, phase in self.phases:
            if phase == ARRAY:
                # it has an end beforehand, but while it is suspended
                until_ns = now_ns if command.array_end_ns >= 0 else self.dies.lanes[self.index].suspension.stopped_ns
                yield command, until_ns - command.array_start_ns - command.suspended_ns

    @property
    def queues(self) -> tuple[Queue, Queue, Queue, Queue]:
        """All four of them."""
        return self.host_reads, self.host_writes, self.gc_reads, self.gc_writes


def dies_of(dies: Dies) -> list[Die]:
    """Return all dies, lowest first."""
    return [Die(dies, index) for index in range(dies.count)]
