# cython: infer_types=True
"""Transactions: each is one page's work in the flash back end, from its queue to its completion."""

from __future__ import annotations

from array import array
from typing import Any, Final, cast, final

from ssdsim._core.calls import cfunc
from ssdsim._core.codes import REQUESTED
from ssdsim._core.columns import Int64s
from ssdsim.host.request import Request

FEW: Final = 256  # transactions that there is room for at first


@final
class Transactions:
    """The transactions on their way, by column. A transaction is the number of its row, from 1; 0 is none.

    Rows are used again, so that the hot path allocates nothing. `take` gives one whose measurements are zero; whoever
    has no more use for it gives it back.

    `bus_ns`, `array_ns` and `gc_ns` add up what the transaction spent on the channel's bus, in the array, and waiting
    for garbage collection; it keeps them when it is issued again (a read-modify-write is one transaction, issued
    twice). `urgent_gc_ns` is the part of `gc_ns` for which collection had the right of way: what its die did for a
    collection that was urgent then, and all of the wait for room. `mapping_ns` is the wait for the entry of the mapping
    table, whatever brought that about.

    The block of the page in `before` is not erased before the write that takes its place is in flash. `rest` links a
    program to the read of what it keeps of its page, without which it may not start, and that read to the program.

    Three columns hold what is no number: `request` is None for work that no request asked for, `group` unless the page
    waits for others; `data` is the image of the page, where that is checked (`ssdsim.flash.data`). `owners` are the
    stages to be told when a transaction is done, by their numbers.
    """

    op: Int64s
    source: Int64s
    owner: Int64s  # the number of the stage that is told when it is done, from `add_owner`
    lpa: Int64s
    ppa: Int64s
    block: Int64s
    page: Int64s
    plane: Int64s
    die: Int64s
    queue: Int64s  # that it waits in, or was taken out of
    page_type: Int64s  # that of its page, -1 in SLC mode
    specified_type: Int64s  # of a write of the host's, what a scheme wanted; -1 without one
    kind: Int64s  # of data, for the write frontier: who shares active blocks with it
    stream: Int64s  # the number of the host's stream, or -1
    asked: Int64s  # of a page of the host's: collection asked for it, to complete a row of its own
    request_number: Int64s  # of a write whose request has been told: -1 for none, -2 for a page written as it is
    version: Int64s
    bytes: Int64s  # that cross the bus
    before: Int64s  # the page that a write takes the place of, or that data is moved from, or -1
    valid_pages: Int64s  # of an erase: those of its block when it was chosen as a victim, or -1
    next: Int64s  # behind it in its queue, or in the line of those that are free
    previous: Int64s  # before it in its queue
    partner: Int64s  # the next one of the same multi-plane command
    rest: Int64s  # the read that a program waits for, or the program that a read is for
    sequence: Int64s  # its place in the order of its queue
    passed: Int64s  # how often younger ones were started before it, since it was queued
    queued_ns: Int64s
    bus_start_ns: Int64s
    array_start_ns: Int64s  # -1 while its command is on the bus
    array_end_ns: Int64s
    data_start_ns: Int64s
    suspensions: Int64s  # of its command, since it was started
    suspended_ns: Int64s  # of its command: how long its array has been suspended in all, since it was started
    cached_ns: Int64s  # of a program: how long its data has been on the chip before its array; while it is, -since when
    bus_ns: Int64s
    array_ns: Int64s
    gc_ns: Int64s
    urgent_gc_ns: Int64s
    mapping_ns: Int64s
    held_ns: Int64s  # of its `gc_ns`, what came before it was last queued
    line_ns: Int64s  # of a write, spent waiting for a die, before it was queued for one
    gc_mark_ns: Int64s  # what its die had worked for others when it was last queued
    urgent_mark_ns: Int64s  # what its die had worked for others when it was last queued
    request: list[Any]
    group: list[Any]
    data: list[Any]
    owners: list[Any]
    columns: dict[str, Any]  # of numbers, by name, for Python, where a view of memory is dear to make

    def __init__(self) -> None:
        self.free = 0  # the first of the line of free rows
        self.request = []
        self.group = []
        self.data = []
        self.owners = []
        self.columns = {}
        self.lengthen(0, FEW)

    def add_owner(self, stage: Any) -> int:
        """Return a number by which `stage` can own transactions."""
        self.owners.append(stage)
        return len(self.owners) - 1

    def lengthen(self, length: int, longer: int) -> None:
        """Make room for `longer` rows in place of `length`, and put the new ones in line, but row 0."""
        for name in COLUMNS:
            column = array("q", bytes(8 * longer))
            column[:length] = self.columns.get(name, column[:0])
            self.columns[name] = column
            setattr(self, name, column)
        for each in (self.request, self.group, self.data):
            each.extend([None] * (longer - length))
        first = max(length, 1)
        for row in range(first, longer - 1):
            self.next[row] = row + 1
        self.free = first

    def take(self, source: int, owner: int, op: int, lpa: int, ppa: int, size: int) -> int:
        """Return a transaction of `size` bytes with its measurements at zero; its `ppa` may be given later."""
        if not self.free:
            self.lengthen(len(self.op), 2 * len(self.op))
        taken = self.free
        self.free = self.next[taken]
        self.next[taken] = 0
        self.source[taken] = source
        self.owner[taken] = owner
        self.op[taken] = op
        self.lpa[taken] = lpa
        self.ppa[taken] = ppa
        self.bytes[taken] = size
        self.before[taken] = self.stream[taken] = self.request_number[taken] = self.valid_pages[taken] = -1
        self.specified_type[taken] = -1
        self.page_type[taken] = self.asked[taken] = 0
        self.bus_ns[taken] = self.array_ns[taken] = self.gc_ns[taken] = self.line_ns[taken] = 0
        self.urgent_gc_ns[taken] = self.mapping_ns[taken] = 0
        return taken

    @cfunc
    def is_of_host(self, transaction: int) -> bool:
        """Return whether a transaction waits in the queues of the host's: what requests wait for does."""
        return REQUESTED >> self.source[transaction] & 1 != 0

    @cfunc
    def tell(self, observers: list[Any], transaction: int) -> None:
        """Tell each of `observers` of an event in flash (`ssdsim.flash.observer`)."""
        for tell in observers:
            tell(self, transaction)

    @cfunc
    def put(self, column: Int64s, command: int, value: int) -> None:
        """Write `value` into a column, in the rows of all pages of a command."""
        while command:
            column[command] = value
            command = self.partner[command]

    @cfunc
    def increase(self, column: Int64s, command: int, change: int) -> None:
        """Add `change` to a column, in the rows of all pages of a command."""
        while command:
            column[command] += change
            command = self.partner[command]

    def give_back(self, transaction: int) -> None:
        """Keep the row of a finished transaction for the next `take`."""
        if self.request[transaction] is not None:
            self.request[transaction] = None
        if self.data[transaction] is not None:
            self.data[transaction] = None
        self.next[transaction] = self.free
        self.free = transaction

    def hand_over(self, transaction: int) -> Request:
        """Return the request that a transaction was part of, with what that took, as the last part's if it is that."""
        request = cast(Request, self.request[transaction])
        request.bus_ns = self.bus_ns[transaction]
        request.array_ns = self.array_ns[transaction]
        request.gc_ns = self.gc_ns[transaction] + request.held_ns
        request.urgent_gc_ns = self.urgent_gc_ns[transaction] + request.held_ns
        request.mapping_ns = self.mapping_ns[transaction]
        self.request[transaction] = None
        return request


COLUMNS = (
    *("op", "source", "owner", "lpa", "ppa", "block", "page", "plane", "die", "queue", "page_type", "specified_type"),
    *("kind", "stream", "asked", "request_number", "version", "bytes", "before", "valid_pages"),
    *("next", "previous", "partner", "rest", "sequence", "passed", "queued_ns", "bus_start_ns", "array_start_ns"),
    *("array_end_ns", "data_start_ns", "bus_ns", "array_ns", "gc_ns", "urgent_gc_ns", "mapping_ns", "held_ns"),
    *("suspensions", "suspended_ns", "cached_ns", "line_ns", "gc_mark_ns", "urgent_mark_ns"),
)
"""The names of the columns of numbers."""


@final
class TransactionQueues:
    """Transactions in the order of their arrival, in each queue; any of them can be taken out in O(1)."""

    head: Int64s  # by queue: the oldest transaction, or 0
    tail: Int64s  # by queue
    length: Int64s  # by queue

    def __init__(self, transactions: Transactions, queues: Any) -> None:
        self.transactions = transactions
        self.head = array("q", [0] * queues)
        self.tail = array("q", [0] * queues)
        self.length = array("q", [0] * queues)

    def insert(self, queue: int, transaction: int, after: int) -> None:
        """Add `transaction`, which stands nowhere, before `after`, which stands here, or at the end if that is 0."""
        previous = self.transactions.previous[after] if after else self.tail[queue]
        self.transactions.previous[transaction] = previous
        self.transactions.next[transaction] = after
        if previous:
            self.transactions.next[previous] = transaction
        else:
            self.head[queue] = transaction
        if after:
            self.transactions.previous[after] = transaction
        else:
            self.tail[queue] = transaction
        self.transactions.queue[transaction] = queue
        self.length[queue] += 1

    def remove(self, queue: int, transaction: int) -> None:
        """Take `transaction` out, wherever it stands."""
        previous = self.transactions.previous[transaction]
        following = self.transactions.next[transaction]
        if previous:
            self.transactions.next[previous] = following
        else:
            self.head[queue] = following
        if following:
            self.transactions.previous[following] = previous
        else:
            self.tail[queue] = previous
        self.transactions.next[transaction] = self.transactions.previous[transaction] = 0
        self.length[queue] -= 1
