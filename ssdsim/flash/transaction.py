# cython: infer_types=True
"""A transaction: one page's work in the flash back end, from its queue to its completion."""

from __future__ import annotations

from array import array
from typing import Any, final

from ssdsim._core.codes import PROGRAM
from ssdsim._core.columns import Int64s
from ssdsim.host.request import Request, WriteGroup


@final
class Transaction:
    """One page's work.

    `bus_ns`, `array_ns` and `gc_ns` add up what the transaction spent on the channel's bus, in the array, and waiting
    for garbage collection; it keeps them when it is issued again (a read-modify-write is one transaction, issued
    twice). `urgent_gc_ns` is the part of `gc_ns` for which collection had the right of way: what its die did for a
    collection that was urgent then, and all of the wait for room. `mapping_ns` is the wait for the entry of the mapping
    table, whatever brought that about. `request` is None for work that no request asked for, `group` unless the page
    waits for others. `before` is the page that a write takes the place of, or -1: its block is not erased before the
    write is in flash; of moved data it is the page that it is moved from. `line_ns` is how long a write waited in line
    for a die, before it had a page. `copied_from` is the page that a copy-back reads. `asked` marks a page of the host
    that collection asked for. `task` is the collection or merge that it is a step of, or None. `rest` links a program
    to the read of what it keeps of its page, without which it may not start, and that read to the program. `data` is
    the image of the page, where that is checked (`ssdsim.check.data`). A write keeps its `request_number` when that
    request has been told: -1 for none, -2 for a page that is written as it is. An erase has the `valid_pages` of its
    block from when that was chosen as a victim, or -1.
    """

    request: Request  # that it is part of, or None
    owner: Any  # the `Stage` to be told when it is done
    group: WriteGroup  # that it waits for, or None
    task: Any  # the `Task` that it is a step of, where it is of one
    data: Any  # what it brings or has read, where integrity is checked; else None
    next: Transaction  # neighbours in the queue or the pool it stands in
    previous: Transaction  # neighbours in the queue or the pool it stands in
    partner: Transaction  # the next one of the same multi-plane command, or None
    rest: Transaction  # the read that a program waits for, or the program that a read is for
    page_type: int  # that of its page; of a write that has none yet, the one wanted
    specified_type: int  # of a write of the host's, what a scheme wanted; -1 without one
    kind: int  # of data, for the write frontier: who shares active blocks with it
    stream: int  # the number of the host's stream, or -1
    asked: bool  # by collection, to complete a row of its own
    request_number: int  # of a write: -1 for none, -2 for a page that is written as it is
    before: int  # the page that a write takes the place of, or -1
    copied_from: int  # the page that a copy-back reads, else of no meaning
    sequence: int  # its place in the order of its queue
    passed: int  # how often younger ones were started before it, since it was queued
    valid_pages: int  # of an erase: those of its block when it was chosen as a victim, or -1
    held_ns: int  # of its `gc_ns`, what came before it was last queued
    line_ns: int  # of a write, spent waiting for a die, before it was queued for one
    gc_mark_ns: int  # what its die had worked for others when it was last queued
    urgent_mark_ns: int  # what its die had worked for others when it was last queued

    def __init__(self) -> None:
        self.request = None
        self.owner = None
        self.group = None
        self.data = None
        self.task = None
        self.next = None
        self.previous = None
        self.partner = None
        self.rest = None
        self.op = self.source = self.die = self.page = self.page_type = self.kind = self.bytes = 0
        self.lpa = self.ppa = self.block = self.plane = self.before = self.copied_from = self.stream = -1
        self.request_number = self.valid_pages = self.specified_type = -1
        self.sequence = self.version = self.passed = 0
        self.asked = False
        self.queued_ns = self.gc_mark_ns = self.urgent_mark_ns = self.held_ns = 0
        self.bus_ns = self.array_ns = self.gc_ns = self.urgent_gc_ns = self.mapping_ns = 0
        self.bus_start_ns = self.array_start_ns = self.array_end_ns = self.data_start_ns = self.line_ns = 0


@final
class TransactionPool:
    """Transactions used again and again, so that the hot path allocates nothing."""

    free: Transaction

    def __init__(self) -> None:
        self.free = None

    def take(self, source: int, owner: Any, lpa: int) -> Transaction:
        """Return a transaction with its measurements at zero."""
        if self.free is None:
            self.free = Transaction()
        transaction: Transaction = self.free
        self.free = transaction.next
        transaction.next = None
        transaction.source = source
        transaction.owner = owner
        transaction.lpa = lpa
        transaction.before = transaction.stream = transaction.request_number = transaction.valid_pages = -1
        transaction.specified_type = -1
        transaction.page_type = 0
        transaction.asked = False
        transaction.bus_ns = transaction.array_ns = transaction.gc_ns = transaction.line_ns = 0
        transaction.urgent_gc_ns = transaction.mapping_ns = 0
        return transaction

    def give_back(self, transaction: Transaction) -> None:
        """Keep a finished transaction for the next `take`."""
        if transaction.request is not None:
            transaction.request = None
        if transaction.data is not None:
            transaction.data = None
        transaction.next = self.free
        self.free = transaction


@final
class TransactionQueue:
    """Transactions in the order of their arrival; any of them can be taken out in O(1)."""

    head: Transaction
    tail: Transaction
    programs: Int64s  # by page type: programs in the queue

    def __init__(self) -> None:
        self.head = None
        self.tail = None
        self.length = 0
        self.programs = array("q", [0] * 4)

    def append(self, transaction: Transaction) -> None:
        """Add `transaction`, which stands nowhere, at the end."""
        if self.tail is None:
            self.head = transaction
        else:
            self.tail.next = transaction
            transaction.previous = self.tail
        self.tail = transaction
        self.count_in(transaction)

    def insert(self, transaction: Transaction, after: Transaction) -> None:
        """Add `transaction`, which stands nowhere, before `after`, which stands here, or at the end if that is None."""
        if after is None:
            self.append(transaction)
            return
        if after.previous is None:
            self.head = transaction
        else:
            after.previous.next = transaction
            transaction.previous = after.previous
        transaction.next = after
        after.previous = transaction
        self.count_in(transaction)

    def count_in(self, transaction: Transaction) -> None:
        """Count one more."""
        self.length += 1
        if transaction.op == PROGRAM:
            self.programs[transaction.page_type] += 1

    def remove(self, transaction: Transaction) -> None:
        """Take `transaction` out, wherever it stands."""
        if transaction.previous is None:
            self.head = transaction.next
        else:
            transaction.previous.next = transaction.next
        if transaction.next is None:
            self.tail = transaction.previous
        else:
            transaction.next.previous = transaction.previous
            transaction.next = None
        if transaction.previous is not None:
            transaction.previous = None
        self.length -= 1
        if transaction.op == PROGRAM:
            self.programs[transaction.page_type] -= 1

    def lowest_page_type(self) -> int:
        """Return the lowest page type of the programs that wait, or the highest there is if none does."""
        page_type = 0
        while page_type + 1 < len(self.programs) and not self.programs[page_type]:
            page_type += 1
        return page_type
