# cython: infer_types=True
"""What waits for the dies: four queues a die, by source and direction."""

from __future__ import annotations

from array import array
from typing import Any, Final, final

from ssdsim._core.codes import PROGRAM
from ssdsim._core.columns import Int64s
from ssdsim.flash.transactions import Transactions

QUEUES: Final = 4
"""Queues of a die; those of die d are numbered from `d * QUEUES`, in this order."""
HOST_READS: Final = 0
HOST_WRITES: Final = 1
GC_READS: Final = 2
GC_WRITES: Final = 3

PAGE_TYPES: Final = 5  # at most, with that of SLC mode, which is -1


@final
class TransactionQueues:
    """Transactions in the order of their arrival, in each queue; any of them can be taken out in O(1)."""

    head: Int64s  # by queue: the oldest transaction, or 0
    tail: Int64s  # by queue
    length: Int64s  # by queue
    programs: Int64s  # by queue, then page type: programs in the queue

    def __init__(self, transactions: Transactions, queues: Any) -> None:
        self.transactions = transactions
        self.head = array("q", [0] * queues)
        self.tail = array("q", [0] * queues)
        self.length = array("q", [0] * queues)
        self.programs = array("q", [0] * (queues * PAGE_TYPES))

    def append(self, queue: int, transaction: int) -> None:
        """Add `transaction`, which stands nowhere, at the end."""
        tail = self.tail[queue]
        if tail:
            self.transactions.next[tail] = transaction
            self.transactions.previous[transaction] = tail
        else:
            self.head[queue] = transaction
        self.tail[queue] = transaction
        self.transactions.queue[transaction] = queue
        self.count(queue, transaction, 1)

    def insert(self, queue: int, transaction: int, after: int) -> None:
        """Add `transaction`, which stands nowhere, before `after`, which stands here, or at the end if that is none."""
        if not after:
            self.append(queue, transaction)
            return
        previous = self.transactions.previous[after]
        if previous:
            self.transactions.next[previous] = transaction
        else:
            self.head[queue] = transaction
        self.transactions.previous[transaction] = previous
        self.transactions.next[transaction] = after
        self.transactions.previous[after] = transaction
        self.transactions.queue[transaction] = queue
        self.count(queue, transaction, 1)

    def count(self, queue: int, transaction: int, change: int) -> None:
        """Count one more or one less."""
        self.length[queue] += change
        if self.transactions.op[transaction] == PROGRAM:
            self.programs[queue * PAGE_TYPES + self.transactions.page_type[transaction] + 1] += change

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
        self.count(queue, transaction, -1)

    def lowest_page_type(self, queue: int) -> int:
        """Return the lowest page type of the programs that wait, or the highest there is if none does."""
        page_type = -1
        while page_type + 2 < PAGE_TYPES and not self.programs[queue * PAGE_TYPES + page_type + 1]:
            page_type += 1
        return page_type
