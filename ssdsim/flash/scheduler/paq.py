# cython: infer_types=True
"""Physically addressed queueing: the order of commands by where their data lies in flash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ssdsim._core.calls import cfunc
from ssdsim.config.validators import check_option, is_count
from ssdsim.flash.scheduler.policy import ReadPriority, SchedulingPolicy

if TYPE_CHECKING:
    from ssdsim.flash.multi_plane import MultiPlaneCommands


def is_pass_limit(value: Any) -> bool:
    """Return whether `value` says how often a transaction may be passed."""
    return is_count(value, 0, 10**9)


class Paq(ReadPriority):
    """Physically addressed queueing (PAQ; Jung and Kandemir, ISCA 2012): out of order, by where the data lies in flash.

    Where read priority selects a transaction, one of the same queue goes in its place: that which starts the largest
    multi-plane command with what is queued, the oldest of equals. That a transaction for a busy die does not hold up
    those for other dies and chips needs no rule, as each die has its own queues and the bus is given to dies.

    A transaction that may start and has been passed `pass_limit` times by younger ones of its queue goes first, so that
    none starves; at the default, a read is passed for about the time of a program.

    A selection holds each transaction of one queue against all others, unless two planes are the most that can join.
    """

    multi_plane: MultiPlaneCommands

    def __init__(self, pass_limit: int = 16) -> None:
        check_option(
            "scheduler.options.pass_limit", pass_limit, is_pass_limit, "a whole number of at least 0, at most 1e9"
        )
        self.pass_limit = pass_limit

    def bind_multi_plane(self, multi_plane: Any) -> None:
        """Receive the builder of multi-plane commands."""
        self.multi_plane = multi_plane

    def select(self, die: int) -> int:
        """Return the transaction that starts the largest command of those whose turn it is, or 0."""
        chosen = SchedulingPolicy.select(self, die)
        return self.widest(die, self.transactions.queue[chosen]) if chosen else 0

    @cfunc
    def widest(self, die: int, queue: int) -> int:
        """Return the transaction of `queue` that is passed no more, or else that with the largest command."""
        widest = 0
        largest_width = 0
        transaction = self.queues.head[queue]
        while transaction:
            if self.may_start(transaction):
                if self.transactions.passed[transaction] >= self.pass_limit:
                    return transaction
                width = self.multi_plane.width(die, transaction) if largest_width < self.multi_plane.group else 0
                if width > largest_width:
                    widest = transaction
                    largest_width = width
            transaction = self.transactions.next[transaction]
        return widest

    def taken(self, die: int, transaction: int) -> None:
        """Count a pass of each older transaction of the queue that might have started in its place."""
        transactions = self.transactions
        older = self.queues.head[transactions.queue[transaction]]
        while older and transactions.sequence[older] < transactions.sequence[transaction]:
            transactions.passed[older] += self.may_start(older)
            older = transactions.next[older]
